"""An agent's tasks as a checklist."""

from __future__ import annotations

from hearth.clients.agents.lines import DIM, PLAIN, STRONG, WARNING, folded
from hearth.clients.agents.visible import one_line, visible

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

_BOXES: Final = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]", "blocked": "[!]"}
_STYLES: Final = {"in_progress": STRONG, "done": DIM, "blocked": WARNING}
NONE: Final = "the agent has set out to do nothing in particular"


def task_line(task: Mapping[str, Any]) -> Line:
    """One task: `[x] 2. read the tests`."""
    state = str(task.get("state", "pending"))
    box = _BOXES.get(state, f"[{one_line(state)}]")
    title = one_line(str(task.get("title", "")))
    return (_STYLES.get(state, PLAIN), f"{box} {one_line(str(task.get('task', '')))}. {title}")


def checklist(tasks: Sequence[Mapping[str, Any]], done: int) -> list[Line]:
    """All of them with what is written about them, and how many are done."""
    if not tasks:
        return [(DIM, NONE)]
    lines: list[Line] = []
    for task in tasks:
        lines.append(task_line(task))
        about = visible(str(task.get("description", ""))).strip()
        if about and task.get("state") != "done":
            lines += folded([(DIM, f"       {one}") for one in about.split("\n")], 5, "")
    return [*lines, (DIM, f"{done} of {len(tasks)} done")]
