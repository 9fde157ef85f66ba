"""A trial as it is told: that it runs, and what each variant came to."""

from collections.abc import Callable, Sequence

import msgspec

from hearth.clients.agents.undo_text import cells_said
from hearth.clients.agents.variant_columns import side_by_side
from hearth.clients.agents.visible import one_line
from hearth.clients.repl.painting import Paint, author
from hearth.clients.repl.pieces import Piece, Words, aside
from hearth.clients.repl.styling import styled
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId


class TrialTeller:
    """Remembers what is being tried, since only the beginning of a trial has its code."""

    def __init__(self, paint: Paint, width: Callable[[], int] = lambda: 80) -> None:
        self._paint = paint
        self._width = width
        self._codes: dict[CellId, Sequence[str]] = {}

    def begun(self, cell: CellId, variants: Sequence[str]) -> None:
        """These are being tried."""
        self._codes = {cell: variants}  # one at a time

    def ended(self, event: e.TrialEnded, envelope: Envelope, *, is_mine: bool) -> list[Piece]:
        """What came of them, side by side, and how one is kept."""
        codes = self._codes.pop(event.cell, ())
        if event.problem:
            why = f"nothing was tried: {one_line(event.problem)}"
            return aside(self._paint.warning(why))
        whose = "" if is_mine else f"  {author(envelope.origin)}"
        results = [msgspec.to_builtins(one) for one in event.results]
        lines = [
            self._paint.rule(f"{cells_said([event.cell])} tried{whose}"),
            styled(side_by_side(results, codes, self._width()), self._paint, ""),
        ]
        said: list[Piece] = [Words("\n".join(lines))]
        return [*said, *aside(self._paint.dim(".keep N makes one the session, .keep 0 none"))]
