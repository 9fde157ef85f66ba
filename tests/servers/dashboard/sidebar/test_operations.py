"""The routes of the sidebar."""

from hearth.credentials.standing import Act
from hearth.servers.dashboard.sidebar.operations import OPERATIONS


def test_who_only_looks_changes_nothing() -> None:
    for one in OPERATIONS:
        assert one.act is (Act.LOOK if one.method == "GET" else Act.WORK)
        assert one.path.startswith("/dashboard/")
        assert (one.takes is not None) == (one.method == "POST")


def test_no_route_is_there_twice() -> None:
    keys = [(one.method, one.path) for one in OPERATIONS]
    assert len(keys) == len(set(keys))
