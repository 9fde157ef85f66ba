"""The engine passes the contract of the api, on memory and on SQLite, and keeps its own word."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts.hearth_api import PATIENCE, HearthContract, S, T, begin, ran, status_of, until
from tests.contracts.manual_clock import ManualClock
from tests.contracts.scenes import ANN, SCENES

from hearth.api import Hearth, Settled, Shown, Viewed, settle
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import BlockId, EventId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import SessionResumed
from hearth.core.vocabulary.refusals import (
    OwnedElsewhere,
    Quarantined,
    Refused,
    ShuttingDown,
    TooManySessions,
)
from hearth.core.vocabulary.undoing import ForkHow
from hearth.engine.engine import Engine
from hearth.log.event_log import EventLog
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.log.sqlite import SqliteLog
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter


class TestEngineOnMemory(HearthContract):
    @pytest.fixture
    async def hearth(self) -> AsyncIterator[Hearth]:
        engine = await opened(MemoryLog())
        yield engine
        await engine.close()


class TestEngineOnSqlite(HearthContract):
    @pytest.fixture
    async def hearth(self, tmp_path: Path) -> AsyncIterator[Hearth]:
        log = SqliteLog(tmp_path / "hearth.db")
        engine = await opened(log)
        yield engine
        await engine.close()
        await log.close()


async def opened(log: EventLog, backstage: Backstage | None = None, most: int = 10) -> Engine:
    await log.open()
    engine = Engine(log, [ScriptedInterpreter(SCENES, backstage=backstage)], most_sessions=most)
    await engine.open()
    return engine


@pytest.mark.promise("SF-SES-05")
async def test_one_session_more_than_the_limit_is_refused_until_one_stops() -> None:
    engine = await opened(MemoryLog(), most=1)
    await begin(engine)
    refusal = await engine.submit(T, c.CreateSession(), ANN)
    assert isinstance(refusal, TooManySessions)
    assert refusal.limit == 1
    await ran(engine, c.StopSession())
    await begin(engine, T)
    await engine.close()


async def test_work_goes_on_in_an_interpreter_that_outlived_the_daemon() -> None:
    store, backstage = MemoryStore(), Backstage()
    first = await opened(MemoryLog(store), backstage)
    await begin(first)
    await ran(first, c.RunCell("x = 1"))
    await first.close()
    second = await opened(MemoryLog(store), backstage)
    assert (await status_of(second)).state is PhaseName.READY
    assert (await status_of(second)).generation == 1
    assert isinstance((await ran(second, c.RunCell("1+1"))).outcome.event, e.CellFinished)
    await second.close()


@pytest.mark.promise("SF-LOG-01")
async def test_a_cell_cut_off_by_the_daemons_end_is_closed_and_never_run_again() -> None:
    store = MemoryStore()
    first = await opened(MemoryLog(store))
    await begin(first)
    await first.submit(S, c.RunCell("hang"), ANN)
    await first.close()
    log = MemoryLog(store)
    second = await opened(log)
    following = second.follow(S, after=0)
    await until(following, e.CellFailed)
    await until(following, e.SessionReady)
    status = await status_of(second)
    assert (status.state, status.generation, status.errors) == (PhaseName.READY, 2, 1)
    rows = await log.read(types=["cell_started"])
    assert len(rows) == 1
    following.close()
    await second.close()


async def test_a_stopped_session_stays_in_the_list_and_can_be_brought_back() -> None:
    store = MemoryStore()
    first = await opened(MemoryLog(store))
    await begin(first, S, "kept")
    await ran(first, c.StopSession())
    await first.close()
    second = await opened(MemoryLog(store))
    listed = await second.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    assert [(row.name, row.stopped) for row in listed.value.rows] == [("kept", True)]
    assert S not in second._loops
    assert isinstance((await ran(second, c.HardResetSession())).outcome.event, e.SessionReady)
    await second.close()


class Keeps:
    """Is asked to fork and to go back, and does not get to it."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.BranchSession, fx.ReturnSession})

    def __init__(self) -> None:
        self.asked: list[fx.Effect] = []
        self.was_asked = asyncio.Event()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        del session, stage
        self.asked.append(effect)
        self.was_asked.set()

    async def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize("wish", [c.ForkSession(T, how=ForkHow.NEW), c.ReturnTo(BlockId("b1"))])
async def test_what_a_stopped_session_was_asked_for_is_not_left_to_whoever_comes_by(
    wish: c.Command,
) -> None:
    store = MemoryStore()
    asked: list[list[fx.Effect]] = []
    for is_first in (True, False):
        log, keeps = MemoryLog(store), Keeps()
        await log.open()
        engine = Engine(log, [ScriptedInterpreter(SCENES), keeps])
        await engine.open()
        if is_first:
            await begin(engine)
            await ran(engine, c.StopSession())
            assert not isinstance(await engine.submit(S, wish, ANN), Refused)
        async with asyncio.timeout(PATIENCE):
            await keeps.was_asked.wait()
        asked.append(keeps.asked)
        await engine.close()
    assert asked[0] == asked[1]
    assert len(asked[1]) == 1


async def test_two_engines_never_run_one_session() -> None:
    store = MemoryStore()
    first, second = await opened(MemoryLog(store)), await opened(MemoryLog(store))
    await begin(first)
    refusal = await second.submit(S, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, OwnedElsewhere)
    assert refusal.owner
    assert (await status_of(second)).state is PhaseName.READY
    await first.close()
    assert not isinstance(await second.submit(S, c.RenameSession("mine now"), ANN), Refused)
    await second.close()


async def test_an_engine_that_lost_its_session_stops_running_it() -> None:
    store = MemoryStore()
    log, backstage = MemoryLog(store), Backstage()
    first = await opened(log, backstage)
    await begin(first)
    taken = store.leases[S]
    store.leases[S] = taken._replace(owner="someone else", generation=taken.generation + 1)
    assert S in backstage.workers
    refusal = await first.submit(S, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, OwnedElsewhere)
    await asyncio.sleep(0)
    assert S not in backstage.workers
    assert isinstance(await first.submit(S, c.RunCell("1+1"), ANN), OwnedElsewhere)
    assert not await log.read(types=["cell_started"])
    await first.close()


ODD = (
    b'{"id":"bad.0","at":"2026-01-01T00:00:00Z","origin":{"actor":"system"},"cause":"bad",'
    b'"event":{"type":"%b"}}'
)


@pytest.mark.promise("SF-ISO-12")
@pytest.mark.parametrize(
    "data",
    [ODD % b"from_the_future", b"not json at all", ODD % b"session_ready"],
    ids=["unknown type", "garbage", "forbidden by the table"],
)
async def test_one_bad_session_is_set_aside_and_the_others_start(data: bytes) -> None:
    store = MemoryStore()
    first = await opened(MemoryLog(store))
    await begin(first, S)
    await begin(first, T)
    await first.close()
    log = MemoryLog(store)
    await log.open()
    version = len(store.streams[S])
    await log.append(S, version, [Draft(EventId("bad.0"), "from_the_future", data)])
    second = await opened(log)
    refusal = await second.submit(S, c.RunCell("1+1"), ANN)
    assert isinstance(refusal, Quarantined)
    assert f"version {version + 1}" in refusal.why or "cannot happen" in refusal.why
    assert isinstance((await ran(second, c.HardResetSession(), T)).outcome.event, e.SessionReady)
    listed = await second.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    assert {row.session: bool(row.trouble) for row in listed.value.rows} == {S: True, T: False}
    assert len(store.streams[S]) == version + 1
    await second.close()


async def test_a_closing_engine_finishes_what_it_accepted_and_takes_no_more() -> None:
    store = MemoryStore()
    engine = await opened(MemoryLog(store))
    await begin(engine)
    submitted = asyncio.create_task(engine.submit(S, c.RenameSession("last"), ANN))
    await asyncio.sleep(0)
    await engine.close()
    assert not isinstance(await submitted, Refused)
    assert isinstance(await engine.submit(S, c.RenameSession("more"), ANN), ShuttingDown)
    second = await opened(MemoryLog(store))
    assert (await status_of(second)).name == "last"
    await second.close()


@pytest.mark.promise("SF-SES-02")
async def test_a_crashed_interpreter_is_replaced_after_a_growing_pause_until_it_is_too_much() -> (
    None
):
    log, clock = MemoryLog(), ManualClock()
    await log.open()
    engine = Engine(log, [ScriptedInterpreter(SCENES)], clock=clock)
    await engine.open()
    await begin(engine)
    delays = []
    for _ in range(6):
        following = engine.follow(S)
        await ran(engine, c.RunCell("die"))
        status = await status_of(engine)
        assert status.state is PhaseName.FAULTED
        if status.restart_due is None:
            break
        delays.append((status.restart_due - clock.now()).total_seconds())
        await clock.someone_waits()
        clock.pass_time(delays[-1])
        await until(following, e.SessionReady)
        following.close()
    assert delays == [1, 2, 4, 8, 16]
    assert isinstance((await ran(engine, c.ResetSession())).outcome.event, e.SessionReady)
    await engine.close()


async def test_how_a_session_was_set_up_is_known_where_it_is_open() -> None:
    engine = await opened(MemoryLog())
    await begin(engine, S, "loom")
    assert engine.config_of(S) == c.SessionConfig(name="loom")
    assert engine.config_of(T) is None
    await engine.close()


@pytest.mark.promise("LK-SCOPE-01")
async def test_what_a_person_chose_for_a_session_is_known_and_outlives_the_daemon() -> None:
    log = MemoryLog()
    engine = await opened(log)
    await begin(engine, S, "loom")
    assert engine.servers_of(S) is None
    await ran(engine, p.SetServers(("docs",)))
    assert engine.servers_of(S) == ("docs",)
    assert engine.servers_of(T) is None
    await engine.close()
    engine = await opened(log)
    assert engine.servers_of(S) == ("docs",)
    await engine.close()


async def test_a_session_that_was_never_started_does_not_stay_behind() -> None:
    log = MemoryLog()
    engine = await opened(log)
    unknown = await engine.submit(SessionId("session-cccccc"), c.RunCell("1"), ANN)
    assert isinstance(unknown, Refused)
    assert not await log.heads()
    await engine.close()


async def row_of(engine: Engine, session: SessionId) -> SessionRow:
    viewed = await engine.view("sessions")
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Sessions)
    return next(row for row in viewed.value.rows if row.session == session)


async def five_in_two_directories(engine: Engine) -> list[SessionId]:
    sessions = [SessionId(f"session-{n}") for n in range(5)]
    for place, session in enumerate(sessions):
        config = c.SessionConfig(directory="/a" if place < 3 else "/b")
        assert isinstance(await settle(engine, session, c.CreateSession(config), ANN), Settled)
    return sessions


async def until_up(engine: Engine, sessions: list[SessionId]) -> None:
    async with asyncio.timeout(20):
        for session in sessions:
            while (await row_of(engine, session)).resuming:  # noqa: ASYNC110 - a view has no event
                await asyncio.sleep(0)


@pytest.mark.promise("SF-ISO-13")
async def test_of_twins_without_an_interpreter_one_is_brought_back_and_the_others_are_stopped() -> (
    None
):
    store, clock = MemoryStore(), ManualClock()
    first = await opened(MemoryLog(store))
    sessions = await five_in_two_directories(first)
    await first.close()
    log = MemoryLog(store)
    await log.open()
    second = Engine(log, [ScriptedInterpreter(SCENES)], clock=clock)
    following = second.follow(after=0)
    await second.open()
    await until(following, e.SessionStopped, times=3)
    stopped = [session for session in sessions if (await row_of(second, session)).stopped]
    assert stopped == ["session-0", "session-1", "session-3"]
    await second.close()


@pytest.mark.promise("SF-ISO-11", "SF-ISO-13")
async def test_twins_whose_interpreters_lived_on_are_all_kept() -> None:
    store, backstage = MemoryStore(), Backstage()
    first = await opened(MemoryLog(store), backstage)
    sessions = await five_in_two_directories(first)
    await first.close()
    second = await opened(MemoryLog(store), backstage)
    await until_up(second, sessions)
    rows = [await row_of(second, session) for session in sessions]
    assert [row.stopped for row in rows] == [False] * 5
    assert {row.state for row in rows} == {PhaseName.READY}
    await second.close()


class SlowToAttach(ScriptedInterpreter):
    """Looks for an interpreter only when it is told to."""

    def __init__(self, backstage: Backstage) -> None:
        super().__init__(SCENES, backstage=backstage)
        self.may: dict[SessionId, asyncio.Event] = {}

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        if isinstance(effect, fx.AttachWorker):
            await self.may.setdefault(session, asyncio.Event()).wait()
        await super().perform(session, effect, stage)


@pytest.mark.promise("SF-ISO-11", "SF-ISO-12")
async def test_sessions_come_up_one_by_one_and_each_is_told_once() -> None:
    store, backstage = MemoryStore(), Backstage()
    first = await opened(MemoryLog(store), backstage)
    for session in (S, T):
        await begin(first, session, name=session)
    await first.close()
    log, slow = MemoryLog(store), SlowToAttach(backstage)
    await log.open()
    second = Engine(log, [slow])
    await second.open()
    following = second.follow()
    assert (await row_of(second, S)).resuming
    assert (await row_of(second, T)).resuming
    slow.may.setdefault(T, asyncio.Event()).set()
    async with asyncio.timeout(20):
        assert await following.batch() == [Shown(T, SessionResumed(adopted=True))]
    assert (await row_of(second, S)).resuming
    assert not (await row_of(second, T)).resuming
    slow.may.setdefault(S, asyncio.Event()).set()
    async with asyncio.timeout(20):
        assert await following.batch() == [Shown(S, SessionResumed(adopted=True))]
    following.close()
    await second.close()
