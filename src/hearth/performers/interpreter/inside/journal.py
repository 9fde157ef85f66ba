"""A kernel's numbered record of everything it said, so that a daemon's death loses nothing.

The kernel appends; whoever has persisted a segment deletes it. What is missing (dropped by the
kernel because nobody came, or not written because the disk was full) shows as a gap in the
numbers and in no other way.
"""

import os
import struct
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from .busy import read_plain

SEGMENT_BYTES: Final = 1 << 20
KEPT_SEGMENTS: Final = 64
LARGEST_SEGMENT: Final = 1 << 29
"""One has a single record if that is larger than a segment; nothing is as large as this."""
SUFFIX: Final = ".journal"
IOPUB: Final = b"i"
REPLY: Final = b"r"

_HEAD: Final = struct.Struct(">IQcH")
"""How many bytes follow the first field; number; channel; how many frames."""
_FRAME: Final = struct.Struct(">I")
_LENGTH: Final = struct.Struct(">I")

Record = tuple[int, bytes, list[bytes]]


class Writer:
    """Appends records to a folder. Safe to use from several threads; never raises for the disk."""

    def __init__(
        self,
        folder: Path,
        *,
        segment_bytes: int = SEGMENT_BYTES,
        kept: int = KEPT_SEGMENTS,
        after: int = 0,
    ) -> None:
        """The first record comes behind all that are there, and behind the number `after`."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = str(folder)
        self._segment_bytes = segment_bytes
        self._kept = kept
        self._lock = threading.Lock()
        self._fd = -1
        self._inode = -1
        self._size = 0
        self._segments, last = _left(folder)
        self._number = max(last, after)

    @property
    def number(self) -> int:
        """The number of the last record; 0 before the first."""
        return self._number

    def let_go(self) -> None:
        """Close the segment, in a copy of the process that writes it."""
        if self._is_ours():
            os.close(self._fd)
        self._fd = -1

    def put(self, channel: bytes, frames: Sequence[bytes | memoryview]) -> int:
        """Append one message and answer its number."""
        record = _encoded(channel, frames)
        with self._lock:
            self._number += 1
            number = self._number
            _LENGTH_AND_NUMBER.pack_into(record, 0, len(record) - _LENGTH.size, number)
            try:
                self._append(number, record)
            except OSError:
                # A full disk costs this record its place in the journal, and the gap in the
                # numbers says so; the message itself is still sent.
                self._forget_torn()
            return number

    def _append(self, number: int, record: bytearray) -> None:
        if self._size + len(record) > self._segment_bytes or not self._is_ours():
            self._begin(number)
        written = os.write(self._fd, record)
        if written != len(record):
            raise OSError(written, "the record was written in part")
        self._size += written

    def _is_ours(self) -> bool:
        """Whether the descriptor is still the segment: code may close any, and open its own."""
        try:
            return self._fd >= 0 and os.fstat(self._fd).st_ino == self._inode
        except OSError:
            return False

    def _begin(self, number: int) -> None:
        if self._is_ours():
            os.close(self._fd)
        self._fd = -1
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(f"{self._folder}/{number:016d}{SUFFIX}", flags, 0o600)
        self._inode = os.fstat(self._fd).st_ino
        if self._segments:
            self._segments[-1] = (self._segments[-1][0], self._size)
        self._segments.append((number, 0))
        self._size = 0
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        bound = self._kept * self._segment_bytes
        while len(self._segments) > 1 and (
            len(self._segments) > self._kept or sum(size for _, size in self._segments) > bound
        ):
            first, _ = self._segments.pop(0)
            try:
                os.unlink(f"{self._folder}/{first:016d}{SUFFIX}")  # noqa: PTH108 - on the path of every message
            except OSError:
                # The daemon persisted it and took it away, or it will be taken with the folder.
                continue

    def _forget_torn(self) -> None:
        try:
            if self._is_ours():
                os.ftruncate(self._fd, self._size)
        except OSError:
            # Then the torn record stays, and the next one begins a segment of its own.
            self._fd = -1


def _left(folder: Path) -> tuple[list[tuple[int, int]], int]:
    """What another process wrote: its segments with their sizes, and the last number in them."""
    found: list[tuple[int, int]] = []
    last = 0
    for first, path in segments(folder):
        try:
            found.append((first, path.stat().st_size))
        except OSError:
            continue  # the daemon took it away
        last = max(last, first - 1)
    if found:
        last = max([last, *(number for number, _, _ in read_after(folder, last))])
        # One that it ended in the first record of has nothing to be read.
        if found[-1][0] == last + 1:
            (folder / f"{last + 1:016d}{SUFFIX}").unlink(missing_ok=True)
            found.pop()
    return found, last


_LENGTH_AND_NUMBER: Final = struct.Struct(">IQ")


def _encoded(channel: bytes, frames: Sequence[bytes | memoryview]) -> bytearray:
    """A record without its length and number, which are known under the lock."""
    record = bytearray(_HEAD.pack(0, 0, channel, len(frames)))
    for frame in frames:
        size = frame.nbytes if isinstance(frame, memoryview) else len(frame)
        record += _FRAME.pack(size)
        record += frame
    return record


def segments(folder: Path) -> list[tuple[int, Path]]:
    """The segments that are there, each with the number of its first record, in order."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names are enough
    except FileNotFoundError:
        return []
    numbered = ((name.removesuffix(SUFFIX), name) for name in names if name.endswith(SUFFIX))
    # The code of cells can put anything there.
    return [(int(number), folder / name) for number, name in numbered if number.isdecimal()]


def read_after(folder: Path, number: int) -> Iterator[Record]:
    """Every record above the number, in order; stops at a record that is being written."""
    there = segments(folder)
    begin = max((at for at, (first, _) in enumerate(there) if first <= number + 1), default=0)
    for _, path in there[begin:]:
        # Nothing is in it if it was dropped since it was listed: a gap in the numbers.
        content = read_plain(path, LARGEST_SEGMENT)
        for record in _decoded(content):
            if record[0] > number:
                yield record


def _decoded(content: bytes) -> Iterator[Record]:
    at = 0
    while at + _HEAD.size <= len(content):
        size, number, channel, count = _HEAD.unpack_from(content, at)
        end = at + _LENGTH.size + size
        if end > len(content):
            return
        at += _HEAD.size
        frames = []
        for _ in range(count):
            (length,) = _FRAME.unpack_from(content, at)
            at += _FRAME.size
            frames.append(content[at : at + length])
            at += length
        yield number, channel, frames
        at = end
