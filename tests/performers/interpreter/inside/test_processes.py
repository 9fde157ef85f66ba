"""What /proc tells about processes."""

import os
import pty
import signal
import subprocess
import sys

import pytest

from hearth.performers.interpreter.inside import processes

WAIT = "import sys; sys.stdin.read()"


def _waiting(code: str = WAIT) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)  # noqa: S603 - our own words


def test_a_process_is_named_by_when_it_started_and_nobody_by_none() -> None:
    with _waiting() as child:
        started = processes.start_time(child.pid)
        mine = processes.start_time(os.getpid())
        assert started is not None
        assert mine is not None
        assert started >= mine
        assert processes.start_time(child.pid) == started
        child.communicate()
    assert processes.start_time(child.pid) is None


@pytest.mark.parametrize("has_lists", [True, False])
def test_children_of_children_descend_too(
    has_lists: bool,  # noqa: FBT001 - a parameter of the test
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_HAS_CHILDREN", has_lists)
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WAIT!r}])"
    with _waiting(code) as child:
        while len(processes.descendants(child.pid)) < 1:
            os.sched_yield()
        (grandchild,) = processes.descendants(child.pid)
        found = processes.descendants(os.getpid())
        assert {child.pid, grandchild} <= set(found)
        assert found.index(child.pid) < found.index(grandchild)
        assert os.getpid() not in found
        child.communicate()
    assert not {child.pid, grandchild} & set(processes.descendants(os.getpid()))


def test_ctrl_c_reaches_what_has_the_terminal_and_nobody_else() -> None:
    without = _waiting()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv("/bin/sh", ["sh", "-m", "-c", "cat <&0 & echo $!; exec cat"])  # noqa: S606 - our own words
    with without, os.fdopen(terminal, "rb", buffering=0) as screen:
        behind = int(screen.readline())
        assert processes.foreground([pid, behind, without.pid, 2**22 + 1]) == [pid]
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        without.communicate()


def test_whoever_looks_for_a_few_does_not_get_all() -> None:
    # Whatever else this process has started meanwhile: a browser lives as long as it does.
    others = len(list(processes.children(os.getpid())))
    children = [_waiting() for _ in range(4)]
    try:
        assert 2 <= len(processes.descendants(os.getpid(), most=2)) <= others + 4
    finally:
        for child in children:
            child.communicate()


def test_memory_that_is_shared_counts_once_where_it_is_asked_for() -> None:
    me = [os.getpid()]
    assert processes.resident(me) > 10_000_000
    assert 0 < processes.proportional(me) <= processes.resident(me) * 1.2
    assert processes.resident([2**22 + 1]) == 0
    assert processes.proportional([2**22 + 1]) == 0


def test_the_machine_has_threads() -> None:
    assert processes.running_anywhere() > 1
