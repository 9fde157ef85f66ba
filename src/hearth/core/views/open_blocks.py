"""What a model is writing right now: pieces of progress put together, however they come.

Each piece says where in its block it belongs, so one that comes twice changes nothing, and after a
gap the block says from where on it is known.
"""

from enum import StrEnum
from typing import Final

from msgspec.structs import replace

from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.progress import Progress, TextDelta, ThinkingDelta, ToolCallForming
from hearth.core.vocabulary.wire import Part

MOST_OPEN: Final = 128
"""Blocks of an answer that are kept while it is written; the oldest go first."""
MOST_CHARACTERS: Final = 256 * 1024
"""Of one block; its beginning goes first."""


class OpenKind(StrEnum):
    """What is being written."""

    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"


class OpenBlock(Part, frozen=True):
    """A block that is not complete yet."""

    turn: TurnId
    step: int
    place: int
    """Within the answer, counted from 0."""
    kind: OpenKind
    text: str = ""
    start: int = 0
    """So many characters before `text` are not known here."""
    name: str = ""
    """Of the tool that is about to be called."""

    @property
    def end(self) -> int:
        """So many characters of it were written."""
        return self.start + len(self.text)


def heard(blocks: tuple[OpenBlock, ...], progress: Progress) -> tuple[OpenBlock, ...]:
    """The open blocks, in their order, after one more piece of progress."""
    match progress:
        case TextDelta(turn=turn, step=step, place=place):
            empty = OpenBlock(turn, step, place, OpenKind.TEXT, start=progress.offset)
        case ThinkingDelta(turn=turn, step=step, place=place):
            empty = OpenBlock(turn, step, place, OpenKind.THINKING, start=progress.offset)
        case ToolCallForming(turn=turn, step=step, place=place, name=name):
            return _with(blocks, OpenBlock(turn, step, place, OpenKind.CALL, name=name))
        case _:
            return blocks
    known = next((one for one in blocks if _key(one) == _key(empty)), empty)
    return _with(blocks, extended(known, empty.kind, progress.offset, progress.text))


def extended(block: OpenBlock, kind: OpenKind, offset: int, text: str) -> OpenBlock:
    """A block with a piece that belongs at `offset`."""
    if block.kind is not kind or offset > block.end:
        # Of what lies between nothing is known; whoever reads sees that by `start`.
        block = replace(block, kind=kind, text="", start=offset, name="")
    new = text[block.end - offset :]
    if not new:
        return block
    whole = block.text + new
    lost = max(0, len(whole) - MOST_CHARACTERS)
    return replace(block, text=whole[lost:], start=block.start + lost)


def without_step(blocks: tuple[OpenBlock, ...], turn: TurnId, step: int) -> tuple[OpenBlock, ...]:
    """Those of other steps."""
    return tuple(one for one in blocks if (one.turn, one.step) != (turn, step))


def without_first(blocks: tuple[OpenBlock, ...], turn: TurnId, step: int) -> tuple[OpenBlock, ...]:
    """Without the first of this step, because it was sealed: they are sealed in their order."""
    for place, one in enumerate(blocks):
        if (one.turn, one.step) == (turn, step):
            return (*blocks[:place], *blocks[place + 1 :])
    return blocks


def _with(blocks: tuple[OpenBlock, ...], block: OpenBlock) -> tuple[OpenBlock, ...]:
    if blocks and _key(blocks[-1]) == _key(block):
        return (*blocks[:-1], block)  # nearly always
    others = [one for one in blocks if _key(one) != _key(block)]
    return tuple(sorted((*others, block), key=_order))[-MOST_OPEN:]


def _key(block: OpenBlock) -> tuple[TurnId, int, int]:
    return (block.turn, block.step, block.place)


def _order(block: OpenBlock) -> tuple[int, str, int, int]:
    return (len(block.turn), block.turn, block.step, block.place)
