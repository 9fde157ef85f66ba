"""The variables that two sessions hold otherwise, side by side."""

from __future__ import annotations

from hearth.clients.agents.lines import DIM, PLAIN, STRONG, shortened
from hearth.clients.agents.visible import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

MISSING: Final = "-"
LEAST: Final = 16
"""Characters of a column, however narrow the terminal is."""
LONGEST_NAME: Final = 40


def side_by_side(
    found: Sequence[Mapping[str, Any]], titles: tuple[str, str], width: int
) -> list[Line]:
    """Name, type and value on both sides; each line as wide as the terminal at most."""
    if not found:
        return [(DIM, "nothing differs, as far as types, sizes and previews show it")]
    names = [shortened(one_line(str(one.get("name", ""))), LONGEST_NAME) for one in found]
    wide = max(len("name"), *(len(name) for name in names))
    column = max(LEAST, (width - wide - 4) // 2)
    rows = [
        (name, variable(one.get("here"), column), variable(one.get("there"), column))
        for name, one in zip(names, found, strict=True)
    ]
    heads = tuple(shortened(one_line(one), column) for one in titles)
    middle = max(len(heads[0]), *(len(row[1]) for row in rows))
    head: Line = (STRONG, f"{'name':<{wide}}  {heads[0]:<{middle}}  {heads[1]}")
    lines: list[Line] = [
        (PLAIN, f"{name:<{wide}}  {here:<{middle}}  {there}") for name, here, there in rows
    ]
    return [head, *lines]


def variable(one: Mapping[str, Any] | None, most: int) -> str:
    """Type and value of a variable, so many characters at most."""
    if one is None:
        return MISSING
    kind = one_line(str(one.get("value_type") or ""))
    length = one.get("length")
    size = str(one.get("shape") or "") or ("" if length is None else str(length))
    about = f"{kind}[{one_line(size)}]" if size else kind
    preview = one_line(" ".join(str(one.get("preview") or "").split()))
    return shortened(f"{about} {preview}".strip(), most)
