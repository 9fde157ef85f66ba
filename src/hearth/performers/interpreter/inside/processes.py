"""What Linux tells about processes, read from /proc: it is asked several times a second."""

import ctypes
import os
import signal
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt_orphans() -> None:
    """Make every orphaned descendant of this process its child."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent: int) -> None:
    """End this process when its parent ends, also when the parent already did."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


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


def descendants(pid: int, most: int = 1 << 22) -> list[int]:
    """What descends from it, parents before children, zombies among them; hardly more than `most`.

    Whoever fights a fork bomb has no time to look at all of it.
    """
    if not _HAS_CHILDREN:
        return _descendants_by_parent(pid)
    found: list[int] = []
    waiting = [pid]
    seen = {pid}
    while waiting and len(found) <= most:
        for child in children(waiting.pop()):
            if child not in seen:
                seen.add(child)
                found.append(child)
                waiting.append(child)
    return found


def _descendants_by_parent(pid: int) -> list[int]:
    """The same on a Linux that was built without lists of children."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - names are enough
        if name.isdecimal():
            fields = _stat(int(name))
            if fields:
                parents.setdefault(int(fields[1]), []).append(int(name))
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
