"""The one table of routes."""

from hearth.credentials.standing import Act
from hearth.servers.http.routes import OPERATIONS, STREAM, get
from hearth.servers.http.table import TABLE

LOOKS = {
    *("/logout", "/permissions/explain", "/mcp"),
    *("/dashboard/tabs", "/dashboard/tabs/leave", "/dashboard/panel"),
    "/dashboard/session/switch/{id}",
}
"""Take a body, and change nothing that is anybody else's; or look by themselves at who may."""


def test_no_route_is_in_it_twice() -> None:
    keys = [(one.method, one.path) for one in OPERATIONS]
    assert len(set(keys)) == len(keys)


def test_what_looks_is_asked_for_by_get_and_what_acts_is_not() -> None:
    for one in TABLE:
        if one.method == "GET":
            assert one.act is not Act.WORK, one.path
            assert one.takes is None
        elif one.path not in LOOKS:
            assert one.act is not Act.LOOK, one.path


def test_what_is_about_power_is_the_persons() -> None:
    governed = {(one.method, one.path) for one in TABLE if one.act is Act.GOVERN}
    assert governed == {
        ("POST", "/trust"),
        ("POST", "/codes"),
        ("GET", "/tokens"),
        ("POST", "/tokens"),
        ("DELETE", "/tokens/{name}"),
        ("POST", "/tokens/rotate"),
        ("POST", "/shutdown"),
        ("POST", "/sessions/{id}/approvals/{approval}"),
        ("POST", "/sessions/{id}/rewind"),
        ("GET", "/grants"),
        ("DELETE", "/grants/{grant}"),
        ("POST", "/dashboard/revoke"),
    }


def test_one_route_alone_takes_no_token() -> None:
    assert [one.path for one in TABLE if one.open] == ["/login"]


def test_a_stream_is_known_by_what_it_answers() -> None:
    assert get("/x", "a stream", answers={200: STREAM}).streams
    assert not get("/x", "no stream", answers={200: dict}).streams
