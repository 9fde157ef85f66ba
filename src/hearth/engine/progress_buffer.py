"""Progress waiting for one follower: bounded, coalesced per block, oldest dropped first."""

from collections import deque
from dataclasses import dataclass
from math import inf
from sys import getsizeof
from typing import Final, TypeAlias

from msgspec.structs import astuple, replace

from hearth.api import Shown
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import (
    DisplayShown,
    OutputChunk,
    OutputCleared,
    Progress,
    ProgressDropped,
    TextDelta,
    ThinkingDelta,
    ToolOutput,
)

MOST_ITEMS: Final = 1024
MOST_BYTES: Final = 3 * 1024 * 1024
"""Of memory, not of text: what is written in small pieces or wide characters takes many times its
length. With the rows that lie ahead of it and all that is not counted, a follower that never reads
stays below 4 MiB."""
PIECE: Final = 64 * 1024
"""Chunks of one block are joined up to this size, so that dropping one drops little."""
PER_ITEM: Final = 512
"""What an item takes beside its texts."""
PER_TEXT: Final = 16
"""What a text takes in the list of its item."""

Block: TypeAlias = tuple[SessionId, str, str] | tuple[SessionId, str, str, int, int]
"""What a piece of text is a part of: an output of a cell, of a tool, a block of an answer."""

Chunk: TypeAlias = OutputChunk | ToolOutput | TextDelta | ThinkingDelta
_CHUNKS: Final = (OutputChunk, TextDelta, ThinkingDelta, ToolOutput)


@dataclass(slots=True)
class _Waiting:
    """One piece of progress; the texts of a block's chunks gather in `texts`."""

    order: int
    session: SessionId
    progress: Progress
    texts: list[str] | None
    size: int
    block: Block | None
    end: int = 0
    """Of a block of an answer: where in it the next piece belongs."""


class ProgressBuffer:
    """What a follower has yet to be shown."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._open: dict[Block, _Waiting] = {}
        self._size = 0
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def size(self) -> int:
        """The memory that what waits takes, in bytes."""
        return self._size

    def add(self, order: int, session: SessionId, progress: Progress) -> None:
        """Take one piece; `order` says where it belongs among what else the follower gets."""
        if isinstance(progress, _CHUNKS):
            self._add_chunk(order, session, progress)
        else:
            self._close_blocks(session, progress)
            self._append(_Waiting(order, session, progress, None, _size(progress), None))
        while len(self._waiting) > MOST_ITEMS or self._size > MOST_BYTES:
            self._pop_oldest()
            self._dropped += 1

    def take(self, before: float = inf) -> list[tuple[int, Shown]]:
        """What waits, in order, beginning with a word about what was dropped.

        `before`: only what belongs before this place.
        """
        taken: list[tuple[int, Shown]] = []
        while self._waiting and self._waiting[0].order < before:
            first = self._pop_oldest()
            if self._dropped:
                taken.append((first.order, Shown(first.session, ProgressDropped(self._dropped))))
                self._dropped = 0
            taken.append((first.order, _shown(first)))
        return taken

    def _add_chunk(self, order: int, session: SessionId, chunk: Chunk) -> None:
        block, offset = _block(session, chunk)
        size = PER_TEXT + getsizeof(chunk.text)
        gathering = self._open.get(block)
        if (
            gathering is not None
            and gathering.texts
            and gathering.size + size <= PIECE
            and (offset is None or offset == gathering.end)
        ):
            gathering.texts.append(chunk.text)
            gathering.size += size
            gathering.end += len(chunk.text)
            self._size += size
            return
        end = (offset or 0) + len(chunk.text)
        waiting = _Waiting(order, session, chunk, [chunk.text], PER_ITEM + size, block, end)
        self._open[block] = waiting
        self._append(waiting)

    def _close_blocks(self, session: SessionId, progress: Progress) -> None:
        """What is written after a display, or after all was cleared, stays behind it."""
        if isinstance(progress, DisplayShown | OutputCleared):
            for stream in ("stdout", "stderr"):
                self._open.pop((session, progress.cell, stream), None)

    def _append(self, waiting: _Waiting) -> None:
        self._waiting.append(waiting)
        self._size += waiting.size

    def _pop_oldest(self) -> _Waiting:
        oldest = self._waiting.popleft()
        self._size -= oldest.size
        if oldest.block is not None and self._open.get(oldest.block) is oldest:
            del self._open[oldest.block]
        return oldest


def _size(progress: Progress) -> int:
    """What it takes in memory, with the pictures it shows."""
    parts = [*astuple(progress)]
    if isinstance(progress, DisplayShown):
        parts += progress.data.bundle.values()
    return PER_ITEM + sum(map(getsizeof, parts))


def _block(session: SessionId, chunk: Chunk) -> tuple[Block, int | None]:
    """What a piece is a part of, and where in it: None, if that is always at its end."""
    # By hand, the most frequent first: this is done for every follower and every piece.
    if isinstance(chunk, OutputChunk):
        return (session, chunk.cell, chunk.stream), None
    if isinstance(chunk, TextDelta):
        return (session, "text", chunk.turn, chunk.step, chunk.place), chunk.offset
    if isinstance(chunk, ThinkingDelta):
        return (session, "thinking", chunk.turn, chunk.step, chunk.place), chunk.offset
    return (session, chunk.call, "tool"), None


def _shown(waiting: _Waiting) -> Shown:
    progress = waiting.progress
    if isinstance(progress, _CHUNKS) and waiting.texts and len(waiting.texts) > 1:
        progress = replace(progress, text="".join(waiting.texts))
    return Shown(waiting.session, progress)
