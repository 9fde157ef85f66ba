"""What an agent's list of tasks answers. It is part of the session: summaries do not touch it."""

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.doing import MOST_TASKS
from hearth.core.rules.rendering import Rendered, failure
from hearth.core.rules.tooling import Tasks
from hearth.core.rules.turning import happen, opened
from hearth.core.vocabulary.deeds import Task, TaskChanged, TaskState


def keep_tasks(then: Consequences, asked: Tasks) -> Rendered:
    """Do what the agent asks of its list, and tell what came of it."""
    match asked.op:
        case "add":
            return _add(then, asked)
        case "update":
            return _update(then, asked)
        case "list":
            tasks = then.state.talk.tasks
            return Rendered("\n".join(map(_line, tasks)) or "There are no tasks.")
        case "get":
            task = _found(then, asked.id)
            return _unknown(then, asked.id) if task is None else Rendered(_whole(task))


def _add(then: Consequences, asked: Tasks) -> Rendered:
    tasks = then.state.talk.tasks
    title = " ".join(asked.title.split())
    if not title:
        return failure("A task needs a title. Nothing was added.")
    if asked.id:
        return failure("The id of a new task is not yours to choose. Nothing was added.")
    if len(tasks) >= MOST_TASKS:
        return failure(f"There are {MOST_TASKS} tasks already. Nothing was added.")
    state = asked.state or TaskState.PENDING
    task = Task(str(len(tasks) + 1), title, asked.description, state)
    happen(then, TaskChanged(opened(then).turn, task))
    return Rendered(f"Added as {task.task}.")


def _update(then: Consequences, asked: Tasks) -> Rendered:
    task = _found(then, asked.id)
    if task is None:
        return _unknown(then, asked.id)
    title = " ".join(asked.title.split()) or task.title
    state = asked.state or task.state
    changed = Task(task.task, title, asked.description or task.description, state)
    if changed == task:
        return Rendered(f"Nothing to change: {_line(task)}")
    happen(then, TaskChanged(opened(then).turn, changed))
    return Rendered(_line(changed))


def _found(then: Consequences, name: str) -> Task | None:
    return next((one for one in then.state.talk.tasks if one.task == name), None)


def _unknown(then: Consequences, name: str) -> Rendered:
    known = ", ".join(one.task for one in then.state.talk.tasks) or "none"
    return failure(f"There is no task {name!r}. There are: {known}.")


def _line(task: Task) -> str:
    return f"{task.task}. [{task.state}] {task.title}"


def _whole(task: Task) -> str:
    return f"{_line(task)}\n{task.description}".rstrip()
