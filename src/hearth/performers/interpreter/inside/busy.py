"""One byte beside the kernel that says whether a cell runs, for those who must not ask it."""

import mmap
import os
import stat
from pathlib import Path
from typing import Final

NAME: Final = "busy"
_BUSY: Final = ord("1")
_IDLE: Final = ord("0")


class BusyMark:
    """Written by the kernel through a mapping, which outlives code that closes descriptors."""

    def __init__(self, folder: Path) -> None:
        fd = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(fd, b"0", 0)
            self._byte = mmap.mmap(fd, 1)
        finally:
            os.close(fd)

    def tell(self, *, busy: bool) -> None:
        """Say it."""
        self._byte[0] = _BUSY if busy else _IDLE


def is_busy(folder: Path) -> bool:
    """Whether a cell runs there, as far as the kernel told."""
    return read_plain(folder / NAME, 2) == b"1"


def read_plain(path: Path, most: int) -> bytes:
    """What is in a file, up to so many bytes; nothing if it is not there.

    The code of cells can put something else there: a link to what is not theirs to see, or a pipe
    that whoever opens it would wait at for ever. Neither is read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        with open(fd, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(fd)
