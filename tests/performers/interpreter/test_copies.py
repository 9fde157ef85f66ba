"""Which copies of an interpreter there are, what they cost, and which have to go."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.live_play import WANTED, S, live_play

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.copies import TOO_HEAVY, KeptCopies
from hearth.performers.interpreter.inside.processes import start_time
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.worker_folder import WorkerFolder

SLEEPS = "import signal; signal.pause()"


class Sleepers:
    """Processes that stand for copies."""

    def __init__(self, folder: WorkerFolder) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        (folder.path / "copies").mkdir()

    def add(self, name: str) -> None:
        """Another copy."""
        made = subprocess.Popen([sys.executable, "-S", "-c", SLEEPS])  # noqa: S603 - ourselves
        self.processes[name] = made
        said = {"name": name, "pid": made.pid, "start": start_time(made.pid)}
        (self.folder.path / "copies" / f"{name}.json").write_text(json.dumps(said))

    def end(self) -> None:
        """Leave none."""
        for one in self.processes.values():
            one.kill()
            one.wait()


@pytest.fixture
def sleepers(runtime: Runtime) -> Iterator[Sleepers]:
    made = Sleepers(runtime.new())
    yield made
    made.end()
    made.folder.remove()


def kept_in(sleepers: Sleepers, most: int = 10) -> KeptCopies:
    """What is kept there."""
    return KeptCopies(sleepers.folder, most, 1 << 40)


def test_they_are_found_by_their_files_in_the_order_of_their_cells(sleepers: Sleepers) -> None:
    for name in ("c10", "c9", "before-4"):
        sleepers.add(name)
    copies = kept_in(sleepers)
    assert copies.kept.cells == ("c9", "c10")
    assert copies.has("before-4")
    assert not copies.has("c1")


def test_one_that_died_is_none(sleepers: Sleepers) -> None:
    sleepers.add("c1")
    sleepers.processes["c1"].kill()
    sleepers.processes["c1"].wait()
    assert kept_in(sleepers).kept.cells == ()


def test_a_file_that_makes_no_sense_is_none(sleepers: Sleepers) -> None:
    for name, text in (("c1", "{"), ("c2", "[]"), ("c3", '{"pid": "x", "start": 1}')):
        (sleepers.folder.path / "copies" / f"{name}.json").write_text(text)
    assert kept_in(sleepers).all() == []


def test_nobody_is_killed_who_only_has_the_number_of_a_copy(sleepers: Sleepers) -> None:
    said = {"name": "c1", "pid": os.getpid(), "start": 1}
    (sleepers.folder.path / "copies" / "c1.json").write_text(json.dumps(said))
    copies = kept_in(sleepers)
    copies.drop_all()
    assert copies.all() == [], "and who has it, is here to say so"


def test_a_new_cell_ends_what_could_be_brought_back(sleepers: Sleepers) -> None:
    for name in ("c1", "c2", "before-9", "c3@before-9", "c7"):
        sleepers.add(name)
    copies = kept_in(sleepers)
    copies.begin(CellId("c4"))
    assert sorted(one.name for one in copies.all()) == ["c1", "c2"]
    assert sleepers.processes["before-9"].wait(10) == -signal.SIGKILL
    assert sleepers.processes["c7"].wait(10) == -signal.SIGKILL


def test_what_lies_ahead_is_laid_aside_and_had_again(sleepers: Sleepers) -> None:
    for name in ("c1", "c3", "c4", "before-9"):
        sleepers.add(name)
    copies = kept_in(sleepers)
    copies.shelve("c2", "before-9")
    assert list(copies.kept.cells) == ["c1"]
    copies.unshelve("before-8")
    assert list(copies.kept.cells) == ["c1"]
    copies.unshelve("before-9")
    assert list(copies.kept.cells) == ["c1", "c3", "c4"]


def test_too_many_lose_the_oldest(sleepers: Sleepers) -> None:
    for number in range(1, 6):
        sleepers.add(f"c{number}")
    copies = kept_in(sleepers, most=3)
    kept, why = copies.bound()
    assert (kept.cells, why) == (("c3", "c4", "c5"), "")
    assert copies.kept.cells == ("c3", "c4", "c5")
    assert sleepers.processes["c1"].wait(10) == -signal.SIGKILL


def test_one_whose_file_cannot_be_taken_away_is_gone_all_the_same(
    sleepers: Sleepers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, **_: object) -> None:
        raise PermissionError(path)

    for number in (1, 2, 5):
        sleepers.add(f"c{number}")
    copies = kept_in(sleepers, most=1)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        copies.begin(CellId("c4"))
        assert sleepers.processes["c5"].wait(10) == -signal.SIGKILL
        kept, _ = copies.bound()
        assert kept.cells == ("c2",)
        assert sleepers.processes["c1"].wait(10) == -signal.SIGKILL
        assert copies.kept.cells == ("c2",)


def test_who_is_woken_is_written_whole(sleepers: Sleepers) -> None:
    kept_in(sleepers).ask_for("c2", "i9", 17)
    found = json.loads((sleepers.folder.path / "wake.json").read_bytes())
    assert found == {"copy": "c2", "request": "i9", "number": 17}


async def test_real_ones_cost_what_was_changed_since(tmp_path: Path) -> None:
    async with live_play(tmp_path) as play:
        await play.run("x = bytearray(b'1') * (64 << 20)", copy=False)
        light = await play.run("y = 1")
        assert light.kept.size < 32 << 20
        heavy = await play.run("x[:] = b'2' * len(x)")
        assert heavy.kept.cells == ("c2", "c3")
        worker = play.live._workers.of(S)
        assert worker is not None
        # No cell waits until they are weighed.
        async with asyncio.timeout(20):
            while worker.copies.kept.size < 60 << 20:
                await asyncio.to_thread(os.sched_yield)
        assert (await play.run("y = 2", copy=False)).kept.size > 60 << 20


async def test_those_that_cost_too_much_go_the_oldest_first(tmp_path: Path) -> None:
    wanted = type(WANTED)(orphan_after=60.0, spares=0, copies=2, copy_bytes=100 << 20)
    async with live_play(tmp_path, wanted) as play:
        ended = [await play.run("y = 1") for _ in range(3)][-1]
        assert ended.kept.cells == ("c2", "c3")
        await play.run("x = bytearray(b'1') * (128 << 20)", copy=False)
        await play.run("y = 2")
        ended = await play.run("x[:] = b'2' * len(x)")
        assert ended.kept.cells == ()
        assert ended.kept.size == 0
        # Before the cell's own end, from which nobody would learn why.
        told = play.stage.reports
        gone = r.CopiesGone(1, ended.kept, TOO_HEAVY)
        assert told.index(gone) < told.index(ended)
