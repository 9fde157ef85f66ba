"""Whole lines to the client, by a thread: one that does not read holds up nobody but itself."""

from __future__ import annotations

import os

# The bare module: what `queue` adds to it nobody needs here.
from _queue import SimpleQueue
from threading import Lock, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Final

MOST: Final = 64 * 1024 * 1024
"""Bytes that may wait to be written before no more is read of the daemon."""


class Output:
    """Lines on their way to a file descriptor. `news` is called when it is gone or has room."""

    def __init__(self, descriptor: int, news: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._news = news
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._lock = Lock()
        self._waiting = 0
        self.is_gone = False
        """Nobody reads there any more."""
        self._thread = Thread(target=self._write, daemon=True)
        self._thread.start()

    @property
    def is_full(self) -> bool:
        """Whether more waits than should."""
        return self._waiting > MOST

    def put(self, line: bytes) -> None:
        """Write this behind everything before."""
        with self._lock:
            self._waiting += len(line)
        self._lines.put(line + b"\n")

    def close(self, patience: float) -> None:
        """Write what waits, for so long at most."""
        self._lines.put(None)
        self._thread.join(patience)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            rest = memoryview(line)
            while rest and not self.is_gone:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except OSError:
                    self.is_gone = True
                    self._news()
            was_full = self.is_full
            with self._lock:
                self._waiting -= len(line) - 1
            if was_full and not self.is_full:
                self._news()
