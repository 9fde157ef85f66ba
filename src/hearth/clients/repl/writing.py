"""What a model is writing, as it is told: text line by line, thinking dimmed and folded."""

from collections.abc import Iterable
from typing import Final

from hearth.clients.repl.flowing import Flow
from hearth.clients.repl.marking import Markdown
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece, Words
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import BlockId

MOST_THINKING: Final = 3
"""Lines of thinking that are shown; `.show` has the rest."""
LONGEST_THOUGHT: Final = 240
LONGEST_LIVE: Final = 2_000
NEWEST: Final = "thinking"
"""How `.show` is told of the newest thinking, which has no name yet while it is written."""


class Written:
    """One block of an answer while it is written."""

    def __init__(self, paint: Paint, *, is_thinking: bool) -> None:
        self.is_thinking = is_thinking
        self.flow = Flow()
        self.is_told = False
        self._paint = paint
        self._marks = Markdown(colour=paint.colour)
        self._shown = 0
        self._hidden = 0

    @property
    def live(self) -> str:
        """The line that is being written; the newest thought, where thoughts are folded."""
        line = clean(self.flow.unfinished[-LONGEST_LIVE:], colour=False)
        return self._paint.dim(f"  {line}") if self.is_thinking and line.strip() else line

    def add(self, offset: int, text: str) -> list[Piece]:
        """What was written just now, as far as its lines are whole."""
        return self._lines(self.flow.add(offset, text))

    def cut(self) -> list[Piece]:
        """Its last line, and how much of it was left out: something else follows."""
        return [*self._lines(self.flow.cut()), *self._folds(NEWEST)]

    def fits(self, whole: Text) -> bool:
        """Whether this is what was heard of a sealed text."""
        begun = whole.head if isinstance(whole, Blob) else whole
        heard = self.flow.heard
        return begun.startswith(heard[: len(begun)]) and (
            isinstance(whole, Blob) or len(heard) <= len(begun)
        )

    def sealed(self, whole: Text, block: BlockId) -> list[Piece]:
        """What of the sealed text was not told yet."""
        if isinstance(whole, Blob):
            return self._sealed_apart(whole, block)
        return [*self._lines(self.flow.rest(whole) or ()), *self._folds(block)]

    def _sealed_apart(self, whole: Blob, block: BlockId) -> list[Piece]:
        """A text that is kept apart from its event: what was missed of it is not here."""
        is_all = len(self.flow.heard.encode(errors="replace")) >= whole.size
        begun = self._lines(self.flow.add(0, whole.head)) if self.flow.is_untouched else []
        pieces = [*begun, *self.cut()]
        return pieces if is_all else [*pieces, self._more("there is more", block)]

    def _folds(self, block: str) -> list[Piece]:
        """What was left out of it; told once."""
        hidden, self._hidden = self._hidden, 0
        if not hidden:
            return []
        return [self._more(f"{hidden} more line{'' if hidden == 1 else 's'} of thinking", block)]

    def _more(self, what: str, block: str) -> Words:
        said = f"{self._paint.more} {what}; .show {block} shows all"
        return Words(self._paint.dim(f"  {said}" if self.is_thinking else said), is_aside=True)

    def _lines(self, lines: Iterable[str]) -> list[Piece]:
        shown = self._folded(lines) if self.is_thinking else self._marked(lines)
        self.is_told = self.is_told or bool(shown)
        return [Words("\n".join(shown), is_aside=self.is_thinking)] if shown else []

    def _marked(self, lines: Iterable[str]) -> list[str]:
        """Lines of text; empty ones before the first are left out."""
        shown: list[str] = []
        for line in lines:
            if line.strip() or shown or self.is_told:
                shown.append(self._marks.line(line))
        return shown

    def _folded(self, lines: Iterable[str]) -> list[str]:
        shown: list[str] = []
        for line in lines:
            thought = clean(line, colour=False).strip()
            if not thought:
                continue
            if self._shown >= MOST_THINKING:
                self._hidden += 1
                continue
            self._shown += 1
            if len(thought) > LONGEST_THOUGHT:
                thought = f"{thought[: LONGEST_THOUGHT - 1]}…"
                self._hidden += 1
            shown.append(self._paint.dim(f"  {thought}"))
        return shown
