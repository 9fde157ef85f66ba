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
_GUARDIAN_NICE: Final = -5


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


def stand_aside(log: Path) -> None:
    """Leave the guardian as little as it needs, and let it go first when the machine is full."""
    _point_streams(log)
    os.chdir("/")
    try:
        os.setpriority(os.PRIO_PROCESS, 0, _GUARDIAN_NICE)
    except OSError:
        # Only root may. Others have it a little harder against a fork bomb.
        return


def confine(folder: Path, settings: dict[str, Any], guardian: int) -> None:
    """Prepare a fresh child to be the kernel."""
    processes.die_with(guardian)
    leave_terminal()
    _point_streams(folder / "stdio.log")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = settings.get("memory")
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    # A machine without it chooses by size alone.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    signal.set_wakeup_fd(-1)
    for default in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(default, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _surround(settings)


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


def _point_streams(log: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(written, 1)
    os.dup2(written, 2)
    for fd in {nothing, written} - {0, 1, 2}:
        os.close(fd)
