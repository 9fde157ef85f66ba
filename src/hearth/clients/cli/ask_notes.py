"""What a person should know of a turn beside its answer: a few lines for an event."""

from __future__ import annotations

from hearth.clients.agents.diff_text import MOST_LINES, changed
from hearth.clients.agents.lines import DIM, PLAIN, WARNING
from hearth.clients.agents.task_text import task_line
from hearth.clients.agents.visible import one_line
from hearth.clients.cli.kept_texts import beginning_of, whole
from hearth.clients.cli.pending import ANSWERS
from hearth.clients.cli.showing import clean

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.agents.lines import Line
    from hearth.clients.cli.kept_texts import Fetch


FULL: Final = "--full shows all"


def noted(kind: str, event: dict[str, Any], envelope: dict[str, Any]) -> list[Line]:
    """The lines; none if there is nothing to say."""
    match kind:
        case "message_queued":
            said = f"waiting: the agent is busy; it hears {event.get('message')} next"
        case "conversation_compacted":
            said = "note: a summary stands in the place of what was said long ago"
        case "compaction_failed":
            said = f"note: the conversation stays as long as it is: {clean(str(event.get('why')))}"
        case "approval_answered":
            said = _answered(event, envelope)
        case "task_changed":
            return [task_line(event.get("task") or {})]
        case "tool_refused":
            return [(WARNING, refused(event))]
        case _:
            return []
    return [(PLAIN, said)]


def refused(event: dict[str, Any]) -> str:
    """Why a call is not run, and by which rule."""
    said = [
        f"{need.get('permission')} {one_line(str(need.get('target', '')))}"
        f" ({one_line(str(one.get('by', '')))})"
        for one in event.get("judged") or ()
        if (need := one.get("need") or {})
    ]
    return f"✗ {one_line(str(event.get('name', '')))} is not allowed: {'; '.join(said)}"


def diffs(event: dict[str, Any], root: str, fetch: Fetch, *, is_whole: bool) -> list[list[Line]]:
    """What a tool did to files, one after the other; long ones folded unless all is wanted."""
    shown = []
    for change in event.get("changes") or ():
        diff = change.get("diff")
        text = whole(diff, fetch) if is_whole else beginning_of(diff)
        most = 0 if is_whole else MOST_LINES
        lines = changed({**change, "diff": text}, root, most=most, how=FULL)
        if isinstance(diff, dict) and not is_whole:
            lines.append((DIM, f"… and more; {FULL}"))
        shown.append(lines)
    return shown


def _answered(event: dict[str, Any], envelope: dict[str, Any]) -> str:
    who = one_line(str((envelope.get("origin") or {}).get("name") or "somebody"))
    answer = str(event.get("answer"))
    because = f", with {event['because']}" if event.get("because") else ""
    return f"{event.get('approval')} {ANSWERS.get(answer, answer)} by {who}{because}"
