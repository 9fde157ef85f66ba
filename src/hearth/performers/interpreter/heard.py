"""How far an interpreter was heard: a mark for the next daemon, and the end of old journals."""

import mmap
import os
import struct
from itertools import pairwise
from pathlib import Path

from hearth.performers.interpreter.inside import journal


class HeardMark:
    """A number that the next daemon finds, written without waiting for a disk."""

    _number = struct.Struct("<Q")

    def __init__(self, path: Path) -> None:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(fd, self._number.size)
            self._bytes: mmap.mmap | None = mmap.mmap(fd, self._number.size)
        finally:
            os.close(fd)

    def read(self) -> int:
        """What was written last, by whichever daemon; 0 if nothing was."""
        found = self._number.unpack(self._bytes[:]) if self._bytes is not None else (0,)
        return int(found[0])

    def write(self, number: int) -> None:
        """Remember it."""
        if self._bytes is not None:
            self._bytes[:] = self._number.pack(number)

    def close(self) -> None:
        """Let go; what was written stays."""
        if self._bytes is not None:
            self._bytes.close()
            self._bytes = None


def unlink_before(folder: Path, number: int) -> None:
    """Remove the segments of a journal that hold nothing above the number."""
    segments = journal.segments(folder)
    for (_, path), (following, _) in pairwise(segments):
        if following <= number + 1:
            path.unlink(missing_ok=True)
