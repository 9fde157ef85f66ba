"""The table tells of every stream of the log."""

from hearth.servers.http.streams.operations import OPERATIONS


def test_streams_only_look_and_can_be_gone_on_with() -> None:
    assert [one.path for one in OPERATIONS] == [
        "/events",
        "/sessions/{id}/events",
        "/sessions/{id}/who",
    ]
    assert {one.act for one in OPERATIONS} == {"look"}
    for one in OPERATIONS:
        assert not one.open
        if one.streams:
            assert "Last-Event-ID" in one.headers
            assert "after" in one.query
