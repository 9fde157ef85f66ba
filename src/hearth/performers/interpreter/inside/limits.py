"""What a process takes on before it runs somebody's code: descriptors, bounds, surroundings."""

import contextlib
import os
import resource
import signal
import time
from pathlib import Path
from typing import Any, Final

from . import processes

_FIRST_TO_GO: Final = "500"
_LAST_LINE_BYTES: Final = 2000
_NET: Final = 20
"""How many times the allowed processes a user's system lets through before it refuses itself."""


def leave_terminal() -> None:
    """Have a session of our own: no terminal's signals, no group that somebody else ends."""
    try:
        os.setsid()
    except PermissionError:
        # It leads its session already: whoever started it saw to that.
        return


def say(line: str) -> None:
    """Write one line where the process began to write; readers of stdio.log find it there."""
    try:
        os.write(2, f"{line}\n".encode())
    except OSError:
        # Nobody can be told.
        return


def last_said(log: Path) -> str:
    """The last line that was written there."""
    try:
        lines = log.read_bytes()[-_LAST_LINE_BYTES:].decode("utf-8", "replace").strip()
    except OSError:
        return ""
    return lines.splitlines()[-1] if lines else ""


def stand_aside(log: Path) -> None:
    """Leave the guardian as little as it needs, and let it go first when the machine is full."""
    point_streams(log)
    os.chdir("/")
    try:
        # Before everything ordinary: a fork bomb must not keep it from the processor.
        policy = os.SCHED_RR | getattr(os, "SCHED_RESET_ON_FORK", 0)
        os.sched_setscheduler(0, policy, os.sched_param(1))
    except OSError:
        # Only root may. For everybody else the number of processes has a net, see confine().
        return


def confine(folder: Path, settings: dict[str, Any], guardian: int) -> None:
    """Prepare a fresh child to be the kernel."""
    processes.die_with(guardian)
    leave_terminal()
    point_streams(folder / "stdio.log")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = settings.get("memory")
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    _spread_net(settings.get("processes"))
    # A machine without it chooses by size alone.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    signal.set_wakeup_fd(-1)
    for default in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(default, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _surround(settings)


def _spread_net(allowed: int | None) -> None:
    """Have the system refuse what multiplies faster than the guardian looks.

    It counts everything of the user's, so it is set far above what the guardian allows; for root
    it does not count at all.
    """
    if allowed is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    net = processes.running_anywhere() + _NET * allowed
    if hard == resource.RLIM_INFINITY or net < hard:
        resource.setrlimit(resource.RLIMIT_NPROC, (net, net))


def _surround(settings: dict[str, Any]) -> None:
    environment = settings.get("environment")
    if environment is not None:
        os.environ.clear()
        os.environ.update(environment)
    for name in [name for name in os.environ if name.startswith(("JPY_", "HEARTH_BORROW"))]:
        del os.environ[name]
    time.tzset()
    directory = settings.get("directory")
    if directory:
        try:
            os.chdir(directory)
        except OSError as refused:
            raise SystemExit(f"cannot work in {directory}: {refused.strerror}") from refused


def point_streams(log: Path) -> None:
    """Have descriptor 0 read nothing, and 1 and 2 write to a file."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(written, 1)
    os.dup2(written, 2)
    for fd in {nothing, written} - {0, 1, 2}:
        os.close(fd)
