"""The end of a guardian is noticed at once, told in words, and can be brought about."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.reports import Exit
from hearth.performers.interpreter import process_watch
from hearth.performers.interpreter.inside.processes import start_time
from hearth.performers.interpreter.process_watch import ProcessWatch
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder

GUARDIAN = """
import json, os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN if "stubborn" in sys.argv else signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.SIG_DFL)
print("on", flush=True)
sys.stdin.read()
"""


class Guardian:
    """A process that could be a guardian, and the file that it would write."""

    def __init__(self, folder: WorkerFolder, how: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(  # noqa: S603 - a program of this test
            [sys.executable, "-c", GUARDIAN, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"on\n"
        self.id = ProcessId(self.process.pid, start_time(self.process.pid))

    def write(self, end: dict[str, Any] | None, state: str = "running") -> None:
        own = {"pid": self.id.pid, "start": self.id.start}
        told = {"guardian": own, "kernel": own, "state": state, "exit": end}
        (self.folder.path / "guardian.json").write_text(json.dumps(told))

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close(self) -> None:
        with self.process:
            self.process.kill()


@pytest.fixture
def how() -> str:
    return "obedient"


@pytest.fixture
def guardian(tmp_path: Path, how: str) -> Iterator[Guardian]:
    made = Guardian(WorkerFolder(tmp_path), how)
    yield made
    made.close()


class Ended:
    """Counts how often the end was told."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


async def test_the_end_of_a_guardian_is_noticed_and_told_once(guardian: Guardian) -> None:
    ended = Ended()
    watch = ProcessWatch(guardian.folder, ended)
    assert watch.begin(guardian.id)
    assert not watch.is_over
    assert not await watch.gone(0)
    guardian.leave()
    async with asyncio.timeout(10):
        await watch.over()
    assert watch.is_over
    assert await watch.gone(0)
    assert ended.times == 1
    await watch.end()
    watch.close()
    assert ended.times == 1


async def test_a_guardian_that_is_gone_already_is_told_by_the_answer_alone(
    guardian: Guardian,
) -> None:
    ended = Ended()
    for process in (ProcessId(guardian.id.pid, 1), ProcessId(2**22 + 1, 5)):
        watch = ProcessWatch(guardian.folder, ended)
        assert not watch.begin(process), "another process has its number now"
        assert watch.is_over
        await watch.end()
        watch.kill()
    assert guardian.process.poll() is None, "the other process was left alone"
    assert ended.times == 0


async def test_whoever_lets_go_is_told_nothing(guardian: Guardian) -> None:
    ended = Ended()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    watch = ProcessWatch(guardian.folder, ended)
    watch.begin(guardian.id)
    watch.close()
    watch.close()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - names are enough
    guardian.leave()
    await asyncio.to_thread(guardian.process.wait)
    await asyncio.sleep(0)
    assert ended.times == 0


async def test_an_interrupt_goes_to_the_interpreter(guardian: Guardian) -> None:
    watch = ProcessWatch(guardian.folder, Ended())
    watch.begin(guardian.id)
    assert not watch.interrupt(), "nobody has written yet who that is"
    guardian.write(None)
    assert watch.interrupt()
    async with asyncio.timeout(10):
        await watch.over()
    assert guardian.process.wait() == -signal.SIGINT


async def test_an_interrupt_below_spares_the_interpreter(guardian: Guardian) -> None:
    watch = ProcessWatch(guardian.folder, Ended())
    watch.begin(guardian.id)
    assert not watch.interrupt_below(), "nobody has written yet who that is"
    guardian.write(None)
    assert not watch.interrupt_below(), "it runs nothing"
    assert guardian.process.poll() is None
    watch.close()


async def test_ending_waits_until_it_has_ended(guardian: Guardian) -> None:
    watch = ProcessWatch(guardian.folder, Ended())
    watch.begin(guardian.id)
    await watch.end()
    assert watch.is_over
    assert guardian.process.wait() == -signal.SIGTERM


@pytest.mark.parametrize("how", ["stubborn"])
async def test_a_guardian_that_does_not_end_is_killed(
    guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_watch, "ENDING", 0.01)
    guardian.write(None)
    watch = ProcessWatch(guardian.folder, Ended())
    watch.begin(guardian.id)
    await watch.end()
    assert watch.is_over
    assert guardian.process.wait() == -signal.SIGKILL


async def test_a_kill_of_ours_is_told_as_ours_whatever_the_guardian_says(
    guardian: Guardian,
) -> None:
    guardian.write({"code": None, "signal": 9, "reason": "asked", "message": ""}, "ended")
    watch = ProcessWatch(guardian.folder, Ended())
    watch.begin(guardian.id)
    watch.kill()
    async with asyncio.timeout(10):
        await watch.over()
    assert watch.exit().exit is Exit.KILLED


@pytest.mark.parametrize(
    ("end", "kind", "words"),
    [
        ({"code": 0}, Exit.CLEAN, "it ended itself"),
        ({"code": 3}, Exit.CRASH, "exit code 3"),
        ({"code": 78, "message": "no ipykernel"}, Exit.CRASH, "exit code 78: no ipykernel"),
        ({"signal": 11}, Exit.CRASH, "signal 11 (SIGSEGV)"),
        ({"signal": 99}, Exit.CRASH, "signal 99"),
        ({"signal": 9, "reason": "memory", "message": "1 GiB"}, Exit.CRASH, "limit of memory: 1"),
        ({"signal": 9, "reason": "processes", "message": "9"}, Exit.CRASH, "limit of processes: 9"),
        ({"reason": "orphaned", "message": "no daemon came"}, Exit.VANISHED, "no daemon came"),
        ({"signal": 15, "reason": "asked"}, Exit.VANISHED, "by somebody else"),
        (None, Exit.CRASH, "the process that guarded it was killed"),
    ],
)
async def test_every_end_has_its_words(
    guardian: Guardian, end: dict[str, Any] | None, kind: Exit, words: str
) -> None:
    guardian.write(end, "ended")
    (guardian.folder.path / "stdio.log").write_text("Fatal Python error\n")
    found = ProcessWatch(guardian.folder, Ended()).exit()
    assert found.exit is kind
    assert words in found.message
    crashed_itself = end is not None and kind is Exit.CRASH and "reason" not in end
    assert found.traceback == ("Fatal Python error" if crashed_itself else "")


async def test_without_a_word_from_the_guardian_it_is_a_crash(tmp_path: Path) -> None:
    (tmp_path / "guardian.json").write_bytes(b"\xff{")
    found = ProcessWatch(WorkerFolder(tmp_path), Ended()).exit()
    assert found.exit is Exit.CRASH
