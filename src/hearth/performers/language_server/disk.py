"""Files as they are on the disk, for servers to look at. To be called in a thread: it waits."""

import os
import stat
from typing import Final, NamedTuple

LARGEST: Final = 1024 * 1024
"""Nobody writes larger files by hand, and servers take long over them."""


class Stamp(NamedTuple):
    """Tells whether a file may have changed."""

    inode: int
    size: int
    changed: int


class Content(NamedTuple):
    """What is in a file."""

    text: str
    stamp: Stamp


class Unreadable(Exception):
    """There is nothing that a server could look at; the text says why."""


def stamp(path: str) -> Stamp | None:
    """The stamp of a file; None if there is no plain file."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return _stamped(found) if stat.S_ISREG(found.st_mode) else None


def content(path: str) -> Content:
    """The text of a plain file, without following a link. Unreadable."""
    try:
        # Not to be kept waiting by what looks like a file and is none.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Unreadable(f"it cannot be read: {why}") from error
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("it is no plain file")
        data = _read(file)
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror}") from error
    finally:
        os.close(file)
    if len(data) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST // 1024} KiB")
    try:
        return Content(data.decode("utf-8-sig"), _stamped(found))
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8") from error


def _read(file: int) -> bytes:
    data = bytearray()
    while len(data) <= LARGEST and (piece := os.read(file, LARGEST + 1 - len(data))):
        data += piece
    return bytes(data)


def _stamped(found: os.stat_result) -> Stamp:
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
