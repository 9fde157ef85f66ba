"""What code asked to be cleaned up at the end is, once, by whichever interpreter is the session."""

from pathlib import Path

from tests.performers.interpreter.live_play import WANTED, LivePlay, T, live_play
from tests.performers.interpreter.test_trials import adopt, folders, tried

from hearth.core.vocabulary import effects as fx
from hearth.performers.interpreter.live import LiveInterpreter

SETTING = """
import atexit, os, tempfile
folder = tempfile.TemporaryDirectory(dir={place!r})
def tell():
    with open({told!r}, 'a') as file: file.write(f'{{os.getpid()}} ')
atexit.register(tell);
"""


class Cleaned:
    """Where a folder is made, and who took it away."""

    def __init__(self, at: Path) -> None:
        self.place = at / "place"
        self.place.mkdir()
        self.told = at / "told"
        self.told.touch()

    async def set_up(self, play: LivePlay) -> None:
        code = SETTING.format(place=str(self.place), told=str(self.told))
        await play.run(code, copy=False)

    @property
    def is_there(self) -> bool:
        return any(self.place.iterdir())

    @property
    def by(self) -> list[str]:
        return self.told.read_text().split()


async def stop(play: LivePlay) -> None:
    """End the session's interpreter, as when somebody stops the session."""
    play.begin(fx.StopWorker(play.generation))
    await play.rest()
    await play.live._workers.ended()


async def test_what_takes_a_while_at_the_end_is_done(tmp_path: Path) -> None:
    cleaned = Cleaned(tmp_path)
    async with live_play(tmp_path / "home") as play:
        await cleaned.set_up(play)
        process = await play.value("os.getpid()")
        await play.run("import time; atexit.register(time.sleep, 1.5)", copy=False)
        await play.live.end_all()
        assert cleaned.by == [process]
        assert not cleaned.is_there


async def test_dropped_variants_leave_it_to_the_session(tmp_path: Path) -> None:
    cleaned = Cleaned(tmp_path)
    async with live_play(tmp_path / "home") as play:
        await cleaned.set_up(play)
        process = await play.value("os.getpid()")
        cell, _ = await tried(play, "1", "folder = None")
        play.begin(fx.DropVariants(1, cell))
        await play.rest()
        assert await folders(play) == 1
        assert cleaned.is_there
        await stop(play)
        assert cleaned.by == [process]
        assert not cleaned.is_there


async def test_the_one_that_is_kept_does_it_and_the_one_it_replaces_does_not(
    tmp_path: Path,
) -> None:
    cleaned = Cleaned(tmp_path)
    async with live_play(tmp_path / "home") as play:
        await cleaned.set_up(play)
        cell, _ = await tried(play, "x = 1", "x = 2")
        await adopt(play, cell, 2)
        assert await folders(play) == 1
        assert cleaned.is_there
        assert cleaned.by == []
        process = await play.value("os.getpid()")
        await stop(play)
        assert cleaned.by == [process]
        assert not cleaned.is_there


async def test_what_waits_to_be_kept_leaves_it_when_all_is_stopped(tmp_path: Path) -> None:
    cleaned = Cleaned(tmp_path)
    async with live_play(tmp_path / "home") as play:
        await cleaned.set_up(play)
        process = await play.value("os.getpid()")
        await tried(play, "1", "2")
        await play.live.end_all()
        assert cleaned.by == [process]
        assert not cleaned.is_there


async def test_the_next_daemon_stops_the_variants_of_this_one_without_it(tmp_path: Path) -> None:
    cleaned = Cleaned(tmp_path)
    async with live_play(tmp_path / "home") as play:
        await cleaned.set_up(play)
        await tried(play, "1", "2")
        await play.live.close()
        play.live = LiveInterpreter(tmp_path / "home", WANTED)
        await play.live.end_all()
        assert cleaned.by == []


async def test_a_branch_leaves_it_to_its_original(tmp_path: Path) -> None:
    cleaned = Cleaned(tmp_path)
    async with live_play(tmp_path / "home") as play:
        await cleaned.set_up(play)
        process = await play.value("os.getpid()")
        assert (await play.live.branch(play.session, T)).obstacles == ()
        there = LivePlay(play.live, T)
        await there.start()
        assert await there.value("os.path.exists(folder.name)") == "True"
        await stop(there)
        assert cleaned.is_there
        assert cleaned.by == []
        await stop(play)
        assert cleaned.by == [process]
        assert not cleaned.is_there
