"""A branch waits for the session it was made for, and for nobody else."""

from pathlib import Path

from tests.performers.interpreter.live_play import WANTED, LivePlay, S, T, live_play

from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.waiting_branches import NONE


def folders(play: LivePlay) -> int:
    """How many interpreters there are."""
    runtime = play.live._runtime
    return len(list(runtime.workers()))


async def test_it_is_had_by_its_session_once(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1")
        await play.live.branch(S, T)
        there = LivePlay(play.live, T)
        await there.start()
        assert await there.value("x") == "1"
        there.generation = 2
        await there.start()
        assert await there.value("'x' in dir()") == "False"


async def test_one_that_nobody_comes_for_is_ended(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.live.branch(S, T)
        assert folders(play) == 2
        await play.live.drop_branch(T)
        assert folders(play) == 1
        await play.live.drop_branch(T)


async def test_made_twice_the_first_is_ended(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = 1")
        await play.live.branch(S, T)
        await play.run("x = 2")
        await play.live.branch(S, T)
        assert folders(play) == 2
        there = LivePlay(play.live, T)
        await there.start()
        assert await there.value("x") == "2"


async def test_without_an_interpreter_there_is_none(tmp_path: Path) -> None:
    async with live_play(tmp_path, start=False) as play:
        assert (await play.live.branch(S, T)).obstacles == (NONE,)


async def test_one_that_a_daemon_left_waiting_is_ended_by_the_next(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.live.branch(S, T)
        # As if it had been killed: what waits is not ended by it.
        play.live._branches._waiting.clear()
        await play.live.close()
        play.live = LiveInterpreter(tmp_path, WANTED)
        await play.live.open()
        await play.live._workers.ended()
        assert folders(play) == 1
        await play.live.close()
        play.live = LiveInterpreter(tmp_path, WANTED)
