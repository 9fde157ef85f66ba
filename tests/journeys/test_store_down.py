"""PostgreSQL goes away while cells run: people notice a warning, and nothing else."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.contracts.event_log import PATIENCE
from tests.contracts.hearth_api import S, accepted, begin, ran, status_of
from tests.contracts.scenes import ANN, SCENES
from tests.journeys.accounts import (
    account_of,
    assert_executed_once,
    assert_kept,
    folded,
    open_cells,
)
from tests.journeys.busy_daemon import MARKS, usable
from tests.journeys.daemons import started
from tests.journeys.witness import Witness, marked
from tests.log.databases import database
from tests.log.postgres_server import running_server

from hearth.api import Accepted, Following, Viewed
from hearth.app import running
from hearth.core.views.status import status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import decode_envelope, envelope
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import EventUnsaved, StoreWarning
from hearth.core.vocabulary.refusals import DuplicateCommand

CELLS = 40
"""Each leads to four events."""


class Watcher:
    """Someone who follows a session and remembers what was shown."""

    def __init__(self, following: Following) -> None:
        self._following = following
        self.rows: list[Stored] = []
        self.unsaved: list[Envelope] = []
        self.warnings: list[StoreWarning] = []

    async def until(self, is_reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_reached():
                for item in await self._following.batch():
                    if isinstance(item, Stored):
                        self.rows.append(item)
                    elif isinstance(item.progress, EventUnsaved):
                        self.unsaved.append(decode_envelope(item.progress.json.encode()))
                    elif isinstance(item.progress, StoreWarning):
                        self.warnings.append(item.progress)


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-01", "SF-LOG-14", "SF-LOG-15")
async def test_work_goes_on_without_the_store_and_is_saved_later(tmp_path: Path) -> None:
    server = running_server()
    witness = Witness(SCENES, tmp_path / MARKS)
    async with database() as url, running(tmp_path, url, [witness]) as engine:
        await begin(engine)
        hanging = await accepted(engine, c.RunCell("hang"))
        watcher = Watcher(engine.follow(S))
        await asyncio.to_thread(server.stop, "immediate")

        # The cell that ran when the store went away comes to its end, and its caller hears it.
        await ran(engine, c.CancelCell())
        await watcher.until(lambda: any(_is_end_of(hanging, one) for one in watcher.unsaved))
        for _ in range(CELLS):
            done = await ran(engine, c.RunCell("1+1"))
            assert isinstance(done.outcome.event, e.CellFinished)
            assert done.outcome.event.value == "2"
            assert (done.accepted.seq, done.outcome.seq) == (0, 0)
        # Reading goes on, and is as new as what was heard.
        now = await status_of(engine)
        assert (now.state, now.evals, now.cancelled) == (PhaseName.READY, CELLS, 1)
        assert isinstance(await engine.view("sessions"), Viewed)
        # What was accepted while the store was down is not accepted again.
        mine = InputId("asked-twice")
        for expected in (Accepted, DuplicateCommand):
            answer = await engine.submit(S, c.RunCell("1+1"), ANN, input_id=mine)
            assert isinstance(answer, expected)

        await asyncio.to_thread(server.start)
        await watcher.until(lambda: any(not one.unsaved for one in watcher.warnings))
        saved = await ran(engine, c.RunCell("1+1"))
        assert saved.accepted.seq > 0
        log = engine._around.log
        rows = await log.read_session(S)
        await watcher.until(lambda: bool(watcher.rows) and watcher.rows[-1] == rows[-1])
        _assert_saved_as_shown(watcher, rows)
        _assert_warned(watcher.warnings, len(watcher.unsaved))
        assert await status_of(engine) == status(folded(S, rows))
        events = await account_of(log)
        assert not open_cells(events)
        assert_executed_once(events, await asyncio.to_thread(marked, tmp_path / MARKS))


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-14")
async def test_large_results_do_not_wait_for_the_store_either(tmp_path: Path) -> None:
    server = running_server()
    witness = Witness(SCENES, tmp_path / MARKS)
    async with database() as url:
        async with running(tmp_path, url, [witness]) as engine:
            await begin(engine)
            await asyncio.to_thread(server.stop, "immediate")
            done = await ran(engine, c.RunCell("big"))
            assert isinstance(done.outcome.event, e.CellFinished)
            assert isinstance(done.outcome.event.value, Blob)
            assert done.outcome.seq == 0
            value = done.outcome.event.value.sha256
            assert await engine._around.saver.blobs.get(value) == b"y" * 100_000
            # It ends before the store is back; what waits, waits for the next start.
        await asyncio.to_thread(server.start)
        async with running(tmp_path, url, [witness]) as engine:
            log = engine._around.log
            assert await log.blobs.get(value) == b"y" * 100_000
            assert done.outcome.id in {one.id for one in await account_of(log)}


def _is_end_of(cell: Accepted, one: Envelope) -> bool:
    return isinstance(one.event, e.CellCancelled) and one.cause == cell.id


def _assert_saved_as_shown(watcher: Watcher, rows: Sequence[Stored]) -> None:
    """Each event was shown once while it waited, and stands in the log as it was: also its time."""
    shown = {one.id: one for one in watcher.unsaved}
    assert len(shown) == len(watcher.unsaved) > 100
    stored = {one.id: one for one in map(envelope, rows)}
    for id_, one in shown.items():
        found = stored[id_]
        assert (found.version, found.at, found.origin, found.cause, found.event) == (
            one.version,
            one.at,
            one.origin,
            one.cause,
            one.event,
        )
    assert [one.version for one in watcher.unsaved] == sorted(one.version for one in shown.values())
    # And whoever follows got every row in its place, without a gap.
    assert watcher.rows == list(rows)[-len(watcher.rows) :]
    assert len(watcher.rows) > len(shown)


def _assert_warned(warnings: list[StoreWarning], unsaved: int) -> None:
    """At once, at each hundred with the number, and when it is over."""
    first, *_, last = warnings
    assert first.unsaved < 10
    hundred = next(one for one in warnings if one.unsaved >= 100)
    assert hundred.unsaved <= unsaved
    assert f"{hundred.unsaved} events are live but unsaved" in hundred.message
    assert len(warnings) == 2 + unsaved // 100
    assert (last.unsaved, "is back" in last.message) == (0, True)


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-14", "SF-LOG-15")
async def test_a_daemon_killed_while_events_wait_saves_them_first(tmp_path: Path) -> None:
    server = running_server()
    sessions = [SessionId("session-a"), SessionId("session-b")]
    async with database() as url:
        with started("busy_daemon", tmp_path, url, "first", *sessions) as daemon:
            for session in sessions:
                await asyncio.to_thread(daemon.hear_until, f"usable {session}")
            await asyncio.to_thread(daemon.hear, 20)
            await asyncio.to_thread(server.stop, "immediate")
            while sum(ack.seq == 0 for ack in daemon.acks) < 30:
                await asyncio.to_thread(daemon.hear, 10)
        unsaved = [ack for ack in daemon.acks if ack.seq == 0]
        assert len(unsaved) >= 30
        await asyncio.to_thread(server.start)
        async with running(tmp_path, url, [Witness(SCENES, tmp_path / MARKS)]) as engine:
            async with asyncio.timeout(PATIENCE):
                for session in sessions:
                    await usable(engine, session)
            events = await account_of(engine._around.log)
    assert_kept(events, daemon.acks)
    assert_executed_once(events, await asyncio.to_thread(marked, tmp_path / MARKS))
    # What waited stands before what the new daemon found out: that its interpreter is gone.
    for session in sessions:
        mine = [one for one in events if one.session == session]
        causes = {ack.id for ack in unsaved if ack.session == session}
        last = max(one.version for one in mine if one.id.rpartition(".")[0] in causes)
        lost = [one for one in mine if isinstance(one.event, e.SessionFaulted)]
        assert [one.version > last for one in lost[-1:]] == [True]
