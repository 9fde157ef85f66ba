"""A frozen copy that is made before anybody asks for it: between two cells, while nobody waits.

What the session is after a cell it is before the next one. Whatever could change it in between
spoils the copy, and then one is made when the next cell comes.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Any, Final

from . import between, copying, processes, waking

_PAUSE: Final = 0.002
"""The reply of the cell goes first."""


class Ahead:
    """The copy for the next cell of one kernel."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._is_there = False
        self._turn = 0
        """Grows whenever what is being made would be of no use any more."""

    def prepare(self) -> None:
        """In the main thread, when a cell has ended: have it made once nobody waits."""
        self._turn += 1
        self._kernel.io_loop.call_later(_PAUSE, self._make, self._turn)

    def take(self, name: str) -> dict[str, Any] | None:
        """Let it be the copy of this name, as if it had just been made; None if there is none."""
        began = time.perf_counter()
        self._turn += 1
        is_there, self._is_there = self._is_there, False
        if not is_there:
            return None
        found, before = waking.recorded(self._path()), waking.recorded(self._path(name))
        if found is None or not _lives(*found):
            return None
        try:
            waking.note(str(self._path(name)), name, found[0])
            self._path().unlink()
        except OSError:
            self._end()
            return None
        if before is not None:
            waking.end(*before)
        seconds = time.perf_counter() - began
        return {"name": name, "kept": True, "obstacles": [], "seconds": seconds}

    def spoil(self) -> None:
        """Something may be otherwise now than it was."""
        self._turn += 1
        if self._is_there:
            self._is_there = False
            self._end()

    def begin_anew(self) -> None:
        """In a copy that was woken: what is there was made of the kernel that it was not yet."""
        self._turn += 1
        self._is_there = False
        self._end()

    def _make(self, turn: int) -> None:
        if turn != self._turn or between.is_busy(self._kernel):
            return
        made = copying.keep(self._kernel.parent, waking.AHEAD)
        self._is_there = bool(made["kept"])
        if turn != self._turn:  # a cell began beside, in another thread
            self.spoil()

    def _end(self) -> None:
        found = waking.recorded(self._path())
        if found is not None:
            waking.end(*found)
            with contextlib.suppress(OSError):
                self._path().unlink()

    def _path(self, name: str = waking.AHEAD) -> Path:
        folder: Path = self._kernel.parent.folder
        return folder / waking.FOLDER / f"{name}.json"


def _lives(pid: int, start: int) -> bool:
    return processes.start_time(pid) == start and processes.parent(pid) not in {None, os.getpid()}
