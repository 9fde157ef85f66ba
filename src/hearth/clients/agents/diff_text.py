"""What agents did to files, as people read it: unified diffs, the long ones folded."""

from __future__ import annotations

from hearth.clients.agents.lines import (
    ADDED,
    DIM,
    PLACE,
    PLAIN,
    REMOVED,
    STRONG,
    folded,
    shortened,
)
from hearth.clients.agents.visible import one_line, visible

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Iterable, Mapping
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

MOST_LINES: Final = 24
"""Of the diff of one file."""
MOST_LISTED: Final = 50
LONGEST: Final = 300
SIGNS: Final = {"created": "A", "changed": "M", "deleted": "D"}
"""As git writes them."""
BACK: Final = {"created": "comes back", "changed": "changes back", "deleted": "goes away"}
"""What becomes of a file when it is gone back."""


def none_kept(to: str) -> str:
    """That there is nothing files could be taken back to since a block."""
    why = "that is done before an agent of the session changes some"
    return f"no files were kept since {to}, so none go back: {why}"


def changed(
    change: Mapping[str, Any], root: str = "", *, most: int = MOST_LINES, how: str = ""
) -> list[Line]:
    """What a tool did to a file: its name and the diff.

    So many lines of it at `most`, or all if it is 0; `how` says how the rest is seen.
    """
    path = inside(str(change.get("path", "")), root)
    kind = str(change.get("kind", ""))
    head = f"{SIGNS.get(kind, '?')} {path}  {counted(change)}".rstrip()
    return [(STRONG, head), *diffed(text_of(change.get("diff")), most, how)]


def diffed(diff: str, most: int = MOST_LINES, how: str = "") -> list[Line]:
    """The lines of a diff behind its two headers; what is long is folded."""
    lines = [_line(one) for one in visible(diff).rstrip("\n").split("\n")] if diff else []
    while lines and lines[0][1].startswith(("--- ", "+++ ")):
        del lines[0]
    if not most:
        return lines
    return folded([(style, shortened(text, LONGEST)) for style, text in lines], most, how)


def compared(changes: Iterable[Mapping[str, Any]], left_out: int = 0) -> list[Line]:
    """What going back would do, or did, a line for each file."""
    rows = [(str(one.get("kind", "")), one_line(str(one.get("path", ""))), one) for one in changes]
    width = max((len(path) for _, path, _ in rows[:MOST_LISTED]), default=0)
    lines: list[Line] = []
    for kind, path, one in rows[:MOST_LISTED]:
        style = {"created": ADDED, "deleted": REMOVED}.get(kind, PLAIN)
        said = f"  {BACK.get(kind, kind):<12}  {path:<{width}}  {counted(one)}"
        lines.append((style, said.rstrip()))
    more = left_out + max(0, len(rows) - MOST_LISTED)
    return [*lines, (DIM, f"  … and {more} more")] if more else lines


def counted(change: Mapping[str, Any]) -> str:
    """How many lines came and went: `+3 -1`."""
    added, removed = int(change.get("added") or 0), int(change.get("removed") or 0)
    parts = [f"+{added}" if added else "", f"-{removed}" if removed else ""]
    return " ".join(part for part in parts if part)


def files(count: int) -> str:
    """`1 file`, `3 files`."""
    return f"{count} file{'' if count == 1 else 's'}"


def inside(path: str, root: str) -> str:
    """A path as it is called in a project."""
    below = root.rstrip("/") + "/"
    return one_line(path[len(below) :] if root and path.startswith(below) else path)


def text_of(text: Any) -> str:
    """A text, or as much of it as an event has."""
    return str(text.get("head", "")) if isinstance(text, dict) else str(text or "")


def _line(text: str) -> Line:
    match text[:1]:
        case "+":
            return (ADDED, text)
        case "-":
            return (REMOVED, text)
        case "@":
            return (PLACE, text)
        case _:
            return (PLAIN, text)
