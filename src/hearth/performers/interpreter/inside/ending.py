"""Killing all that descends from a guardian, until nothing of it is left."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from typing import Final

from . import processes

AT_ONCE: Final = 500
_PATIENCE: Final = 60.0


def end_all(kernel: int, spared: Callable[[], set[int]], rest: Callable[[], None]) -> int | None:
    """Kill what descends from this process, but the spared; how the kernel ended, if it did.

    By groups, because the system kills a group at once: whoever forks cannot outrun it.
    """
    kill_group(kernel)
    give_up = time.monotonic() + _PATIENCE
    status: int | None = None
    while time.monotonic() < give_up:
        taken, any_left = _reap(kernel)
        status = taken if taken is not None else status
        left = processes.descendants(os.getpid(), AT_ONCE, spared()) if any_left else []
        if not left:
            break
        for group in {_group_of(pid) for pid in left} - {os.getpgrp()}:
            kill_group(group)
        for pid in left:
            _kill(pid)
        rest()
    return status


def _reap(kernel: int) -> tuple[int | None, bool]:
    """Take everything that ended: how the kernel did, and whether anything is left to wait for."""
    found: int | None = None
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return found, True
            if pid == kernel:
                found = status
    except ChildProcessError:
        return found, False


def _group_of(pid: int) -> int:
    """Its process group; ours if it is gone."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return os.getpgrp()


def kill_group(group: int) -> None:
    """Kill a process group; it is empty if all of it ended meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _kill(pid: int) -> None:
    # It ended by itself meanwhile.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
