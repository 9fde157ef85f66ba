"""A signal reaches the process that is meant, or nobody."""

import fcntl
import os
import resource
import select
import signal
import subprocess
from collections.abc import Iterator

import pytest

from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.inside.processes import start_time
from hearth.performers.interpreter.worker_folder import ProcessId


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def known(child: subprocess.Popen[bytes]) -> ProcessId:
    return ProcessId(child.pid, start_time(child.pid))


def test_the_process_that_is_meant_gets_the_signal(child: subprocess.Popen[bytes]) -> None:
    assert signalling.is_alive(known(child))
    assert signalling.send(known(child), signal.SIGTERM)
    assert child.wait(timeout=10) == -signal.SIGTERM


def test_another_process_with_the_same_number_gets_none(child: subprocess.Popen[bytes]) -> None:
    earlier = ProcessId(child.pid, (start_time(child.pid) or 0) - 1)
    assert signalling.open_process(earlier) is None
    assert not signalling.is_alive(earlier)
    assert not signalling.send(earlier, signal.SIGKILL)
    assert child.poll() is None, "it was spared"


def test_without_a_start_time_the_number_has_to_do(child: subprocess.Popen[bytes]) -> None:
    assert signalling.is_alive(ProcessId(child.pid))
    assert signalling.send(ProcessId(child.pid), signal.SIGKILL)


def test_a_process_that_ended_and_was_not_taken_yet_is_not_alive(
    child: subprocess.Popen[bytes],
) -> None:
    process = known(child)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert start_time(child.pid) is not None, "its entry is still there"
    assert not signalling.is_alive(process)
    child.wait()
    assert not signalling.is_alive(process)
    assert not signalling.send(process, signal.SIGTERM)


def test_the_end_of_a_process_is_waited_for_however_much_is_open(
    child: subprocess.Popen[bytes],
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        fd = signalling.open_process(known(child))
        assert fd is not None
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 1500)
        os.close(fd)
        child.kill()
        signalling.wait_closed(high)
        assert not signalling.is_alive(known(child))
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(high)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_dead_process_of_somebody_else_is_not_alive() -> None:
    # The child of a parent that does not wait for it, and that does not end by itself.
    shell = "sleep 1000 & echo $!; exec cat"
    with subprocess.Popen(  # noqa: S603 - a program of this test
        ["/bin/sh", "-c", shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        process = ProcessId(pid, start_time(pid))
        watched = os.pidfd_open(pid)
        signalling.send(process, signal.SIGKILL)

        assert select.select([watched], [], [], 10)[0]
        os.close(watched)
        assert not signalling.is_alive(process)
        parent.kill()


@pytest.mark.parametrize("pid", [0, -1, 2**22 + 1, 2**31, 10**30])
def test_numbers_that_no_process_has_are_nobody(pid: int) -> None:
    for process in (ProcessId(pid), ProcessId(pid, 1)):
        assert signalling.open_process(process) is None
        assert not signalling.is_alive(process)
        assert not signalling.send(process, signal.SIGTERM)


def test_no_descriptor_is_left_open(child: subprocess.Popen[bytes]) -> None:
    before = os.listdir("/proc/self/fd")  # noqa: PTH208 - names are enough
    earlier = ProcessId(child.pid, 1)
    for process in (known(child), earlier):
        signalling.is_alive(process)
        signalling.send(process, signal.SIGCONT)
        signalling.open_process(earlier)
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208 - names are enough
