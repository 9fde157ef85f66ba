"""What was taken back of an interpreter, and what still can be, as people read it."""

from __future__ import annotations

from hearth.clients.agents.visible import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

RUN: Final = 3
"""So many numbers in a row are written as `c3 to c5`."""
CHOSEN: Final = {
    "everyone": "from now on a copy is kept before every cell",
    "agents": "from now on a copy is kept before each cell of an agent",
    "nobody": "from now on no copies are kept: new cells cannot be taken back",
}
"""What was chosen, by its name on the wire."""


def cells_said(cells: Sequence[str]) -> str:
    """`c3`, `c3 and c4`, `c3 to c9, c12 and c14`."""
    groups: list[list[str]] = []
    for cell in cells:
        if groups and _number(cell) == _number(groups[-1][-1]) + 1:
            groups[-1].append(cell)
        else:
            groups.append([cell])
    parts: list[str] = []
    for group in groups:
        names = [one_line(one) for one in group]
        parts += [f"{names[0]} to {names[-1]}"] if len(names) >= RUN else names
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def taken_back(cells: Sequence[str]) -> str:
    """`c3 to c9 were taken back`."""
    return f"{cells_said(cells)} {_were(cells)} taken back"


def brought_back(cells: Sequence[str]) -> str:
    """`c3 is there again`."""
    are = "is" if len(cells) == 1 else "are"
    return f"{cells_said(cells)} {are} there again; nothing was run again"


def left(kept: Mapping[str, Any]) -> str:
    """What can still be taken back, and what that takes."""
    cells = [str(one) for one in kept.get("cells") or ()]
    if not cells:
        return "nothing more can be taken back"
    size = int(kept.get("size") or 0)
    takes = f" ({sized(size)} of copies)" if size else ""
    return f"can still be taken back: {cells_said(cells)}{takes}"


def sized(size: int) -> str:
    """Bytes for people."""
    if size < 1024 * 1024:
        return f"{max(1, round(size / 1024))} KB" if size else "0 KB"
    megabytes = size / 1024 / 1024
    return f"{megabytes:.0f} MB" if megabytes < 1024 else f"{megabytes / 1024:.1f} GB"


def not_kept(cell: str, obstacles: Sequence[str]) -> str:
    """Why a cell cannot be taken back."""
    why = "; ".join(one_line(one) for one in obstacles) or "no copy could be made"
    return f"{one_line(cell)} cannot be taken back: {why}"


def _were(cells: Sequence[str]) -> str:
    return "was" if len(cells) == 1 else "were"


def _number(cell: str) -> int:
    digits = cell[1:]
    # What is no cell's name follows upon nothing.
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 19 else -2
