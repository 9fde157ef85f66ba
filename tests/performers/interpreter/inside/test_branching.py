"""Branches of real kernels: the same session twice, and neither depends on the other."""

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.copies import branch, copies, is_free, printed, undo
from tests.performers.interpreter.inside.driving import (
    Worker,
    is_alive,
    new_folder,
    runtime_folder,
    until,
    worker,
)

from hearth.performers.interpreter.inside import journal, processes

MIB = 1 << 20


@pytest.fixture
def runtime() -> Iterator[Path]:
    with runtime_folder() as folder:
        yield folder


@pytest.fixture
def one(runtime: Path) -> Iterator[Worker]:
    with worker(runtime) as made:
        made.ready().run("import os, sys; x = [1]")
        yield made


def test_both_have_the_same_variables_and_change_their_own(one: Worker, runtime: Path) -> None:
    before = one.kernel
    with branch(one, runtime) as other:
        assert one.kernel == before
        other.run("x.append(2); print('in the branch')")
        one.run("x.append(3); print('in the original')")
        assert (one.run("x").value, other.run("x").value) == ("[1, 3]", "[1, 2]")
        assert "in the branch" not in printed(one)
        assert "in the original" not in printed(other)
        first, _, _ = next(journal.read_after(other.folder / "journal", 0))
        assert first == 1


def test_its_processes_are_its_own(one: Worker, runtime: Path) -> None:
    with branch(one, runtime) as other:
        assert processes.parent(other.kernel) == other.guardian
        assert processes.parent(other.guardian) == one.guardian
        assert os.getsid(other.kernel) == other.kernel
        assert os.getsid(other.guardian) == other.guardian
        assert processes.children(one.kernel) == []
        assert other.client.session.key != one.client.session.key
        assert one.run("os.getpid()").value == str(one.kernel)
        assert other.run("os.getpid()").value == str(other.kernel)
        os.kill(other.guardian, signal.SIGTERM)
        ended = other.ended()
        assert (ended["signal"], ended["reason"]) == (signal.SIGKILL, "asked")
    assert one.run("x").value == "[1]"
    until(lambda: processes.children(one.guardian) == [one.kernel], "nothing of it is left")


def test_who_guards_it_is_written_before_it_is_told(one: Worker, runtime: Path) -> None:
    # A daemon that took over in this moment would end a branch of which nothing is known.
    folder = new_folder(runtime)
    made = one.ask("branch", channel="control", folder=str(folder))
    said = json.loads((folder / "guardian.json").read_text())
    assert (said["guardian"]["pid"], said["kernel"]["pid"]) == (made["guardian"], made["kernel"])
    assert said["guardian"]["start"] == processes.start_time(made["guardian"])
    assert said["state"] == "running"
    with contextlib.closing(Worker(folder, made["guardian"])) as other:
        os.kill(made["guardian"], signal.SIGTERM)
        other.ended()


def test_where_that_cannot_be_written_there_is_no_branch(one: Worker, runtime: Path) -> None:
    folder = new_folder(runtime)
    (folder / ".guardian.json").mkdir()
    made = one.ask("branch", channel="control", folder=str(folder))
    (obstacle,) = made["obstacles"]
    assert obstacle.startswith("no guardian could begin: IsADirectoryError: ")
    assert one.run("x").value == "[1]"
    until(lambda: processes.children(one.guardian) == [one.kernel], "nothing of it is left")


def test_what_ends_the_original_leaves_the_branch(one: Worker, runtime: Path) -> None:
    with branch(one, runtime) as other:
        one.send("shutdown_request", {"restart": False}, channel="control")
        assert one.ended()["code"] == 0
        assert other.run("x").value == "[1]"
        os.kill(other.kernel, signal.SIGKILL)
        assert other.ended()["signal"] == signal.SIGKILL


def test_a_branch_has_no_copies_and_makes_its_own(one: Worker, runtime: Path) -> None:
    one.run("x.append(2)", copy="a")
    with branch(one, runtime) as other:
        assert copies(other) == {}
        other.run("x.append(3)", copy="a")
        undo(one, "a")
        assert (one.run("x").value, other.run("x").value) == ("[1]", "[1, 2, 3]")
        undo(other, "a")
        assert (one.run("x").value, other.run("x").value) == ("[1]", "[1, 2]")


def test_one_that_is_ended_before_it_has_begun_says_so(one: Worker, runtime: Path) -> None:
    for _ in range(5):
        folder = new_folder(runtime)
        made = one.ask("branch", channel="control", folder=str(folder))
        os.kill(made["guardian"], signal.SIGTERM)
        other = Worker(folder, made["guardian"])
        assert other.ended()["reason"] == "asked"
        assert not is_alive(made["kernel"])
        other.close()


def test_a_folder_that_was_not_prepared_is_told_and_costs_nothing(
    one: Worker, runtime: Path
) -> None:
    half = new_folder(runtime)
    (half / "connection.json").unlink()
    is_free(one)
    for folder, missing in ((runtime / "none", "launch.json"), (half, "connection.json")):
        made = one.ask("branch", channel="control", folder=str(folder))
        assert not made["branched"]
        assert made["obstacles"] == [
            (
                "the folder of the branch is not prepared: [Errno 2] No such file or directory: "
                f"'{folder / missing}'"
            )
        ]
    with pytest.raises(RuntimeError, match="folder"):
        one.ask("branch", channel="control")
    assert one.run("x").value == "[1]"
    until(lambda: processes.children(one.guardian) == [one.kernel], "nothing is left")


def _until_ended(dead: Worker, kernel: int) -> None:
    until(lambda: dead.has_ended, "its guardian has ended")
    until(lambda: not is_alive(kernel), "its kernel has ended")


def _until_more(counted: list[int]) -> None:
    before = counted[0]
    until(lambda: counted[0] > before, "the flood goes on")


@pytest.mark.parametrize("victim", ["kernel", "guardian"])
def test_eight_deep_any_one_may_die(runtime: Path, victim: str) -> None:
    with contextlib.ExitStack() as stack:
        line = [stack.enter_context(worker(runtime)).ready()]
        line[0].run("depth = [0]")
        for depth in range(1, 9):
            line.append(stack.enter_context(branch(line[-1], runtime)))
            line[-1].run(f"depth.append({depth})")
        for at in (4, 0, 8):
            dead = line[at]
            kernel = dead.kernel
            os.kill(kernel if victim == "kernel" else dead.guardian, signal.SIGKILL)
            _until_ended(dead, kernel)
            for depth, each in enumerate(line):
                if not each.has_ended:
                    assert each.run("depth").value == str(list(range(depth + 1)))
        assert [each.has_ended for each in line].count(True) == 3
        # Those whose first guardian is gone end like every other.
        for each in line:
            if not each.has_ended:
                os.kill(each.guardian, signal.SIGTERM)
                assert each.ended()["reason"] == "asked"


def test_it_branches_while_another_client_floods_the_control_channel(
    one: Worker, runtime: Path
) -> None:
    over = threading.Event()
    counted = [0]

    def flood() -> None:
        other = Worker(one.folder, one.guardian)
        try:
            while not over.is_set():
                sent = [
                    other.send("hearth_request", {"ask": "ping", "args": {}}, channel="control")
                    for _ in range(50)
                ]
                for each in sent:
                    other.reply_to(each, "control")
                counted[0] += len(sent)
        finally:
            other.client.stop_channels()

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        for count in range(5):
            with branch(one, runtime) as other:
                other.run(f"x.append({count})")
                assert other.run("x").value == f"[1, {count}]"
                _until_more(counted)
    finally:
        over.set()
        thread.join()
    assert counted[0] >= 50
    one.catch_up()
    assert one.run("x").value == "[1]"


def test_memory_is_shared_until_it_is_written_to(one: Worker, runtime: Path) -> None:
    one.run("big = bytearray(b'1') * (300 << 20)")
    before = processes.proportional([one.kernel])
    with branch(one, runtime) as other:
        both = [one.kernel, other.kernel, other.guardian]
        assert other.run("len(big)").value == str(300 * MIB)
        assert processes.proportional(both) - before < 25 * MIB
        other.run("big[:100 << 20] = bytes(100 << 20)")
        assert processes.proportional(both) - before > 90 * MIB
        assert one.run("big[0]").value == "49"


def test_bounds_are_those_of_its_own_folder(one: Worker, runtime: Path) -> None:
    with branch(one, runtime, memory=4000 * MIB, processes=20) as other:
        other.start("import time\nfor _ in range(40):\n    if not os.fork(): time.sleep(30)")
        assert other.ended()["message"] == "more than 20 processes were started"
    assert one.run("x").value == "[1]"


def test_many_branches_leave_nothing(one: Worker, runtime: Path) -> None:
    def left() -> tuple[int, int, int]:
        threads = len(list(Path(f"/proc/{one.kernel}/task").iterdir()))
        fds = [len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in (one.kernel, one.guardian)]
        return threads, fds[0], fds[1]

    def once() -> None:
        folder = new_folder(runtime)
        made = one.ask("branch", channel="control", folder=str(folder))
        other = Worker(folder, made["guardian"])
        other.close()
        assert json.loads((folder / "guardian.json").read_text())["state"] == "ended"

    for _ in range(3):
        once()
    before, memory = left(), processes.resident([one.kernel, one.guardian])
    for _ in range(20):
        once()
    until(lambda: processes.children(one.guardian) == [one.kernel], "no process is left")
    until(lambda: left() == before, "no descriptor and no thread is left")
    assert processes.resident([one.kernel, one.guardian]) - memory < 4 * MIB
