"""A daemon dies at any moment, again and again, and nothing that was acknowledged is lost."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.contracts.event_log import read_all
from tests.contracts.scenes import SCENES
from tests.journeys.accounts import (
    Cell,
    account_of,
    assert_executed_once,
    assert_kept,
    folded,
    open_cells,
    open_questions,
)
from tests.journeys.busy_daemon import MARKS, usable
from tests.journeys.daemons import Ack, started
from tests.journeys.witness import Witness, marked

from hearth.api import Viewed
from hearth.app import running
from hearth.core.views.status import status
from hearth.core.views.transcript import transcript
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.failures import WorkerCrashed
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.restoring import fold_name, restore
from hearth.log.opening import open_log

SESSIONS = [SessionId(f"session-{letter}") for letter in "abc"]
ROUNDS = 28


async def _account(home: Path) -> Sequence[Envelope]:
    log = await open_log(None, home, "the auditor")
    try:
        return await account_of(log)
    finally:
        await log.close()


@pytest.mark.slow
@pytest.mark.timeout(400)  # many daemons, one after the other, on whatever disk there is
@pytest.mark.promise("SF-LOG-01", "SF-LOG-03", "SF-LOG-10", "SF-LOG-21")
def test_a_daemon_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    chance = random.Random(2026)  # noqa: S311 - a test's own choice
    acks: list[Ack] = []
    cut_off: dict[Cell, Envelope] = {}
    recovered = 0
    for number in range(ROUNDS):
        with started("busy_daemon", tmp_path, "", f"round{number}", *SESSIONS) as daemon:
            # Sometimes before it has begun, sometimes in its recovery, mostly in its work.
            daemon.hear(chance.choice((0, 1, 2, 4, 8, 30, 100, 200)))
        acks += daemon.acks
        events = asyncio.run(_account(tmp_path))
        assert_kept(events, acks)
        assert_executed_once(events, marked(tmp_path / MARKS))
        still_open = open_cells(events)
        # Where it ran a cell again, what its predecessors had left open was closed before.
        for session, cell in cut_off:
            if session in daemon.usable:
                assert still_open.get((session, cell)) is None
                recovered += 1
        cut_off = still_open
    assert len(acks) > ROUNDS * 10
    assert recovered > ROUNDS / 4
    asyncio.run(_comes_back_whole(tmp_path, acks))


async def _comes_back_whole(home: Path, acks: Sequence[Ack]) -> None:
    before = await _account(home)
    left = open_cells(before)
    async with running(home, None, [Witness(SCENES, home / MARKS)]) as engine:
        async with asyncio.timeout(20):
            for session in SESSIONS:
                await usable(engine, session)
        log = engine._around.log
        for session in SESSIONS:
            rows = await log.read_session(session, 0, 1_000_000)
            viewed = await engine.view("status", session)
            assert isinstance(viewed, Viewed)
            assert viewed == Viewed(status(folded(session, rows)), rows[-1].seq)
            recent = await engine.view("transcript", session)
            assert isinstance(recent, Viewed)
            assert recent.value == transcript(envelope(row) for row in rows[-1000:])
    events = await _account(home)
    assert_kept(events, acks)
    assert_executed_once(events, await asyncio.to_thread(marked, home / MARKS))
    assert not open_cells(events)
    assert not open_questions(events)
    _assert_interruption_is_said(events, left)
    log = await open_log(None, home, "the auditor")
    rows = await read_all(log)
    for session in SESSIONS:
        mine = [row for row in rows if row.session == session]
        restored = await restore(log, session, fold_name())
        assert restored.snapshot_version == len(mine)
        assert restored.fold == folded(session, mine)
    await log.close()


def _assert_interruption_is_said(events: Sequence[Envelope], left: dict[Cell, Envelope]) -> None:
    """Cells that were running when the last daemon died failed, and say why."""
    for one in events:
        match one.event:
            case e.CellFailed(cell=cell, failure=failure) if (one.session, cell) in left:
                assert isinstance(left[one.session, cell].event, e.CellStarted)
                assert isinstance(failure, WorkerCrashed)
                assert failure.message == "it did not outlive the daemon"
            case e.CellWithdrawn(cell=cell, reason=reason) if (one.session, cell) in left:
                assert isinstance(left[one.session, cell].event, e.CellQueued)
                assert reason == "the interpreter was lost"
            case e.CellFinished(cell=cell) | e.CellCancelled(cell=cell):
                assert (one.session, cell) not in left
            case _:
                pass
