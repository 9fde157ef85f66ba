"""The routes of the protocol."""

from hearth.credentials.standing import Act
from hearth.servers.http.table import TABLE
from hearth.servers.mcp.operations import OPERATIONS


def test_they_are_in_the_table_and_for_all_who_may_look() -> None:
    assert [one.method for one in OPERATIONS] == ["POST", "GET", "DELETE"]
    assert {one.path for one in OPERATIONS} == {"/mcp"}
    assert all(one in TABLE and one.act is Act.LOOK and not one.open for one in OPERATIONS)
