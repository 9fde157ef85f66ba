"""`hearth tasks`: what the agent of a session has set out to do."""

from __future__ import annotations

from hearth.clients.agents.task_text import checklist
from hearth.clients.cli.choosing import live_session
from hearth.clients.cli.messages import quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out
from hearth.clients.cli.styled import styled
from hearth.clients.cli.troubles import OK

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from hearth.clients.cli.parsing import Asked


def carry_out(asked: Asked) -> int:
    """Show the list; the exit code."""
    with reach() as wire:
        session = live_session(wire, asked)
        seen = wire.get(f"/sessions/{quoted(session)}/views/tasks")["value"]
    tasks, done = list(seen.get("rows") or ()), int(seen.get("done") or 0)
    if asked.has("json"):
        emit({"session": session, "tasks": tasks, "done": done})
        return OK
    for line in styled(checklist(tasks, done), indent=""):
        out(line)
    return OK
