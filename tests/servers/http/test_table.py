"""The whole table of routes."""

from hearth.servers.http.editors import operations as editors
from hearth.servers.http.routes import OPERATIONS
from hearth.servers.http.streams import operations as streams
from hearth.servers.http.table import TABLE


def test_it_has_the_routes_of_all_parts_and_each_once() -> None:
    keys = [(one.method, one.path) for one in TABLE]
    assert len(set(keys)) == len(keys)
    for part in (OPERATIONS, streams.OPERATIONS, editors.OPERATIONS):
        assert part
        assert set(keys) >= {(one.method, one.path) for one in part}
