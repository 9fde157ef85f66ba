"""Tasks are a checklist."""

from hearth.clients.agents.lines import DIM, PLAIN, STRONG, WARNING
from hearth.clients.agents.task_text import checklist, task_line


def test_every_state_has_a_box() -> None:
    def line(state: str) -> tuple[str, str]:
        return task_line({"task": "2", "title": "read\x1b it", "state": state})

    assert line("pending") == (PLAIN, "[ ] 2. read<U+001B> it")
    assert line("in_progress") == (STRONG, "[>] 2. read<U+001B> it")
    assert line("done") == (DIM, "[x] 2. read<U+001B> it")
    assert line("blocked") == (WARNING, "[!] 2. read<U+001B> it")
    assert line("later")[1].startswith("[later] 2.")


def test_the_list_has_what_is_written_about_open_tasks_and_how_many_are_done() -> None:
    tasks = [
        {"task": "1", "title": "look", "state": "done", "description": "not any more"},
        {"task": "2", "title": "mend", "description": "first\nsecond"},
    ]
    assert checklist(tasks, 1) == [
        (DIM, "[x] 1. look"),
        (PLAIN, "[ ] 2. mend"),
        (DIM, "       first"),
        (DIM, "       second"),
        (DIM, "1 of 2 done"),
    ]
    assert len(checklist([], 0)) == 1
