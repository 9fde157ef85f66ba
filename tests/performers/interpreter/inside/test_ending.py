"""All that descends from a guardian ends, but for those that are spared."""

import os
import select
import signal
import traceback
from collections.abc import Callable

from tests.performers.interpreter.inside.driving import is_alive

from hearth.performers.interpreter.inside import ending, processes


def _in_a_guardian(act: Callable[[], None]) -> None:
    """Run it in a process of its own, which adopts orphans: all that it has is ended there."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = b"ok"
        try:
            os.setsid()
            processes.adopt_orphans()
            act()
        except BaseException:  # noqa: BLE001 - it is told to the test
            told = traceback.format_exc().encode()
        os.write(write, told)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as line:
        told = line.read()
    os.waitpid(child, 0)
    assert told == b"ok", told.decode()


def _sleeper(begin: Callable[[], object] = os.setsid) -> int:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        begin()
        os.close(read)
        os.write(write, b"!")
        os.close(write)
        while True:
            signal.pause()
    os.close(write)
    os.read(read, 1)
    os.close(read)
    return child


def _rest() -> None:
    select.poll().poll(1)


def test_the_way_the_kernel_ended_is_told() -> None:
    def act() -> None:
        status = ending.end_all(_sleeper(), set, _rest)
        assert status is not None
        assert os.WTERMSIG(status) == signal.SIGKILL
        ended = os.fork()
        if ended == 0:
            os._exit(7)
        os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)
        status = ending.end_all(ended, set, _rest)
        assert status is not None
        assert os.WEXITSTATUS(status) == 7

    _in_a_guardian(act)


def test_the_spared_and_what_is_theirs_stay() -> None:
    def act() -> None:
        kernel, copy, stray = _sleeper(), _sleeper(), _sleeper()
        ending.end_all(kernel, lambda: {copy}, _rest)
        assert is_alive(copy)
        assert not is_alive(kernel)
        assert not is_alive(stray)
        assert processes.children(os.getpid()) == [copy], "the others were taken"
        ending.end_all(copy, set, _rest)
        assert processes.children(os.getpid()) == []

    _in_a_guardian(act)


def test_what_left_the_group_of_the_kernel_ends_too() -> None:
    def leave() -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _sleeper()
        _sleeper(lambda: None)

    def act() -> None:
        kernel = _sleeper(leave)
        assert len(processes.descendants(os.getpid())) == 3
        ending.end_all(kernel, set, _rest)
        assert processes.descendants(os.getpid()) == []

    _in_a_guardian(act)


def test_without_children_there_is_nothing_to_end() -> None:
    def act() -> None:
        gone = os.fork()
        if gone == 0:
            os._exit(0)
        os.waitpid(gone, 0)
        assert ending.end_all(gone, set, _rest) is None

    _in_a_guardian(act)


def test_a_group_that_is_gone_is_killed_without_complaint() -> None:
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    ending.kill_group(gone)
