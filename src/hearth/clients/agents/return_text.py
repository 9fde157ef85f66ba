"""What going back to a moment would change, or did, as people read it before they say yes."""

from __future__ import annotations

from hearth.clients.agents.diff_text import compared, files
from hearth.clients.agents.lines import DIM, PLAIN, WARNING
from hearth.clients.agents.undo_text import cells_said
from hearth.clients.agents.visible import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

_HOW: Final = {
    "copy": "a copy that is kept takes its place",
    "replay": "rebuilt by running the cells before it again",
    "new": "it begins anew, empty",
}
REMAINS: Final = (
    "databases, other processes and what went over a network stay as they are, whatever is kept"
)
"""What nobody can take back."""


def would_change(seen: Mapping[str, Any]) -> bool:
    """Whether there is anything to take back."""
    return bool(seen.get("blocks") or seen.get("cells") or seen.get("how") or _count(seen))


def previewed(seen: Mapping[str, Any], to: str) -> list[Line]:
    """What a return would change, a line for each part."""
    lines: list[Line] = []
    blocks = int(seen.get("blocks") or 0)
    if not to:
        lines.append((PLAIN, "conversation  goes on where it was"))
    elif blocks:
        leave = (
            "1 block leaves it, and stays" if blocks == 1 else f"{blocks} blocks leave it, and stay"
        )
        lines.append((PLAIN, f"conversation  {leave} in a branch"))
    if seen.get("cells") or seen.get("how"):
        lines.append((PLAIN, f"interpreter   {interpreter(seen)}"))
    if count := _count(seen):
        lines.append((PLAIN, f"files         {files(count)}"))
        changes = list(seen.get("changes") or ())
        lines += compared(changes, int(seen.get("left_out") or 0))
    if seen.get("cells") or count:
        lines.append((DIM, REMAINS))
    return [*lines, *problems(seen)]


def went_back(done: Mapping[str, Any]) -> list[Line]:
    """What a return did: one line, and what is not as it was."""
    to = str(done.get("to") or "")
    parts = []
    if done.get("cells") or done.get("how"):
        parts.append(f"interpreter: {interpreter(done)}")
    if count := _count(done):
        parts.append(files(count))
    where = f"back at {one_line(to)}" if to else "as it was before going back"
    more = f" ({'; '.join(parts)})" if parts else ""
    but = ", but for this:" if done.get("problems") else ""
    return [(PLAIN, f"the session is {where}{more}{but}"), *problems(done)]


def problems(seen: Mapping[str, Any]) -> list[Line]:
    """What cannot be taken back, and why."""
    return [
        (WARNING, f"not taken back: {one_line(str(one))}") for one in seen.get("problems") or ()
    ]


def interpreter(seen: Mapping[str, Any]) -> str:
    """Which cells are taken back, and how."""
    cells = [str(one) for one in seen.get("cells") or ()]
    how = _HOW.get(str(seen.get("how") or ""), "")
    what = f"without {cells_said(cells)}" if cells else ""
    return ", ".join(part for part in (what, how) if part)


def _count(seen: Mapping[str, Any]) -> int:
    return len(seen.get("changes") or ()) + int(seen.get("left_out") or 0)
