"""Signals to processes that are surely the ones that are meant."""

import os
import select
import signal

from hearth.performers.interpreter.inside.processes import start_time
from hearth.performers.interpreter.worker_folder import ProcessId


def open_process(process: ProcessId) -> int | None:
    """A descriptor of the process; None if it is gone, or another one has its number now."""
    try:
        fd = os.pidfd_open(process.pid)
    except (OSError, OverflowError):  # a number that no process can have comes out of a bad file
        return None
    # Asked after opening: from here on the number cannot come to mean another process.
    if process.start is not None and start_time(process.pid) != process.start:
        os.close(fd)
        return None
    return fd


def send(process: ProcessId, number: signal.Signals) -> bool:
    """Send a signal; False if there is nobody to get it."""
    fd = open_process(process)
    if fd is None:
        return False
    try:
        signal.pidfd_send_signal(fd, number)
    except (ProcessLookupError, PermissionError):  # gone, or somebody else's by now
        return False
    finally:
        os.close(fd)
    return True


def wait_closed(fd: int, patience: float = 2.0) -> None:
    """Wait until the process of this descriptor has ended, and close it. For a thread."""
    ended = select.poll()  # which takes any number, however many files a daemon has open
    ended.register(fd, select.POLLIN)
    try:
        ended.poll(patience * 1000)
    finally:
        os.close(fd)


def is_alive(process: ProcessId) -> bool:
    """Whether it runs; a zombie does not."""
    fd = open_process(process)
    if fd is None:
        return False
    try:
        return os.waitid(os.P_PIDFD, fd, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return not _is_zombie(process.pid)
    finally:
        os.close(fd)


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - a file of the system, read whole
            return file.read().rpartition(b")")[2].split()[0] in {b"Z", b"X"}
    except OSError:
        return True
