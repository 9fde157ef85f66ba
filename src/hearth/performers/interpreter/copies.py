"""The frozen copies of one interpreter: which there are, what they cost, and which have to go.

Each is a process that the interpreter left, and a file that names it. The files are the truth:
the next daemon finds them as this one left them.
"""

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Final, NamedTuple

from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.ids import CellId, cell_number
from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.inside import waking
from hearth.performers.interpreter.inside.processes import children
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder

FOREIGN: Final = "only Python interpreters can be copied, and this is one of {language}"
TOO_HEAVY: Final = "copies took more memory than they may"
SHELVED: Final = "@"
"""Between the name of a copy and that of the one with which it can be brought back."""
_SUFFIX: Final = ".json"
_KIB: Final = 1024
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_HUGE: Final = 2048 * _KIB
_TRIES: Final = 40
_BELIEVED: Final = 5
_REST: Final = 0.01
SLACK: Final = 32 * 1024 * _KIB
"""Copies are weighed anew once they may have become so much heavier: to weigh walks all memory."""


class Copy(NamedTuple):
    """One that is there."""

    name: str
    process: ProcessId
    path: Path


class _Looked(NamedTuple):
    """What the system has counted of an interpreter and its copies; cheap to ask for."""

    kernel: int
    held: int
    """Its bytes that are in no file."""
    faults: dict[int, int]
    """Pages that each of the processes was given. Frozen ones are given no more."""
    huge: int
    """Huge pages, those of the whole machine: nobody counts them for one process."""

    def most_since(self, before: "_Looked") -> int:
        """The most bytes that its copies can have come to hold alone since then."""
        pages = sum(now - before.faults.get(pid, 0) for pid, now in self.faults.items())
        freed = max(0, before.held - self.held)
        return pages * _PAGE + (self.huge - before.huge) * _HUGE + freed


class KeptCopies:
    """What an interpreter can be taken back to. What bounds, weighs or drops is for threads."""

    def __init__(self, folder: WorkerFolder, most: int, most_bytes: int) -> None:
        self._folder = folder
        self._files = folder.path / waking.FOLDER
        self._most = most
        self._most_bytes = most_bytes
        self._size = 0
        self._weighed: _Looked | None = None
        self.due = False
        """Whether they are to be weighed, beside whatever else is done."""

    @property
    def kept(self) -> Copies:
        """Those that can be taken back to, and what all of them cost when last weighed."""
        return self._kept(self.all())

    def _kept(self, there: list[Copy]) -> Copies:
        cells = sorted((one.name for one in there if cell_number(one.name)), key=cell_number)
        return Copies(tuple(map(CellId, cells)), self._size if cells else 0)

    def all(self) -> list[Copy]:
        """Those that live, the oldest first."""
        found = []
        for name in self._names():
            path = self._files / f"{name}{_SUFFIX}"
            process = waking.recorded(path)
            if process is not None and signalling.is_alive(one := ProcessId(*process)):
                found.append(Copy(name, one, path))
        return sorted(found, key=lambda one: (one.process.start or 0, one.process.pid))

    def _names(self) -> list[str]:
        """What the files are called, also those of copies that have ended; asked for every cell."""
        try:
            files = os.listdir(self._files)  # noqa: PTH208 - a path for each would take longer
        except OSError:
            return []
        # Not those that are being written.
        written = (one for one in files if one.endswith(_SUFFIX) and not one.startswith("."))
        return [one.removesuffix(_SUFFIX) for one in written]

    def has(self, name: str) -> bool:
        """Whether there is one of this name."""
        return any(one.name == name for one in self.all())

    def any_file(self) -> bool:
        """Whether there may be any: cheap enough to be asked for every cell."""
        return bool(self._names())

    def begin(self, cell: CellId) -> None:
        """A cell begins: what was taken back before it cannot be brought back any more."""
        gone = {name for name in self._names() if not _is_before(name, cell)} - {waking.AHEAD}
        if gone:
            for one in self.all():
                if one.name in gone:
                    self._drop(one)

    def shelve(self, behind: str, under: str) -> None:
        """Lay aside those of later cells than this one, for when that copy brings them back."""
        for one in self.all():
            if cell_number(one.name) > cell_number(behind):
                with contextlib.suppress(OSError):
                    one.path.rename(self._files / f"{one.name}{SHELVED}{under}{_SUFFIX}")

    def unshelve(self, under: str) -> None:
        """Have those again that were laid aside for this one."""
        for one in self.all():
            name, _, shelved = one.name.partition(SHELVED)
            if shelved == under:
                with contextlib.suppress(OSError):
                    one.path.rename(self._files / f"{name}{_SUFFIX}")

    def bound(self) -> tuple[Copies, str]:
        """Drop the oldest until they are as few and as light as is wanted.

        Answers what is left, and why some had to go that nobody would expect to: that each new one
        takes the place of the oldest goes without saying. They are weighed only if they could be
        too heavy by now; else they are `due` to be weighed beside.
        """
        there = self._for_cells()
        for one in there[: max(0, len(there) - self._most)]:
            self._drop(one)
        there = there[max(0, len(there) - self._most) :]
        more = self._at_most(there)
        self.due = more is None or more > SLACK
        if more is not None and self._size + more <= self._most_bytes:
            return self._kept(there), ""
        return self._weighed_out(there)

    def _for_cells(self) -> list[Copy]:
        """All but the one that is there for a cell to come."""
        return [one for one in self.all() if one.name != waking.AHEAD]

    def weigh(self) -> tuple[Copies, str]:
        """Find out what they cost; the oldest go if that is too much. Answers as `bound` does."""
        return self._weighed_out(self._for_cells())

    def _weighed_out(self, there: list[Copy]) -> tuple[Copies, str]:
        guardian, self.due = self._folder.guardian(), False
        self._weighed = None if guardian is None else _looked(guardian.kernel.pid, there)
        self._size = self._weight()
        why = TOO_HEAVY if there and self._size > self._most_bytes else ""
        while there and self._size > self._most_bytes:
            self._drop(there.pop(0), wait=True)
            self._size = self._weight()
        return self._kept(there), why

    def drop_all(self) -> None:
        """None is wanted any more."""
        for one in self.all():
            self._drop(one)

    def ask_for(self, copy: str, request: str, number: int) -> None:
        """Say who is to be woken; the guardian looks when it is told. OSError."""
        asked = {"copy": copy, "request": request, "number": number}
        waking.write(self._folder.path / waking.FILE, asked)

    def withdraw(self) -> None:
        """Nobody waits for it any more: a guardian that has not looked yet does nothing."""
        with contextlib.suppress(OSError):
            (self._folder.path / waking.FILE).unlink()

    def _at_most(self, there: list[Copy]) -> int | None:
        """The most that they can weigh more than when they were weighed; None: nobody knows."""
        guardian, before = self._folder.guardian(), self._weighed
        now = None if guardian is None else _looked(guardian.kernel.pid, there)
        if now is None or before is None or now.kernel != before.kernel:
            return None
        return now.most_since(before)

    def _weight(self) -> int:
        """The bytes that there are more of because of them: what they share is counted once.

        One that is made meanwhile has a share of everything, and makes all others lighter.
        """
        weight = 0
        for attempt in range(_TRIES):
            before = self._seen()
            weight = self._weight_now()
            # Whoever is still there by then is a program that code has started.
            if before == self._seen() and (not before[1] or attempt >= _BELIEVED):
                break
            time.sleep(_REST)
        return weight

    def _seen(self) -> tuple[list[str], list[int]]:
        """Which there are, and the processes that are about to be some."""
        guardian = self._folder.guardian()
        return sorted(self._names()), [] if guardian is None else children(guardian.kernel.pid)

    def _weight_now(self) -> int:
        guardian, there = self._folder.guardian(), self.all()
        if not there or guardian is None:
            return 0
        resident, shared = _memory(guardian.kernel.pid)
        return max(0, shared - resident + sum(_memory(one.process.pid)[1] for one in there))

    def _drop(self, one: Copy, *, wait: bool = False) -> None:
        fd = signalling.open_process(one.process) if wait else None
        signalling.send(one.process, signal.SIGKILL)
        # The folder is the interpreter's: its code can close it. A file that is left names nobody.
        with contextlib.suppress(OSError):
            one.path.unlink()
        if fd is not None:
            signalling.wait_closed(fd)


def _is_before(name: str, cell: CellId) -> bool:
    return 0 < cell_number(name) < cell_number(cell)


def _memory(pid: int) -> tuple[int, int]:
    """What a process has in memory, and its share of that: what others have, too, is divided."""
    resident = shared = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Rss:"):
                resident = int(line.split()[1]) * _KIB
            elif line.startswith(b"Pss:"):
                shared = int(line.split()[1]) * _KIB
                break
    return resident, shared


def _looked(kernel: int, there: list[Copy]) -> _Looked | None:
    """What is counted of them now; None if the interpreter has ended."""
    try:
        resident, in_files = map(int, Path(f"/proc/{kernel}/statm").read_bytes().split()[1:3])
        faults = {pid: _faults(pid) for pid in (kernel, *(one.process.pid for one in there))}
        huge = Path("/proc/vmstat").read_bytes().partition(b"thp_fault_alloc ")[2].split()[:1]
        return _Looked(kernel, (resident - in_files) * _PAGE, faults, int(huge[0]) if huge else 0)
    except (OSError, ValueError, IndexError):
        return None


def _faults(pid: int) -> int:
    counted = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return int(counted[7]) + int(counted[9])
