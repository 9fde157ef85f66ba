"""What an agent has set out to do, and how far it is."""

from hearth.core.rules.state import SessionState
from hearth.core.vocabulary.deeds import Task, TaskState
from hearth.core.vocabulary.wire import Part


class Tasks(Part, frozen=True):
    """The list of one session, in the order in which it was made."""

    rows: tuple[Task, ...] = ()
    done: int = 0


def tasks(state: SessionState) -> Tasks:
    """The list as it stands."""
    rows = state.talk.tasks
    return Tasks(rows, sum(1 for one in rows if one.state is TaskState.DONE))
