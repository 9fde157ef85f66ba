"""A person takes sessions out of a daemon's log and brings them back, while it runs and after."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.contracts.hearth_api import begin, ran, status_of
from tests.contracts.scenes import ANN, SCENES
from tests.journeys.busy_daemon import usable

from hearth.api import Viewed
from hearth.app import running
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import UnknownSession
from hearth.engine.engine import Engine
from hearth.log.archive import export_session, import_session
from hearth.log.opening import open_log
from hearth.log.pruning import Kept, prune
from hearth.performers.interpreter.scripted import ScriptedInterpreter

ONE, COPY = SessionId("session-one"), SessionId("session-copy")
LATER = datetime.now(UTC) + timedelta(days=100)
QUARTER = timedelta(days=90)


async def _listed(engine: Engine) -> set[SessionId]:
    viewed = await engine.view("sessions")
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Sessions)
    assert not any(row.trouble for row in viewed.value.rows)
    return {row.session for row in viewed.value.rows}


@pytest.mark.promise("SF-LOG-23")
async def test_a_copy_is_imported_into_a_daemon_that_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        await begin(engine, ONE, name="the first")
        await ran(engine, c.RunCell("big"), ONE)
        await engine.submit(ONE, c.RunCell("hang"), ANN)
        # Somebody at the command line, in the middle of a cell.
        theirs = await open_log(None, home, "a person")
        written = await export_session(theirs, ONE, tmp_path / "one.jsonl", LATER)
        await import_session(theirs, written.path, COPY)
        await theirs.close()
        assert await _listed(engine) == {ONE, COPY}
        copied = await status_of(engine, COPY)
        assert (copied.name, copied.evals, copied.state) == ("the first", 1, PhaseName.EVALUATING)
        # The cell that ran is not the copy's; it is closed there as cut off, and work goes on.
        async with asyncio.timeout(20):
            await usable(engine, COPY)
        assert (await status_of(engine, ONE)).state is PhaseName.EVALUATING
        assert (await status_of(engine, ONE)).name == "the first"
        assert (await status_of(engine, COPY)).errors == 1
        assert not await engine._around.log.check()


@pytest.mark.promise("SF-LOG-16", "SF-LOG-23")
async def test_what_was_pruned_is_gone_and_can_be_had_back(tmp_path: Path) -> None:
    home, archives = tmp_path / "home", tmp_path / "archive"
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        await begin(engine, ONE, name="the first")
        await ran(engine, c.RunCell("x = 1"), ONE)
        # While the daemon runs it, it is not old enough for anyone.
        theirs = await open_log(None, home, "a person")
        kept = (await prune(theirs, QUARTER, archives, LATER)).kept
        assert [one.session for one in kept] == [ONE]
        assert isinstance(kept[0], Kept)
        await theirs.close()
        await ran(engine, c.RunCell("x = 1"), ONE)
        before = await status_of(engine, ONE)
    theirs = await open_log(None, home, "a person")
    (archived,) = (await prune(theirs, QUARTER, archives, LATER)).archived
    await theirs.close()
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        assert await _listed(engine) == set()
        gone = await engine.submit(ONE, c.RunCell("1+1"), ANN)
        assert isinstance(gone, UnknownSession)
    theirs = await open_log(None, home, "a person")
    await import_session(theirs, archived.path, ONE)
    await theirs.close()
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        after = await status_of(engine, ONE)
        assert (after.name, after.evals, after.started_at) == (
            before.name,
            before.evals,
            before.started_at,
        )
        async with asyncio.timeout(20):
            await usable(engine, ONE)
