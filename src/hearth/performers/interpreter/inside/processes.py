"""What Linux tells about processes, read from /proc: it is asked several times a second."""

import ctypes
import os
import signal
from collections.abc import Collection
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_LIBC: Final = ctypes.CDLL(None)
"""Looked up once: copies of a kernel need it while each page that they touch is copied."""
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt_orphans() -> None:
    """Make every orphaned descendant of this process its child."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent: int) -> None:
    """End this process when its parent ends, also when the parent already did."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def tell_when_orphaned(told: signal.Signals) -> None:
    """Have this process sent a signal when its parent ends; it has its new parent by then."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(told), 0, 0, 0)


def parent(pid: int) -> int | None:
    """The parent of a process that has not ended; None if it has."""
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 and fields[0] not in {b"Z", b"X"} else None


def name(pid: int) -> str:
    """What the system calls it, by the program that it runs."""
    return _read(f"/proc/{pid}/comm").decode("utf-8", "replace").strip()


def command_line(pid: int) -> list[str]:
    """What it was started with."""
    return _read(f"/proc/{pid}/cmdline").decode("utf-8", "replace").split("\0")[:-1]


def _read(path: str) -> bytes:
    """The content, or nothing if the process is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 1 << 20)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _stat(pid: int) -> list[bytes]:
    """The fields of its stat after the name (which may contain anything): state, parent, ..."""
    content = _read(f"/proc/{pid}/stat")
    return content[content.rfind(b")") + 2 :].split()


def start_time(pid: int) -> int | None:
    """When it started, in clock ticks since boot; None if there is no such process.

    With the pid it names a process for ever: pids come back, pairs do not.
    """
    fields = _stat(pid)
    return int(fields[19]) if len(fields) > 19 else None


def children(pid: int) -> list[int]:
    """Its children, those of all its threads. Some may be missing while processes come and go."""
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - several times a second
    except OSError:
        return found
    for task in tasks:
        found.extend(map(int, _read(f"/proc/{pid}/task/{task}/children").split()))
    return found


def descendants(pid: int, most: int = 1 << 22, without: Collection[int] = frozenset()) -> list[int]:
    """What descends from it, parents before children, zombies among them; hardly more than `most`.

    Whoever fights a fork bomb has no time to look at all of it. Those in `without` are left out
    with all that descends from them.
    """
    if not _HAS_CHILDREN:
        return _descendants_by_parent(pid, without)
    found: list[int] = []
    waiting = [pid]
    seen = {pid, *without}
    while waiting and len(found) <= most:
        for child in children(waiting.pop()):
            if child not in seen:
                seen.add(child)
                found.append(child)
                waiting.append(child)
    return found


def _descendants_by_parent(pid: int, without: Collection[int] = frozenset()) -> list[int]:
    """The same on a Linux that was built without lists of children."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - names are enough
        if entry.isdecimal() and int(entry) not in without:
            fields = _stat(int(entry))
            if fields:
                parents.setdefault(int(fields[1]), []).append(int(entry))
    found = list(parents.get(pid, []))
    for child in found:
        found.extend(parents.get(child, []))
    return found


_HAS_CHILDREN: Final = Path("/proc/thread-self/children").exists()


def foreground(pids: list[int]) -> list[int]:
    """Those among them that have the terminal they run at: whom Ctrl-C would reach."""
    found = []
    for pid in pids:
        fields = _stat(pid)
        if len(fields) > 5 and int(fields[4]) != 0 and fields[2] == fields[5]:
            found.append(pid)
    return found


def resident(pids: list[int]) -> int:
    """The bytes they have in memory; what several share is counted for each."""
    total = 0
    for pid in pids:
        fields = _read(f"/proc/{pid}/statm").split()
        total += int(fields[1]) * _PAGE if len(fields) > 1 else 0
    return total


def proportional(pids: list[int]) -> int:
    """The bytes they have in memory; what several share is counted once. Slower."""
    total = 0
    for pid in pids:
        for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                total += int(line.split()[1]) * 1024
                break
    return total


def running_anywhere() -> int:
    """How many threads the machine has: one cheap number that jumps when something multiplies."""
    fields = _read("/proc/loadavg").split()
    return int(fields[3].split(b"/")[1]) if len(fields) > 3 else 0
