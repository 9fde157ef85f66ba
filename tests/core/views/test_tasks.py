"""The list of tasks; how it comes about is in test_decisions."""

from tests.contracts.given import READY, given

from hearth.core.views.tasks import Tasks, tasks


def test_a_session_begins_without_tasks() -> None:
    assert tasks(given(*READY).state) == Tasks()
