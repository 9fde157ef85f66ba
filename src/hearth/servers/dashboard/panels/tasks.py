"""What the agent has set out to do, and how far it is."""

from datetime import datetime
from typing import Final

from hearth.core.views.tasks import Tasks
from hearth.core.vocabulary.deeds import Task, TaskState
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import EMPTY, Html, div, joined, li, ol, p, progress, span
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import MOST, hint, left_out, nothing, part
from hearth.servers.dashboard.panels.wording import counted, one_line
from hearth.servers.http.seeing import seen

LONGEST: Final = 500
_STATES: Final = {
    TaskState.PENDING: ("○", "to do"),
    TaskState.IN_PROGRESS: ("◐", "in progress"),
    TaskState.DONE: ("✓", "done"),
    TaskState.BLOCKED: ("■", "blocked"),
}


async def show(looking: Looking, session: SessionId, _: datetime) -> Html:
    """The list as it stands, with how much of it is done."""
    found, _seq = await seen(looking.around.hearth, "tasks", Tasks, session)
    if not found.rows:
        return nothing("The agent has made no list. It makes one when there is much to do.")
    total = len(found.rows)
    # What is still to be done is what people look for when there is more than fits.
    rows = found.rows
    if total > MOST:
        rows = tuple(one for one in rows if one.state is not TaskState.DONE)[:MOST]
    stuck = sum(one.state is TaskState.BLOCKED for one in found.rows)
    said = f"{found.done} of {total} done"
    return part(
        "Tasks",
        progress(value=found.done, max=total, class_="p-progress", aria_label=said),
        hint(f"{counted(stuck, 'task')} blocked") if stuck else EMPTY,
        ol([_row(one) for one in rows], class_="p-tasks", role="list"),
        left_out(len(rows), total, "task"),
        note=said,
    )


def _row(task: Task) -> Html:
    mark, word = _STATES[task.state]
    more = p(one_line(task.description, LONGEST), class_="muted small") if task.description else ""
    return li(
        span(mark, class_="p-task-mark", aria_hidden="true"),
        div(
            joined(span(one_line(task.title, LONGEST), class_="p-task-title"), " "),
            span(word, class_="p-task-state"),
            more,
            class_="grow",
        ),
        class_=f"p-task p-task-{task.state.replace('_', '-')}",
    )
