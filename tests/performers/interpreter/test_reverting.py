"""A live interpreter is taken back in place: real kernels, real copies."""

import asyncio
from pathlib import Path

import pytest
import zmq.asyncio
from tests.performers.interpreter.live_play import WANTED, LivePlay, S, live_play

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import InputId, cell_id
from hearth.performers.interpreter import reverting
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.worker import Worker

DOINGS = {
    "deleted": ("x = 1", "del x", "x", "1"),
    "rebound": ("x = [1]", "x = 'else'", "x", "[1]"),
    "changed": ("x = [1]", "x.append(2)", "x", "[1]"),
    "imported": (
        "import sys",
        "import colorsys",
        "('colorsys' in sys.modules, 'colorsys' in dir())",
        "(False, False)",
    ),
    "monkeypatched": (
        "import textwrap",
        "textwrap.dedent = len",
        "textwrap.dedent('  a')",
        "'a'",
    ),
    "raised": ("x = 1", "x = 2\nraise ValueError(x)", "x", "1"),
    "changed the folder": (
        "import os; was = os.getcwd()",
        "os.chdir('/tmp')",
        "os.getcwd() == was",
        "True",
    ),
}


@pytest.mark.parametrize("what", DOINGS)
async def test_a_cell_is_taken_back_whatever_it_did(tmp_path: Path, what: str) -> None:
    before, done, look, was = DOINGS[what]
    async with live_play(tmp_path) as play:
        await play.run(before)
        await play.run(done)
        told = await play.revert("c2", "before-9")
        assert told.generation == 1
        assert told.can_return
        assert told.kept.cells == ("c1",)
        assert await play.value(look) == was


async def test_it_is_spoken_with_although_who_spoke_with_it_before_leaves_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Sockets are closed by a thread of their own. On a busy machine they come back before that.
    close, left = zmq.asyncio.Socket.close, list[zmq.asyncio.Socket]()

    def close_late(one: zmq.asyncio.Socket, **_: object) -> None:
        left.append(one)
        asyncio.get_running_loop().call_later(0.15, close, one, 0)

    async with live_play(tmp_path) as play:
        with monkeypatch.context() as busy:
            busy.setattr(zmq.asyncio.Socket, "close", close_late)
            for number in range(5):
                await play.run("x = [1]")
                undone = cell_id(play.cells + 1)
                await play.run("x.append(2)")
                await play.revert(undone, f"before-{number}")
                assert await play.value("x") == "[1]"
        assert left
        for one in left:
            one.close(0)


async def test_several_at_once_and_all_of_it_comes_back(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        for number in range(4):
            await play.run(f"x = {number}")
        told = await play.revert("c2", "before-9")
        assert told.kept.cells == ("c1",)
        back = await play.revert("before-9", "c2")
        assert back.kept.cells == ("c1", "c2", "c3", "c4")
        assert await play.value("x") == "3"
        again = await play.revert("c2", "before-12")
        assert again.kept.cells == ("c1",)
        assert await play.value("x") == "0"


async def test_step_by_step_there_and_back(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        for number in range(3):
            await play.run(f"x = {number}")
        await play.revert("c3", "before-5")
        await play.revert("c2", "before-7")
        await play.revert("before-7", "c2")
        told = await play.revert("before-5", "c3")
        assert told.kept.cells == ("c1", "c2", "c3")
        assert await play.value("x") == "2"


async def test_a_new_cell_is_the_end_of_what_was_taken_back(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        for number in range(3):
            await play.run(f"x = {number}")
        await play.revert("c2", "before-5")
        ended = await play.run("x = 'new'")
        assert ended.kept.cells == ("c1", "c4")
        failed = await play.do(play.reverting("before-5", "c2"), r.RevertFailed)
        assert failed.why == "there is no copy 'before-5'"
        assert await play.value("x") == "'new'"


async def test_what_cannot_be_copied_is_taken_back_without_a_way_back(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("import threading, time; x = 1")
        await play.run("x = 2; t = threading.Thread(target=time.sleep, args=(60,)); t.start()")
        told = await play.revert("c2", "before-4")
        assert not told.can_return
        assert await play.value("(x, threading.active_count() < 9, 't' in dir())") == (
            "(1, True, False)"
        )


async def test_a_copy_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1")
        failed = await play.do(play.reverting("c7"), r.RevertFailed)
        assert failed.why == "there is no copy 'c7'"
        assert await play.value("x") == "1"


async def test_a_failed_cell_takes_back_itself(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = [1]")
        ended = await play.run("print('on'); x.append(2); 1/0", undo=True)
        assert ended.undone
        assert isinstance(ended.ending, r.Raised)
        assert ended.outputs
        assert ended.kept.cells == ("c1",)
        assert await play.value("x") == "[1]"
        fine = await play.run("x.append(2)", undo=True)
        assert not fine.undone
        assert fine.kept.cells == ("c1", "c4")
        assert await play.value("x") == "[1, 2]"


async def test_a_stopped_cell_takes_back_itself(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1; import time")
        cell = play.next_cell()
        play.stage.reports.clear()
        code = "x = 2; print('on', flush=True)\nwhile True: time.sleep(0.01)"
        play.begin(fx.ExecuteInWorker(1, cell, code, copy=True, on_error="undo"))
        await play.stage.seen()
        play.begin(fx.InterruptWorker(1, cell, 1))
        ended = await play.stage.heard(r.CellEnded)
        assert ended.ending == r.Stopped()
        assert ended.undone
        assert await play.value("x") == "1"


async def test_an_obstacle_is_told_before_the_cell_runs(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("import socket; s = socket.socket()", copy=False)
        play.stage.reports.clear()
        ended = await play.run("x = 1", undo=True)
        assert play.stage.kinds()[:2] == [r.CopyMissed, r.CellEnded]
        missed = await play.stage.heard(r.CopyMissed)
        assert missed.cell == ended.cell
        assert "socket" in missed.obstacles[0]
        failed = await play.run("x = 2; 1/0", undo=True)
        assert not failed.undone


async def test_who_asked_before_is_answered_with_nothing_and_after_with_what_is(
    tmp_path: Path,
) -> None:
    async with live_play(tmp_path) as play:
        await play.run("xylophone = 1")
        await play.run("xylograph = 2")
        asked = [fx.CompleteInWorker(1, InputId(f"a{n}"), "xylo", 4) for n in range(20)]
        play.stage.reports.clear()
        for one in asked:
            play.begin(one)
        play.begin(play.reverting("c2", "before-5"))
        await play.stage.heard(r.WorkerReverted)
        await play.rest()
        after = await play.do(fx.CompleteInWorker(1, InputId("z"), "xylo", 4), r.CodeCompleted)
        assert [one.label for one in after.items] == ["xylophone"]


async def _next_daemon(play: LivePlay, home: Path) -> LivePlay:
    """Another daemon takes the interpreter up."""
    await play.live.close()
    after = LivePlay(LiveInterpreter(home, WANTED))
    after.cells, after.asked = play.cells, play.asked
    await after.do(fx.AttachWorker(1, SessionConfig()), r.WorkerReady)
    play.live = after.live
    return after


async def test_the_next_daemon_takes_back_what_this_one_kept(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1")
        await play.run("x = 2")
        after = await _next_daemon(play, tmp_path)
        told = await after.revert("c2", "before-5")
        assert told.kept.cells == ("c1",)
        assert await after.value("x") == "1"


async def test_what_a_cell_took_back_with_the_last_copy_is_told_by_the_next_daemon(
    tmp_path: Path,
) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1", copy=False)
        ended = await play.run("x = 2; 1/0", undo=True)
        assert (ended.undone, ended.kept.cells) == (True, ())
        await play.live.close()  # before any of it was written down
        after = LivePlay(LiveInterpreter(tmp_path, WANTED))
        play.live, after.cells = after.live, play.cells
        attach = fx.AttachWorker(1, SessionConfig(), ended.cell, on_error="undo")
        again = await after.do(attach, r.CellEnded)
        assert (again.undone, again.ending) == (True, ended.ending)
        assert await after.value("x") == "1"


async def test_where_nobody_can_be_asked_to_wake_all_goes_on(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("xylophone = 1")
        await play.run("xylophone = 2")
        worker = play.live._workers.of(S)
        assert worker is not None
        full = worker.folder.path / ".wake.json"
        full.mkdir()
        failed = await play.do(play.reverting("c2"), r.RevertFailed)
        assert failed.why == "it cannot be asked for: Is a directory"
        ask = fx.CompleteInWorker(1, InputId("z"), "xylo", 4)
        done = await play.do(ask, r.CodeCompleted)
        assert [one.label for one in done.items] == ["xylophone"]
        assert await play.value("xylophone") == "2"
        full.rmdir()
        await play.revert("c2")
        assert await play.value("xylophone") == "1"


async def test_what_is_not_answered_in_time_is_not_done_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with live_play(tmp_path) as play:
        await play.run("xylophone = 1")
        await play.run("xylophone = 2")
        worker = play.live._workers.of(S)
        assert worker is not None
        full = worker.folder.path / ".guardian.json"
        full.mkdir()
        monkeypatch.setattr(reverting, "WAKING", 1.0)
        failed = await play.do(play.reverting("c2"), r.RevertFailed)
        assert failed.why == reverting.TOO_LONG
        assert not (worker.folder.path / "wake.json").exists()
        full.rmdir()
        monkeypatch.undo()
        ask = fx.CompleteInWorker(1, InputId("z"), "xylo", 4)
        done = await play.do(ask, r.CodeCompleted)
        assert [one.label for one in done.items] == ["xylophone"]
        assert await play.value("xylophone") == "2"


async def test_what_is_done_too_late_is_told_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = reverting._woken

    async def too_late(worker: Worker, copy: str, request: str) -> None:
        await woken(worker, copy, request)
        raise TimeoutError

    async with live_play(tmp_path) as play:
        await play.run("x = 1")
        await play.run("x = 2")
        monkeypatch.setattr(reverting, "_woken", too_late)
        told = await play.revert("c2", "before-4")
        assert (told.kept.cells, told.can_return) == (("c1",), True)
        assert await play.value("x") == "1"


async def test_it_is_not_done_twice(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        for number in range(3):
            await play.run(f"x = {number}")
        effect = play.reverting("c2", "before-5")
        first = await play.do(effect, r.WorkerReverted)
        after = await _next_daemon(play, tmp_path)
        again = await after.do(effect, r.WorkerReverted)
        assert (again.kept.cells, again.can_return) == (first.kept.cells, True)
        assert await after.value("x") == "0"


async def test_an_interpreter_that_dies_meanwhile_is_told_as_lost(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("import os, signal")
        await play.run("x = 2")
        play.stage.reports.clear()
        play.begin(play.reverting("c2", "before-5"))
        worker = play.live._workers.of(S)
        assert worker is not None
        worker.process.kill()
        await play.stage.heard(r.WorkerLost)
        await play.rest()
