"""The tree of sessions that branched off from each other."""

from __future__ import annotations

from hearth.clients.agents.lines import DIM, PLAIN, STRONG, shortened
from hearth.clients.agents.visible import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

LONGEST: Final = 30
"""Characters of a name."""
MADE: Final = {"copy": "live copy", "replay": "replayed", "new": "new interpreter"}
"""What the interpreter of a fork was made of."""


def tree(
    branches: Sequence[Mapping[str, Any]], ages: Sequence[str], left_out: int = 0
) -> list[Line]:
    """Each session under the one that it came from, the one that is meant with a star.

    `ages` say when each was last used.
    """
    depths = [int(one.get("depth") or 0) for one in branches]
    rows = [
        (
            "*" if one.get("is_here") else " ",
            _drawn(depths, place) + shortened(one_line(str(one.get("name") or "")) or "-", LONGEST),
            str(one.get("session", "")),
            MADE.get(str(one.get("how") or ""), ""),
            "stopped" if one.get("stopped") else str(one.get("state", "")).replace("_", " "),
            age,
        )
        for place, (one, age) in enumerate(zip(branches, ages, strict=True))
    ]
    sizes = [max((len(row[at]) for row in rows), default=0) for at in range(6)]
    lines: list[Line] = []
    for row in rows:
        text = "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()
        lines.append((STRONG if row[0] == "*" else PLAIN, text))
    if left_out:
        lines.append((DIM, f"   … and {left_out} more"))
    return lines


def _drawn(depths: Sequence[int], place: int) -> str:
    """The branches before a name: whether others of each level still come decides on each."""
    depth = depths[place]
    if not depth:
        return ""
    goes_on = [_has_sibling(depths, place, level) for level in range(1, depth + 1)]
    before = "".join("│  " if one else "   " for one in goes_on[:-1])
    return f"{before}{'├─ ' if goes_on[-1] else '└─ '}"


def _has_sibling(depths: Sequence[int], place: int, level: int) -> bool:
    for depth in depths[place + 1 :]:
        if depth < level:
            return False
        if depth == level:
            return True
    return False
