"""What a session's model is writing right now, kept so that whoever joins late misses nothing."""

from typing import Final

from hearth.core.views.open_blocks import (
    MOST_OPEN,
    OpenBlock,
    OpenKind,
    extended,
)
from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.progress import Progress, TextDelta, ThinkingDelta, ToolCallForming

JOINED_AT: Final = 64
"""So many pieces of a block are kept apart before they are joined: joining each would cost the
length of the block every time."""


class _Writing:
    """One block; its newest pieces are not joined yet."""

    __slots__ = ("block", "end", "pieces")

    def __init__(self, block: OpenBlock) -> None:
        self.block = block
        self.end = block.end
        """Of the block with its pieces."""
        self.pieces: list[str] = []

    def add(self, kind: OpenKind, offset: int, text: str) -> None:
        if kind is not self.block.kind or offset != self.end:
            self.block = extended(self.joined(), kind, offset, text)
            self.end = self.block.end
            return
        self.pieces.append(text)
        self.end += len(text)
        if len(self.pieces) >= JOINED_AT:
            self.joined()

    def joined(self) -> OpenBlock:
        if self.pieces:
            text = "".join(self.pieces)
            self.pieces.clear()
            self.block = extended(self.block, self.block.kind, self.block.end, text)
        return self.block


class OpenBlocks:
    """The open blocks of one session. What it keeps is bounded, whatever a model writes."""

    def __init__(self) -> None:
        self._writing: dict[tuple[TurnId, int, int], _Writing] = {}

    def hear(self, progress: Progress) -> None:
        """Take one piece of progress; what is no part of an answer is not kept."""
        match progress:
            case TextDelta():
                self._add(progress, OpenKind.TEXT)
            case ThinkingDelta():
                self._add(progress, OpenKind.THINKING)
            case ToolCallForming(turn=turn, step=step, place=place, name=name):
                forming = OpenBlock(turn, step, place, OpenKind.CALL, name=name)
                self._writing[turn, step, place] = _Writing(forming)
                self._bound()
            case _:
                pass

    def clear(self) -> None:
        """Forget all: it was sealed, or it will never be."""
        self._writing.clear()

    def blocks(self) -> tuple[OpenBlock, ...]:
        """What is being written, in the order of the answer."""
        return tuple(self._writing[key].joined() for key in sorted(self._writing, key=_order))

    def _add(self, delta: TextDelta | ThinkingDelta, kind: OpenKind) -> None:
        key = (delta.turn, delta.step, delta.place)
        writing = self._writing.get(key)
        if writing is None:
            empty = OpenBlock(*key, kind, start=delta.offset)
            writing = self._writing[key] = _Writing(empty)
            self._bound()
        writing.add(kind, delta.offset, delta.text)

    def _bound(self) -> None:
        while len(self._writing) > MOST_OPEN:
            del self._writing[min(self._writing, key=_order)]


def _order(key: tuple[TurnId, int, int]) -> tuple[int, str, int, int]:
    turn, step, place = key
    return (len(turn), turn, step, place)
