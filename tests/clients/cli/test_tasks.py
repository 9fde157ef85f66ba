"""`hearth tasks` is the agent's checklist."""

from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.clients.cli.turns import SESSION, listed, row

ROWS = [
    {"task": "1", "title": "look", "state": "done"},
    {"task": "2", "title": "mend", "state": "in_progress"},
]


def test_the_tasks_of_this_directory_are_listed(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here))
    value = {"rows": ROWS, "done": 1}
    daemon.on(f"GET /sessions/{SESSION}/views/tasks", {"value": value, "seq": 7})
    done = run("tasks")
    assert (done.code, done.out) == (0, "[x] 1. look\n[>] 2. mend\n1 of 2 done\n")
    assert run("tasks", "--json").json == {"session": SESSION, "tasks": ROWS, "done": 1}
    assert run("tasks", "--session", SESSION).code == 0


def test_where_there_is_no_session_it_says_so(run: Run, daemon: FakeDaemon, here: str) -> None:
    del here
    listed(daemon)
    done = run("tasks")
    assert done.code == 2
    assert "hearth sessions" in done.err
