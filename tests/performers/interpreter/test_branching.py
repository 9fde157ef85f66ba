"""A live interpreter is copied into a second one: real kernels."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.performers.interpreter.live_play import LivePlay, S, T, live_play

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.branching import (
    CELL,
    CONTAINED,
    CannotBranch,
    branch,
    trial_record,
    waiting_record,
)
from hearth.performers.interpreter.walls import Walls
from hearth.performers.interpreter.worker import Worker


def worker_of(play: LivePlay) -> Worker:
    """The interpreter of its session."""
    found = play.live._workers.of(S)
    assert found is not None
    return found


async def test_a_branch_holds_what_its_original_holds_and_goes_its_own_way(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = [1]")
        assert (await play.live.branch(S, T)).obstacles == ()
        there = LivePlay(play.live, T)
        ready = await there.start()
        assert ready.surroundings is not None
        assert await there.value("x.append(2) or x") == "[1, 2]"
        assert await play.value("x") == "[1]"
        mine, theirs = worker_of(play), play.live._workers.of(T)
        assert theirs is not None
        assert mine.folder.path != theirs.folder.path
        assert theirs.record.generation == 1


async def test_the_records_say_whose_they_are(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        source = worker_of(play)
        waiting = waiting_record(source)
        assert (waiting.session, waiting.prepared) == (None, True)
        tried = trial_record(source, S, CellId("c3"), (2, 5))
        assert (tried.session, tried.trial, tried.variant, tried.variants) == (S, "c3", 2, 5)


async def test_what_runs_or_is_elsewhere_is_not_copied(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        source, launching = worker_of(play), play.live._launching
        record = source.record
        source.record = replace(record, kind="foreign")
        source.language = "bash"
        with pytest.raises(CannotBranch, match="this is one of bash"):
            await branch(launching, source, waiting_record(source))
        source.record = replace(record, walls=Walls(contained=True))
        with pytest.raises(CannotBranch, match=CONTAINED):
            await branch(launching, source, waiting_record(source))
        source.record = record
        play.stage.reports.clear()
        code = "print('on', flush=True)\nimport time\nwhile True: time.sleep(0.01)"
        cell = play.next_cell()
        play.begin(fx.ExecuteInWorker(1, cell, code))
        await play.stage.seen()
        with pytest.raises(CannotBranch, match=CELL):
            await branch(launching, source, waiting_record(source))
        play.begin(fx.InterruptWorker(1, cell, 1))
        await play.stage.heard(r.CellEnded)


async def test_an_obstacle_leaves_nothing_behind(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("import socket; s = socket.socket()", copy=False)
        before = sorted(worker_of(play).folder.path.parent.iterdir())
        told = await play.live.branch(S, T)
        assert "socket" in told.obstacles[0]
        assert sorted(worker_of(play).folder.path.parent.iterdir()) == before
        assert await play.value("1 + 1") == "2"
