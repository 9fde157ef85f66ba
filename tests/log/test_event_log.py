"""Every store keeps what the Protocol says."""

from tests.contracts.event_log import EventLogContract

from hearth.log import event_log


class TestEventLog(EventLogContract):
    """On memory, SQLite and PostgreSQL."""


def test_the_tree_in_the_docstring_is_the_tree_of_errors() -> None:
    drawn = {line.split()[1] for line in (event_log.__doc__ or "").splitlines() if "──" in line}
    real = {
        error.__name__
        for error in event_log.LogError.__subclasses__()
        if error.__module__ == event_log.__name__
    }
    assert drawn == real
    assert "LogError" not in drawn
