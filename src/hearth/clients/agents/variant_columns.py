"""What the variants of a trial came to, side by side: one column for each, if they fit."""

from __future__ import annotations

from hearth.clients.agents.lines import DIM, PLAIN, STRONG, shortened
from hearth.clients.agents.variant_text import tried, variant

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

NARROWEST: Final = 24
"""Characters of a column; if they are fewer, the variants stand one under the other."""
MOST_LINES: Final = 3
"""Of one line that is folded."""
BETWEEN: Final = " | "


def side_by_side(
    results: Sequence[Mapping[str, Any]], codes: Sequence[str], width: int
) -> list[Line]:
    """Beside each other where that can be read, one under the other where it cannot."""
    count = len(results)
    column = (width - len(BETWEEN) * (count - 1)) // count if count else 0
    if count < 2 or column < NARROWEST:
        return tried(results, codes)
    columns = [
        list(_folded(variant(place + 1, result, _code(codes, place)), column))
        for place, result in enumerate(results)
    ]
    height = max(len(one) for one in columns)
    rows = [
        BETWEEN.join((one[at] if at < len(one) else "").ljust(column) for one in columns).rstrip()
        for at in range(height)
    ]
    return [(PLAIN if at else STRONG, row) for at, row in enumerate(rows)]


def _code(codes: Sequence[str], place: int) -> str:
    return codes[place] if place < len(codes) else ""


def _folded(lines: Sequence[Line], width: int) -> Iterable[str]:
    """The lines of one variant, none of them longer than its column."""
    for style, text in lines:
        rest = text.expandtabs(4)
        # Code and notes are there to recognise it by: one line of them is enough.
        most = 1 if style == DIM else MOST_LINES
        for _ in range(most - 1):
            if len(rest) <= width:
                break
            cut = rest.rfind(" ", width // 3, width + 1)
            cut = width if cut < 0 else cut
            yield rest[:cut].rstrip()
            rest = rest[cut:].lstrip()
        yield shortened(rest, width)
