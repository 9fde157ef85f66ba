"""A turn while it is told: whose it is, and what of it is being written."""

from datetime import datetime
from typing import Final, TypeAlias, assert_never

from hearth.clients.repl.live_calls import LiveCalls
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece, Words
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.writing import Written
from hearth.core.views.open_blocks import OpenBlock, OpenKind
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary.blocks import TextBlock, ThinkingBlock
from hearth.core.vocabulary.ids import BlockId, CallId, TurnId
from hearth.core.vocabulary.lines import Purpose

LONGEST_NAME: Final = 80

Delta: TypeAlias = p.TextDelta | p.ThinkingDelta | p.ToolCallForming
"""What a model wrote just now."""


class ToldTurn:
    """A turn that is being told."""

    def __init__(self, turn: TurnId, paint: Paint, *, is_mine: bool) -> None:
        self.id = turn
        self.is_mine = is_mine
        self.purpose: Purpose = "answer"
        self.since: datetime | None = None
        self.model = ""
        self._paint = paint
        self._is_headed = False
        self._step = -1
        self._finished = -1
        self._written: dict[int, Written] = {}
        self._forming = ""
        self._outputs = LiveCalls(paint)

    @property
    def live(self) -> str:
        """What is just being written, called or put out."""
        written = next(reversed(self._written.values()), None)
        if self._forming:
            return self._paint.dim(f"{self._forming} {self._paint.more}")
        if written is not None:
            return written.live
        return self._outputs.live

    def adopt(self) -> None:
        """From here on it is also one's own."""
        if not self.is_mine:
            self.is_mine, self._is_headed = True, False

    def heard(self, delta: Delta) -> list[Piece]:
        """What a model wrote just now, as far as its lines are whole."""
        if delta.step <= self._finished:
            return []  # it comes too late
        if delta.step != self._step:
            self._step, self._written = delta.step, {}
        pieces = [
            piece
            for place, other in self._written.items()
            if place != delta.place
            for piece in other.cut()  # something else has begun: its last line is whole
        ]
        if isinstance(delta, p.ToolCallForming):
            self._forming = clean(f"{self._paint.mark} {delta.name}", colour=False)
            return self.headed(pieces)
        self._forming = ""
        is_thinking = isinstance(delta, p.ThinkingDelta)
        known = self._written.get(delta.place)
        if known is None or known.is_thinking is not is_thinking:
            known = self._written[delta.place] = Written(self._paint, is_thinking=is_thinking)
        return self.headed([*pieces, *known.add(delta.offset, delta.text)])

    def resumed(self, block: OpenBlock) -> list[Piece]:
        """What was being written when we came, as if it came now."""
        return self.heard(_delta(block))

    def put_out(self, call: CallId, head: str, text: str) -> list[Piece]:
        """A tool wrote this; `head` says which one it is."""
        return self._outputs.heard(call, head, text)

    def returned(self, call: CallId, head: str) -> tuple[list[Piece], int]:
        """A tool has ended: the rest of what it wrote, and how many lines that was in all."""
        return self._outputs.returned(call, head)

    def interrupted(self) -> None:
        """Something else was told than what tools write."""
        self._outputs.interrupted()

    def sealed(self, block: BlockId, step: int, content: TextBlock | ThinkingBlock) -> list[Piece]:
        """The rest of a text; all of it, if nothing of it was heard."""
        is_thinking = isinstance(content, ThinkingBlock)
        if self._finished < step == self._step:
            for place, written in self._written.items():
                if written.is_thinking is is_thinking and written.fits(content.text):
                    del self._written[place]
                    return self.headed(written.sealed(content.text, block))
        anew = Written(self._paint, is_thinking=is_thinking)
        return self.headed(anew.sealed(content.text, block))

    def stepped(self, step: int) -> None:
        """The answer is complete."""
        self._finished = max(step, self._finished)
        self._written, self._forming = {}, ""

    def struck(self) -> bool:
        """What was written counts no longer; whether any of it was shown."""
        begun = any(written.is_told for written in self._written.values())
        self._written, self._forming = {}, ""
        return begun

    def headed(self, pieces: list[Piece]) -> list[Piece]:
        """With a line that says who answers, above the first of it."""
        if self._is_headed or not pieces:
            return pieces
        return [self.head(), *pieces]

    def head(self, block: str = "") -> Piece:
        """The line that says who answers, and in which block if that should be known."""
        self._is_headed = True
        name = clean(self.model, colour=False).replace("\n", " ")[:LONGEST_NAME] or "the agent"
        return Words(self._paint.rule(f"{block}  {name}" if block else name), is_aside=True)


def _delta(block: OpenBlock) -> Delta:
    match block.kind:
        case OpenKind.TEXT:
            return p.TextDelta(block.turn, block.step, block.place, block.start, block.text)
        case OpenKind.THINKING:
            return p.ThinkingDelta(block.turn, block.step, block.place, block.start, block.text)
        case OpenKind.CALL:
            return p.ToolCallForming(block.turn, block.step, block.place, block.name)
        case _:
            assert_never(block.kind)
