"""A request as endpoints see it."""

from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.http.asked import (
    LONGEST_WAIT,
    Declined,
    Nothing,
    body_of,
    claimed,
    directory_of,
    key_of,
    number,
    wait_of,
)
from hearth.servers.http.shapes import NewSession


def asked(query: str = "", body: bytes = b"", **headers: str) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope: dict[str, Any] = {"type": "http", "headers": raw, "query_string": query.encode()}
    return Request(scope, receive)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("", None),
        ("wait=5", 5.0),
        ("wait=0.5", 0.5),
        ('wait="7"', 7.0),
        ("respond-async, wait=10", 10.0),
        ("WAIT=3; foo", 3.0),
        ("wait=0", None),
        ("wait=-1", None),
        ("wait=nan", None),
        ("wait=1e9", None),
        ("await=5", None),
        ("wait=100000", LONGEST_WAIT),
    ],
)
def test_how_long_a_client_would_wait(said: str, seconds: float | None) -> None:
    assert wait_of(asked(prefer=said)) == seconds


def test_the_id_of_a_retry_may_be_quoted() -> None:
    assert key_of(asked()) is None
    assert key_of(asked(idempotency_key='"a-1"')) == InputId("a-1")


def test_who_speaks_says_so_in_json() -> None:
    said = '{"actor":"agent","name":"b\\u00f6t","door":"mcp"}'
    assert claimed(said) == Origin(Actor.AGENT, "böt", Door.MCP)
    assert claimed('{"actor":"person"}') == Origin(Actor.PERSON, "", Door.HTTP)


@pytest.mark.parametrize(
    "said", ["", "ann", "{}", '{"actor":"king"}', '{"actor":"person","x":1}', '{"actor":"person"']
)
def test_who_speaks_unclearly_is_told_how(said: str) -> None:
    with pytest.raises(Declined) as declined:
        claimed(said)
    trouble = declined.value.trouble
    assert (trouble.status, trouble.more) == (400, {"path": "Hearth-Origin"})
    assert '"actor":"person"' in trouble.hint


async def test_a_body_is_taken_strictly() -> None:
    assert await body_of(asked(), Nothing) == Nothing()
    assert await body_of(asked(body=b'{"name":"n"}'), NewSession) == NewSession(name="n")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"nme":"n"}', "$.nme"),
        (b'{"name":1}', "$.name"),
        (b'{"id":"a b"}', "$.id"),
        (b'{"directory":"relative"}', "$.directory"),
        (b"[]", "$"),
        (b"{", "$"),
        (b'"\xff"', "$"),
        (b"[" * 100_000, "$"),
    ],
)
async def test_a_wrong_body_is_told_where(body: bytes, path: str) -> None:
    with pytest.raises(Declined) as declined:
        await body_of(asked(body=body), NewSession)
    trouble = declined.value.trouble
    assert (trouble.status, trouble.code, trouble.more["path"]) == (400, "malformed", path)
    assert trouble.hint


@pytest.mark.parametrize("said", ["-1", "1.5", "", "\u0661", "9" * 16, "x"])
def test_a_number_of_the_query_is_a_number(said: str) -> None:
    with pytest.raises(Declined):
        number(asked(f"after={said}"), "after")
    assert number(asked(), "after") is None
    assert number(asked("after=007"), "after") == 7


@pytest.mark.parametrize("said", ["", "x", "~/x", "%00", "/a%00b"])
def test_a_directory_is_an_absolute_path(said: str) -> None:
    with pytest.raises(Declined):
        directory_of(asked(f"directory={said}"))
    assert directory_of(asked("directory=/a%20b")) == "/a b"
