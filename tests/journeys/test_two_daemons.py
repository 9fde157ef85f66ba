"""Two daemons share one database: each sees what the other does, and neither does it twice."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.contracts.event_log import PATIENCE, read_all
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hearth_api import begin, ran, status_of
from tests.contracts.scenes import ANN, BOT, SCENES
from tests.journeys.accounts import account_of, open_cells
from tests.log.databases import database

from hearth.api import Following, Settled, Viewed, settle
from hearth.app import running
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import OwnedElsewhere, Quarantined
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.log.spool import Spool
from hearth.performers.interpreter.scripted import ScriptedInterpreter

ONE, TWO = SessionId("session-one"), SessionId("session-two")


@asynccontextmanager
async def _shared(kind: str, directory: Path) -> AsyncIterator[str]:
    if kind == "sqlite":
        yield f"sqlite://{directory}/shared/hearth.db"
    else:
        async with database() as url:
            yield url


@asynccontextmanager
async def _two(kind: str, directory: Path) -> AsyncIterator[tuple[Engine, Engine]]:
    async with (
        _shared(kind, directory) as url,
        running(directory / "a", url, [ScriptedInterpreter(SCENES)]) as a,
        running(directory / "b", url, [ScriptedInterpreter(SCENES)]) as b,
    ):
        yield a, b


async def rows_until(following: Following, seq: int) -> list[Stored]:
    """Every row up to this one."""
    rows: list[Stored] = []
    async with asyncio.timeout(PATIENCE):
        while not rows or rows[-1].seq < seq:
            rows += [item for item in await following.batch() if isinstance(item, Stored)]
    return rows


@pytest.mark.promise("SF-LOG-19")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_each_follower_sees_both_daemons(kind: str, tmp_path: Path) -> None:
    async with _two(kind, tmp_path) as (a, b):
        from_now = [a.follow(), b.follow()]
        of_the_other = b.follow(ONE)
        await asyncio.gather(begin(a, ONE), begin(b, TWO))
        for _ in range(5):
            await asyncio.gather(
                ran(a, c.RunCell("1+1"), ONE),
                settle(b, TWO, c.RunCell("x = 1"), BOT),
            )
        everything = await read_all(a._around.log)
        last = everything[-1].seq
        assert {row.session for row in everything} == {ONE, TWO}
        for following in [*from_now, a.follow(after=0), b.follow(after=0)]:
            assert await rows_until(following, last) == everything
        mine = [row for row in everything if row.session == ONE]
        assert await rows_until(of_the_other, mine[-1].seq) == mine


@pytest.mark.promise("SF-LOG-19")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_session_has_one_daemon(kind: str, tmp_path: Path) -> None:
    async with _two(kind, tmp_path) as (a, b):
        await begin(a, ONE)
        await ran(a, c.RunCell("1+1"), ONE)
        refusal = await b.submit(ONE, c.RunCell("1+1"), BOT)
        assert isinstance(refusal, OwnedElsewhere)
        assert refusal.session == ONE
        assert refusal.owner
        # It can be looked at from there all the same, and the list has it.
        assert await status_of(b, ONE) == await status_of(a, ONE)
        assert await _listed(b) == await _listed(a) == [ONE]
        before = await a._around.log.head()
        assert isinstance(await b.submit(ONE, c.HardResetSession(), BOT), OwnedElsewhere)
        assert await a._around.log.head() == before
        await ran(a, c.RunCell("1+1"), ONE)


@pytest.mark.promise("SF-LOG-19")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_session_that_was_given_up_is_taken_over(kind: str, tmp_path: Path) -> None:
    async with (
        _shared(kind, tmp_path) as url,
        running(tmp_path / "b", url, [ScriptedInterpreter(SCENES)]) as b,
    ):
        async with running(tmp_path / "a", url, [ScriptedInterpreter(SCENES)]) as a:
            await begin(a, ONE)
            answer = await a.submit(ONE, c.RunCell("hang"), ANN)
            assert not isinstance(answer, OwnedElsewhere)
        # The interpreter went with the other daemon; a new one is started for the first cell.
        done = await until_done(b, ONE)
        assert (await status_of(b, ONE)).evals == 1
        assert (await status_of(b, ONE)).errors >= 1
        assert done.outcome.session == ONE
        async with running(tmp_path / "a", url, [ScriptedInterpreter(SCENES)]) as a:
            assert isinstance(await a.submit(ONE, c.RunCell("1+1"), ANN), OwnedElsewhere)


@pytest.mark.promise("SF-LOG-19")
async def test_a_session_that_was_lost_can_be_had_back() -> None:
    """One that was asleep for too long finds its session taken, and later free again."""
    store = MemoryStore()
    sleeper, other = await _engine(store), await _engine(store)
    await begin(sleeper, ONE)
    # Its time ran out: for the others it is as good as dead.
    store.leases[ONE] = store.leases[ONE]._replace(owner="")
    await until_done(other, ONE)
    assert isinstance(await sleeper.submit(ONE, c.RunCell("x = 1"), ANN), OwnedElsewhere)
    # What it shows is what the other does, and its own interpreter is gone.
    await settle(other, ONE, c.RenameSession("theirs"), BOT)
    assert (await status_of(sleeper, ONE)).name == "theirs"
    assert await status_of(sleeper, ONE) == await status_of(other, ONE)
    assert isinstance(await sleeper.submit(ONE, c.RunCell("x = 1"), ANN), OwnedElsewhere)
    await other.close()
    await until_done(sleeper, ONE)
    events = await account_of(sleeper._around.log)
    assert not open_cells(events)
    assert "x = 1" not in {getattr(one.event, "code", "") for one in events}
    await sleeper.close()


@pytest.mark.promise("SF-LOG-15")
async def test_what_waited_is_not_forced_on_a_session_that_another_runs(tmp_path: Path) -> None:
    store = MemoryStore()
    log, spool = FaultyLog(store), Spool(tmp_path)
    first = await _engine(store, log, spool)
    await begin(first, ONE)
    log.down = True
    unsaved = await ran(first, c.RunCell("x = 1"), ONE)
    assert unsaved.outcome.seq == 0
    await first.close()
    spool.close()
    # Before it is started again, another one takes the session.
    other = MemoryLog(store)
    await other.open()
    lease, head = await other.claim(ONE), await other.head()
    second = await _engine(store, MemoryLog(store), spool := Spool(tmp_path))
    refusal = await second.submit(ONE, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, Quarantined)
    assert lease.owner in refusal.why
    assert await other.head() == head
    assert spool.count == 4
    await second.close()
    spool.close()
    # Once it is free, what waited is appended where it belongs.
    await other.release(lease)
    third = await _engine(store, MemoryLog(store), spool := Spool(tmp_path))
    assert spool.count == 0
    rows = await other.read_session(ONE, unsaved.outcome.version - 1, 1)
    assert [envelope(row).id for row in rows] == [unsaved.outcome.id]
    await until_done(third, ONE)
    await third.close()
    spool.close()


async def _engine(
    store: MemoryStore, log: MemoryLog | None = None, spool: Spool | None = None
) -> Engine:
    log = log or MemoryLog(store)
    await log.open()
    engine = Engine(log, [ScriptedInterpreter(SCENES)], spool=spool)
    await engine.open()
    return engine


async def until_done(engine: Engine, session: SessionId) -> Settled:
    """Run a cell as soon as the session takes one and it comes to its end."""
    following = engine.follow(session)
    async with asyncio.timeout(PATIENCE):
        while True:
            done = await settle(engine, session, c.RunCell("1+1", if_busy="queue"), BOT)
            if isinstance(done, Settled) and _value_of(done) == "2":
                following.close()
                return done
            if not isinstance(done, Settled):
                await following.batch()


def _value_of(done: Settled) -> object:
    return getattr(done.outcome.event, "value", None)


async def _listed(engine: Engine) -> Sequence[SessionId]:
    viewed = await engine.view("sessions")
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Sessions)
    return [row.session for row in viewed.value.rows]
