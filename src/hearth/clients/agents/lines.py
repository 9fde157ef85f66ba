"""A line for people, and how it is to look. Whoever shows it knows the colours."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Sequence
    from typing import Final, TypeAlias

    Line: TypeAlias = tuple[str, str]
    """A style, and the text."""

PLAIN: Final = "plain"
STRONG: Final = "strong"
"""To be seen first."""
DIM: Final = "dim"
"""For those who look for it."""
WARNING: Final = "warning"
ADDED: Final = "added"
REMOVED: Final = "removed"
PLACE: Final = "place"
"""Where something is: of a diff, which lines."""
STYLES: Final = (PLAIN, STRONG, DIM, WARNING, ADDED, REMOVED, PLACE)


def folded(lines: Sequence[Line], most: int, how: str) -> list[Line]:
    """The first of them, and a line that says how many more there are and `how` to see them."""
    # One line that says that there is one more takes as much room as that one.
    if len(lines) <= most + 1:
        return list(lines)
    hint = f"; {how}" if how else ""
    return [*lines[:most], (DIM, f"… {len(lines) - most} more lines{hint}")]


def shortened(text: str, most: int) -> str:
    """The beginning of a line that is too long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
