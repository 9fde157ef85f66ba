"""Shows what a model writes while it writes it."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import TextDelta, ThinkingDelta, ToolCallForming
from hearth.performers.language_model.codec import CallHeard, Heard, TextHeard, ThinkingHeard

Later: TypeAlias = Callable[[Callable[[], None]], object]
"""Calls something when all that is there has been read."""


class Telling:
    """What followers are shown of one answer, each piece with its place and offset.

    What comes in one read of the network is shown as one piece of each block, however many the
    provider made of it.
    """

    def __init__(self, stage: Stage, turn: TurnId, step: int, later: Later) -> None:
        self._stage = stage
        self._turn = turn
        self._step = step
        self._later = later
        self._heard: list[Heard] = []
        self._offsets: dict[int, int] = {}

    def hear(self, heard: Iterable[Heard]) -> None:
        """Show this soon."""
        is_first = not self._heard
        self._heard += heard
        if is_first and self._heard:
            self._later(self.tell)

    def tell(self) -> None:
        """Show all that was heard and not shown; neighbouring texts of a block as one."""
        all_heard, self._heard = self._heard, []
        kind: type[TextHeard | ThinkingHeard] | None = None
        place, texts = 0, list[str]()
        for one in all_heard:
            if isinstance(one, CallHeard):
                self._show(kind, place, texts)
                kind, texts = None, []
                self._stage.show(ToolCallForming(self._turn, self._step, one.place, one.name))
                continue
            if (type(one), one.place) != (kind, place):
                self._show(kind, place, texts)
                kind, place, texts = type(one), one.place, []
            texts.append(one.text)
        self._show(kind, place, texts)

    def forget(self) -> None:
        """Show nothing of what was heard and not shown."""
        self._heard = []

    def _show(
        self, kind: "type[TextHeard | ThinkingHeard] | None", place: int, texts: list[str]
    ) -> None:
        text = "".join(texts)
        if kind is None or not text:
            return
        offset = self._offsets.get(place, 0)
        self._offsets[place] = offset + len(text)
        shown = TextDelta if kind is TextHeard else ThinkingDelta
        self._stage.show(shown(self._turn, self._step, place, offset, text))
