"""Which operation a request means."""

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from hearth.servers.http.routes import STREAM, Operation, get, post
from hearth.servers.http.routing import Found, Routing, WrongMethod, app_of, apps_of


async def nothing(_: Request) -> Response:
    return PlainTextResponse("")


OPERATIONS = (
    get("/a", "a"),
    post("/a", "a"),
    get("/a/{id}", "one"),
    post("/a/{id}/b", "two"),
    get("/stream", "s", answers={200: STREAM}),
    get("/open", "o", open=True),
)


def routing(operations: tuple[Operation, ...] = OPERATIONS) -> Routing:
    return Routing(operations, {(one.method, one.path): app_of(nothing) for one in operations})


@pytest.mark.parametrize(
    ("method", "path", "meant", "params"),
    [
        ("GET", "/a", "/a", {}),
        ("HEAD", "/a", "/a", {}),
        ("POST", "/a", "/a", {}),
        ("GET", "/a/x y", "/a/{id}", {"id": "x y"}),
        ("POST", "/a/x/b", "/a/{id}/b", {"id": "x"}),
    ],
)
def test_a_request_means_the_route_of_its_path(
    method: str, path: str, meant: str, params: dict[str, str]
) -> None:
    found = routing().find(method, path)
    assert isinstance(found, Found)
    assert (found.operation.path, dict(found.params)) == (meant, params)


@pytest.mark.parametrize("path", ["/", "/b", "/a/", "/a/x/", "/a/x/b/", "/A", "a", ""])
def test_a_path_that_is_not_exactly_there_is_not_there(path: str) -> None:
    assert routing().find("GET", path) is None


def test_a_wrong_method_is_told_the_right_ones() -> None:
    assert routing().find("DELETE", "/a") == WrongMethod("GET, HEAD, POST")
    assert routing().find("GET", "/a/x/b") == WrongMethod("POST")


@pytest.mark.parametrize("path", ["/stream", "/open"])
def test_where_the_mere_question_would_do_something_there_is_no_head(path: str) -> None:
    assert routing().find("HEAD", path) == WrongMethod("GET")


def test_what_is_not_in_the_table_cannot_be_served() -> None:
    with pytest.raises(AssertionError, match="GET /more"):
        Routing(
            OPERATIONS,
            {
                **{(one.method, one.path): app_of(nothing) for one in OPERATIONS},
                ("GET", "/more"): app_of(nothing),
            },
        )
    with pytest.raises(AssertionError, match="POST /a"):
        Routing(OPERATIONS, {("GET", "/a"): app_of(nothing)})


def test_routes_of_others_are_taken_by_path_and_method() -> None:
    others = [
        Route("/x", nothing),
        Route("/x", nothing, methods=["POST", "DELETE"]),
        Mount("/m", routes=[]),
    ]
    assert set(apps_of(others)) == {("GET", "/x"), ("POST", "/x"), ("DELETE", "/x")}
