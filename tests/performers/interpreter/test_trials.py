"""Variants are tried side by side, each in a branch of its own; one is kept, the others end."""

import asyncio
import gc
import os
import signal
from pathlib import Path

import pytest
from tests.performers.interpreter.live_play import WANTED, LivePlay, S, live_play

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.failures import CodeRaised, Interrupted, TimedOut, WorkerCrashed
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.trials import NOTHING_LEFT, STOPPED
from hearth.performers.interpreter.worker import Worker

FOREVER = "import time\nwhile True: time.sleep(0.01)"


async def tried(
    play: LivePlay, *variants: str, limit: float | None = None
) -> tuple[CellId, r.VariantsTried]:
    """What came of a trial."""
    cell = play.next_cell()
    effect = fx.TryInWorker(play.generation, cell, variants, limit)
    return cell, await play.do(effect, r.VariantsTried)


async def adopt(play: LivePlay, cell: CellId, variant: int) -> r.WorkerReady:
    """Let one be the interpreter."""
    play.generation += 1
    return await play.do(fx.AdoptVariant(play.generation, cell, variant), r.WorkerReady)


async def both_run(play: LivePlay) -> None:
    """Each of two variants has its interpreter, which no report tells."""
    async with asyncio.timeout(20):
        while len(play.live._workers.trying(S)) < 2:
            await asyncio.to_thread(os.sched_yield)


async def folders(play: LivePlay) -> int:
    """How many interpreters there are once nothing is ending any more."""
    await play.live._workers.ended()
    return len(list(play.live._runtime.workers()))


async def test_each_has_what_was_there_and_none_has_what_another_did(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = [1]", copy=False)
        variants = ("x.append(2); x", "print('hm'); x.append(3); x", "del x; 1/0")
        _, told = await tried(play, *variants)
        first, second, third = told.results
        assert (first.value, first.value_type, first.is_ok) == ("[1, 2]", "list", True)
        assert second.value == "[1, 3]"
        assert isinstance(second.outputs, tuple)
        assert second.outputs[0] == StreamText("stdout", "hm\n")
        assert isinstance(third.failure, CodeRaised)
        assert await play.value("x") == "[1]"


async def test_one_is_kept_and_the_others_end(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 0", copy=False)
        cell, _ = await tried(play, "x = 1", "x = 2", "x = 3")
        assert await folders(play) == 4
        await adopt(play, cell, 2)
        assert await play.value("x") == "2"
        assert await folders(play) == 1
        ended = await play.run("x = 9")
        assert ended.kept.cells == (ended.cell,)
        await play.revert(ended.cell)
        assert await play.value("x") == "2"


async def test_none_is_kept(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 0", copy=False)
        cell, _ = await tried(play, "x = 1", "x = 2")
        play.begin(fx.DropVariants(1, cell))
        await play.rest()
        assert await folders(play) == 1
        assert await play.value("x") == "0"


async def test_another_trial_ends_the_one_before(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await tried(play, "x = 1", "x = 2")
        cell, _ = await tried(play, "x = 3", "x = 4")
        assert await folders(play) == 3
        await adopt(play, cell, 1)
        assert await play.value("x") == "3"


async def test_what_dies_or_takes_too_long_costs_nobody_else_anything(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        cell, told = await tried(play, "import os; os._exit(3)", FOREVER, "'fine'", limit=5.0)
        died, long, fine = told.results
        assert isinstance(died.failure, WorkerCrashed)
        assert isinstance(long.failure, TimedOut)
        assert fine.value == "'fine'"
        play.generation += 1
        gone = await play.do(fx.AdoptVariant(play.generation, cell, 1), r.VariantGone)
        assert gone.why == "the interpreter of variant 1 has ended"


def end(worker: Worker) -> None:
    """Kill its guardian, with whom it ends."""
    guardian = worker.process._guardian
    assert guardian is not None
    os.kill(guardian.pid, signal.SIGKILL)


async def end_variant(play: LivePlay, variant: int) -> None:
    """Something kills what waits to be kept."""
    (worker,) = (one for one in play.live._workers.trying(S) if one.record.variant == variant)
    end(worker)
    async with asyncio.timeout(20):
        while worker in play.live._workers.trying(S):
            await asyncio.to_thread(os.sched_yield)


async def test_what_ended_while_it_waited_costs_the_session_nothing(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 0", copy=False)
        cell, _ = await tried(play, "x = 1", "x = 2")
        await end_variant(play, 2)
        gone = await play.do(fx.AdoptVariant(2, cell, 2), r.VariantGone)
        assert (gone.generation, gone.cell) == (2, cell)
        assert await play.value("x") == "0"
        assert await folders(play) == 1


async def test_it_costs_nothing_either_if_the_daemon_ended_meanwhile(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 0", copy=False)
        cell, _ = await tried(play, "x = 1", "x = 2")
        await end_variant(play, 2)
        await play.live.close()
        after = LivePlay(LiveInterpreter(tmp_path, WANTED))
        play.live, after.cells = after.live, play.cells
        await after.do(fx.AdoptVariant(2, cell, 2), r.VariantGone)
        assert await after.value("x") == "0"
        assert await folders(after) == 1


async def test_where_both_have_ended_the_interpreter_is_lost(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        cell, _ = await tried(play, "x = 1", "x = 2")
        await end_variant(play, 2)
        play.stage.reports.clear()
        worker = play.live._workers.of(S)
        assert worker is not None
        end(worker)
        await play.stage.heard(r.WorkerLost)
        lost = await play.do(fx.AdoptVariant(2, cell, 2), r.WorkerLost)
        assert lost.generation == 2


async def test_all_are_stopped_at_once(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        cell = play.next_cell()
        play.stage.reports.clear()
        play.begin(fx.TryInWorker(1, cell, (FOREVER, FOREVER)))
        await both_run(play)
        play.begin(fx.InterruptWorker(1, cell, 1))
        told = await play.stage.heard(r.VariantsTried)
        assert [one.stopped for one in told.results] == [True, True]


async def test_what_is_stopped_while_it_is_begun_does_not_begin(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1", copy=False)
        cell = play.next_cell()
        play.stage.reports.clear()
        play.begin(fx.TryInWorker(1, cell, (FOREVER,) * 12))
        await both_run(play)
        play.begin(fx.InterruptWorker(1, cell, 1))
        told = await play.stage.heard(r.VariantsTried)
        assert len(told.results) == 12
        assert all(one.stopped or one == STOPPED for one in told.results)
        assert told.results[0].stopped
        assert told.results[-1] == STOPPED
        assert told.results[-1].is_gone, "it cannot be kept"
        assert await play.value("x") == "1"


async def test_a_trial_ends_with_the_interpreter_that_it_is_of(tmp_path: Path) -> None:
    unheard: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, about: unheard.append(about))
    async with live_play(tmp_path) as play:
        play.stage.reports.clear()
        play.begin(fx.TryInWorker(1, play.next_cell(), (FOREVER, FOREVER)))
        await both_run(play)
        source = play.live._workers.of(S)
        assert source is not None
        source.process.kill()
        await play.stage.heard(r.WorkerLost)
        await play.rest()
        assert not [one for one in play.stage.reports if isinstance(one, r.VariantsTried)]
        assert await folders(play) == 0
    gc.collect()
    assert unheard == []


async def test_an_obstacle_is_told_and_nothing_is_tried(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("import socket; s = socket.socket()", copy=False)
        _, told = await tried(play, "1", "2")
        assert told.results == ()
        assert told.problem.startswith("its interpreter cannot be copied: ")
        assert "socket" in told.problem
        assert await folders(play) == 1


async def next_daemon(
    play: LivePlay, home: Path, cell: CellId | None = None, *, tried: CellId | None = None
) -> LivePlay:
    """Another daemon takes the session up, in the middle of a trial if a cell is given."""
    await play.live.close()
    after = LivePlay(LiveInterpreter(home, WANTED))
    play.live, after.cells = after.live, play.cells
    attach = fx.AttachWorker(1, SessionConfig(), cell, trial=cell is not None, tried=tried)
    await after.do(attach, r.WorkerReady)
    return after


async def test_the_next_daemon_keeps_what_this_one_tried(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        cell, _ = await tried(play, "x = 1", "x = 2", "x = 3")
        after = await next_daemon(play, tmp_path, tried=cell)
        assert await folders(after) == 4
        await adopt(after, cell, 2)
        assert await after.value("x") == "2"
        assert await folders(after) == 1


async def test_the_next_daemon_ends_what_this_one_did_not_come_to_end(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.value("(x := 0)")
        await tried(play, "x = 1", "x = 2")
        newer = play.next_cell()
        after = await next_daemon(play, tmp_path, tried=newer)
        assert await folders(after) == 1
        assert await after.value("x") == "0"


async def test_what_was_adopted_is_not_adopted_twice(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        cell, _ = await tried(play, "x = 1", "x = 2")
        await adopt(play, cell, 2)
        await play.live.close()
        after = LivePlay(LiveInterpreter(tmp_path, WANTED))
        play.live, after.cells = after.live, play.cells
        await adopt(after, cell, 2)
        assert await after.value("x") == "2"
        assert await folders(after) == 1


class NoTools:
    """Has an answer for nobody."""

    async def answer(self, calling: object, question: object) -> bytes:
        del calling, question
        return b"{}"


@pytest.mark.parametrize("when", ["before it was kept", "while it was kept"])
async def test_what_the_next_daemon_keeps_it_hears_and_tells_nothing_of_twice(
    tmp_path: Path, when: str
) -> None:
    async with live_play(tmp_path) as play:
        cell, _ = await tried(play, "1", "print('hm'); x = 2; x")
        if when == "while it was kept":
            await adopt(play, cell, 2)
        await play.live.close()
        live = LiveInterpreter(tmp_path, WANTED, tools=NoTools())
        after, play.live = LivePlay(live), live
        if when == "before it was kept":
            await after.do(fx.AttachWorker(1, SessionConfig(), tried=cell), r.WorkerReady)
        after.stage.reports.clear()
        after.begin(fx.AdoptVariant(2, cell, 2))
        await after.stage.heard(r.WorkerReady)
        after.generation = 2
        worker = live._workers.of(S)
        assert worker is not None
        # Without a cell, so that what is lost with it can be told.
        async with asyncio.timeout(20):
            while not worker.known.is_told:
                await asyncio.to_thread(os.sched_yield)
        assert list(worker.known.names) == ["x"]
        after.begin(fx.ExecuteInWorker(2, CellId("c9"), "x"))
        ended = await after.stage.heard(r.CellEnded)
        assert isinstance(ended.ending, r.Succeeded)
        assert ended.ending.value == "2"
        assert r.OutputCameLate not in after.stage.kinds()
        assert worker._tool_calls is not None
        assert worker._tool_calls._listening is not None


async def test_a_trial_goes_on_when_its_daemon_has_ended(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)\n"
    async with live_play(tmp_path) as play:
        cell = play.next_cell()
        play.begin(fx.TryInWorker(1, cell, ("'at once'", f"{waits}'later'")))
        await both_run(play)
        after = await next_daemon(play, tmp_path, cell)
        gate.touch()
        told = await after.stage.heard(r.VariantsTried)
        ended = [one.value or type(one.failure) for one in told.results]
        # The second may have been cut off before it heard of its cell.
        assert ended[0] == "'at once'"
        assert ended[1] in {"'later'", Interrupted}


async def test_of_a_trial_that_was_not_begun_nothing_is_left(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        after = await next_daemon(play, tmp_path, CellId("c7"))
        assert (await after.stage.heard(r.VariantsTried)).problem == NOTHING_LEFT
