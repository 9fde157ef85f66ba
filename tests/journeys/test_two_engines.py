"""Two engines on one PostgreSQL whose server goes down and comes back while they work."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest
from tests.contracts.event_log import PATIENCE, read_all
from tests.contracts.hearth_api import begin
from tests.contracts.scenes import ANN, SCENES
from tests.journeys.accounts import account_of, assert_executed_once, assert_kept, open_cells
from tests.journeys.busy_daemon import MARKS, usable
from tests.journeys.daemons import Ack, started
from tests.journeys.leasing_daemon import opened
from tests.journeys.witness import Witness, marked
from tests.log.databases import database
from tests.log.postgres_server import Server, running_server

from hearth.api import Accepted, Following, Settled, settle
from hearth.app import running
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.refusals import OwnedElsewhere, Refused
from hearth.engine.engine import Engine

RESTARTS = 4


class Client:
    """Runs one cell after the other in a session, until told to stop."""

    def __init__(self, engine: Engine, session: SessionId) -> None:
        self.session = session
        self._engine = engine
        self.acks: list[Ack] = []
        self.outcomes = 0
        self.unsaved = 0
        self.is_over = False
        self._news = asyncio.Event()

    async def work(self) -> None:
        for number in count():
            if self.is_over:
                return
            id_ = InputId(f"{self.session}-{number}")
            command = c.RunCell("1+1", if_busy="queue")
            done = await settle(self._engine, self.session, command, ANN, input_id=id_)
            assert isinstance(done, Settled), done
            assert isinstance(done.outcome.event, e.CellFinished)
            self.acks.append(Ack(id_, self.session, done.accepted.seq))
            self.outcomes += 1
            self._news.set()
            self.unsaved += done.accepted.seq == 0

    async def has_done(self, more: int) -> None:
        """Return when so many more cells have run to their end."""
        goal = self.outcomes + more
        async with asyncio.timeout(PATIENCE):
            while self.outcomes < goal:
                self._news.clear()
                await self._news.wait()


class Reader:
    """Follows everything from the beginning, and keeps the rows."""

    def __init__(self, following: Following) -> None:
        self._following = following
        self.rows: list[Stored] = []
        self._news = asyncio.Event()

    async def read(self) -> None:
        while items := await self._following.batch():
            self.rows += [item for item in items if isinstance(item, Stored)]
            self._news.set()

    async def has(self, seq: int) -> None:
        """Return when it has seen this row."""
        async with asyncio.timeout(PATIENCE):
            while not self.rows or self.rows[-1].seq < seq:
                self._news.clear()
                await self._news.wait()


async def _restart(server: Server, clients: Sequence[Client], chance: random.Random) -> None:
    """Down in the middle of the work, for as long as some cells take, and up again."""
    for client in clients:
        await client.has_done(chance.randrange(1, 15))
    await asyncio.to_thread(server.stop, chance.choice(("immediate", "fast")))
    for client in clients:
        # Work goes on without the store.
        await client.has_done(chance.randrange(1, 10))
    await asyncio.to_thread(server.start)


async def _saved(engine: Engine) -> None:
    """Return when nothing waits on the disk any more."""
    flushing = engine._around.saver._flushing
    if flushing is not None:
        await asyncio.wait([flushing], timeout=PATIENCE)
    assert engine._around.saver.unsaved == 0


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-08", "SF-LOG-10", "SF-LOG-14", "SF-LOG-15", "SF-LOG-19")
async def test_a_server_that_restarts_under_load_costs_nothing(tmp_path: Path) -> None:
    chance = random.Random(2026)  # noqa: S311 - a test's own choice
    server = running_server()
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(database())
        engines = [
            await stack.enter_async_context(
                running(tmp_path / name, url, [Witness(SCENES, tmp_path / f"{name}-{MARKS}")])
            )
            for name in ("a", "b")
        ]
        clients = [
            Client(engine, SessionId(f"session-{name}{number}"))
            for name, engine in zip("ab", engines, strict=True)
            for number in range(2)
        ]
        readers = [Reader(engine.follow(after=0)) for engine in engines]
        for client in clients:
            await begin(client._engine, client.session)
        async with asyncio.TaskGroup() as tasks:
            for reader in readers:
                tasks.create_task(reader.read())
            working = [tasks.create_task(client.work()) for client in clients]
            for _ in range(RESTARTS):
                await _restart(server, clients, chance)
            for client in clients:
                await client.has_done(3)
                client.is_over = True
            await asyncio.wait(working)
            for engine in engines:
                await _saved(engine)
            log = engines[0]._around.log
            everything = await read_all(log)
            for reader in readers:
                await reader.has(everything[-1].seq)
                reader._following.close()
        for reader in readers:
            assert reader.rows == everything
        events = await account_of(log)
        # Each outcome was heard once, and each is in the log, also of what had to wait on disk.
        assert_kept(events, [ack for client in clients for ack in client.acks])
        assert not open_cells(events)
        executed = [
            pair
            for name in ("a", "b")
            for pair in await asyncio.to_thread(marked, tmp_path / f"{name}-{MARKS}")
        ]
        assert_executed_once(events, executed)
        assert sum(client.unsaved for client in clients) > RESTARTS
        # One owner each, all the time: nobody else's generation stands in between.
        for client, other in zip(clients, reversed(clients), strict=True):
            refusal = await other._engine.submit(client.session, c.RunCell("1+1"), ANN)
            assert isinstance(refusal, OwnedElsewhere)
            assert isinstance(
                await client._engine.submit(client.session, c.RunCell("1+1"), ANN), Accepted
            )


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-19")
async def test_what_a_killed_daemon_ran_is_taken_over(tmp_path: Path) -> None:
    session = SessionId("session-a")
    home = tmp_path / "a"
    await asyncio.to_thread(home.mkdir)
    async with database() as url:
        b = await opened(url, "b", _witness(home))
        with started("leasing_daemon", home, url, session) as daemon:
            await asyncio.to_thread(daemon.hear_until, f"usable {session}")
            refusal = await b.submit(session, c.RunCell("1+1"), ANN)
            assert isinstance(refusal, OwnedElsewhere)
            assert refusal.owner == "a"
        # Killed. Nobody can know it at once; when its time has run out, the session is free.
        async with asyncio.timeout(PATIENCE):
            while isinstance(await b.submit(session, c.RunCell("1+1"), ANN), OwnedElsewhere):
                pass
            await usable(b, session)
        events = await account_of(b._around.log)
        assert not open_cells(events)
        assert_executed_once(events, await asyncio.to_thread(marked, home / MARKS))
        await b.close()
        await b._around.log.close()


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-19")
async def test_a_daemon_that_is_started_again_has_its_sessions_at_once(tmp_path: Path) -> None:
    session = SessionId("session-a")
    async with database() as url:
        with started("busy_daemon", tmp_path, url, "first", session) as daemon:
            await asyncio.to_thread(daemon.hear, 10)
        async with running(tmp_path, url, [_witness(tmp_path)]) as again:
            answer = await again.submit(session, c.RenameSession("mine"), ANN)
            assert not isinstance(answer, Refused)
            async with asyncio.timeout(PATIENCE):
                await usable(again, session)
            events = await account_of(again._around.log)
        assert_kept(events, daemon.acks)
        assert_executed_once(events, await asyncio.to_thread(marked, tmp_path / MARKS))
        assert any(one.event == e.SessionRenamed("mine") for one in events)


def _witness(home: Path) -> Witness:
    return Witness(SCENES, home / MARKS)
