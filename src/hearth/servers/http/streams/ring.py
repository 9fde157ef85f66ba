"""The newest frames of a channel, in the chunks in which they are sent, within a bound."""

from collections import deque
from collections.abc import Sequence
from typing import Final

ROOM: Final = 1024 * 1024
"""Bytes that are kept for those who are a little behind."""
PER_FRAME: Final = 80
"""What a frame takes in memory beside its bytes, about."""
SHOWN: Final = 0
FILLING: Final = -1


class Chunk:
    """Frames that are sent together. One object, shared by all who send it."""

    __slots__ = ("_marks", "data", "first", "last", "shown")

    def __init__(self, frames: Sequence[tuple[int, bytes]]) -> None:
        """`frames`: each with its seq; progress with SHOWN, and what is neither with FILLING."""
        self.data = b"".join([frame for _, frame in frames])
        marks, end = [], 0
        for seq, frame in frames:
            end += len(frame)
            marks.append((seq, end))
        self._marks = marks
        rows = [seq for seq, _ in frames if seq > 0]
        self.first = rows[0] if rows else 0
        """The seq of its first row; 0 if there is none."""
        self.last = rows[-1] if rows else 0
        self.shown = sum(seq == SHOWN for seq, _ in frames)
        """How many frames are progress."""

    @property
    def size(self) -> int:
        """What it takes in memory, about."""
        return len(self.data) + PER_FRAME * len(self._marks)

    def part(self, cursor: int, *, live: bool) -> bytes:
        """What is for somebody who has all rows up to the cursor; what is no row only if `live`."""
        if live and (not self.first or cursor < self.first):
            return self.data
        pieces, start = [], 0
        for seq, end in self._marks:
            if seq > cursor if seq > 0 else live:
                pieces.append(self.data[start:end])
            start = end
        return b"".join(pieces)


class Ring:
    """Chunks by consecutive numbers; the oldest are dropped, never the newest."""

    def __init__(self, floor: int | None, room: int = ROOM) -> None:
        self.floor = floor
        """Every row of the channel after this one is here or yet to come; None: nobody knows."""
        self.shown = 0
        """How many frames of progress have ever been added."""
        self._room = room
        self._size = 0
        self._first = 0
        self._chunks: deque[Chunk] = deque()

    @property
    def end(self) -> int:
        """The number of the chunk that comes next."""
        return self._first + len(self._chunks)

    @property
    def size(self) -> int:
        """What all of it takes in memory, about."""
        return self._size

    def add(self, chunk: Chunk) -> None:
        """Add the newest, and drop what there is no more room for."""
        if self.floor is None and chunk.first:
            self.floor = chunk.first - 1
        self._chunks.append(chunk)
        self._size += chunk.size
        self.shown += chunk.shown
        while self._size > self._room and len(self._chunks) > 1:
            oldest = self._chunks.popleft()
            self._first += 1
            self._size -= oldest.size
            self.floor = oldest.last or self.floor

    def since(self, number: int) -> Sequence[Chunk] | None:
        """The chunks from this number on; None if some of them are no longer here."""
        if number < self._first:
            return None
        # From the newest end: nearly everyone wants the last one, and there may be thousands.
        return [self._chunks[-behind] for behind in range(self.end - number, 0, -1)]

    def holds(self, cursor: int) -> bool:
        """Whether every row after the cursor is here or yet to come."""
        return self.floor is not None and self.floor <= cursor

    def place(self, cursor: int) -> int:
        """The number of the first chunk with a row after the cursor."""
        for ahead, chunk in enumerate(self._chunks):
            if chunk.last > cursor:
                return self._first + ahead
        return self.end
