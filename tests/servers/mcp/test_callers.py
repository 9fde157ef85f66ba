"""Who calls, in whose name, and from where."""

from typing import Any

import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.credentials.standing import Credential, Standing
from hearth.servers.http.streams.attendance import Attendance
from hearth.servers.mcp.callers import (
    LONGEST_NAME,
    MOST_SEEN,
    BadDirectory,
    Caller,
    Remembered,
    directory_in,
    fit_name,
    origin_of,
    path_in,
)

PERSON = Credential(Standing.PERSON, "ann")
A, B = SessionId("session-a"), SessionId("session-b")


@pytest.mark.promise("SF-MCP-23")
def test_a_persons_client_acts_under_its_own_name_and_an_agent_under_its_tokens() -> None:
    assert origin_of(PERSON, "cursor") == Origin(Actor.MCP_CLIENT, "cursor", Door.MCP)
    agent = Credential(Standing.AGENT, "bot")
    assert origin_of(agent, "cursor") == Origin(Actor.AGENT, "bot", Door.MCP)


def test_a_name_is_printable_and_not_too_long() -> None:
    assert fit_name("a\x1b[31mb\n c") == "a [31mb c"
    assert fit_name("\x00\n") == "unnamed"
    assert len(fit_name("x" * 10_000)) == LONGEST_NAME


def test_a_directory_comes_from_the_header_before_anything_else() -> None:
    meta = {"hearth/directory": "/of/meta"}
    assert directory_in("/a%20b/%C3%A4/", meta) == "/a b/ä"
    assert directory_in(None, meta) == "/of/meta"
    assert directory_in(None, None) == ""


@pytest.mark.parametrize(
    ("header", "meta"),
    [
        ("relative", None),
        ("/a%00b", None),
        ("/%ff", None),
        ("/" + "x" * 5000, None),
        (None, {"hearth/directory": "relative"}),
        (None, {"hearth/directory": 3}),
    ],
)
def test_what_is_no_directory_is_said(header: str | None, meta: dict[str, Any] | None) -> None:
    with pytest.raises(BadDirectory):
        directory_in(header, meta)


def test_of_roots_only_folders_of_this_machine_count() -> None:
    assert path_in("file:///home/ann/a%20b") == "/home/ann/a b"
    assert path_in("file://localhost/x") == "/x"
    assert path_in("file://elsewhere/x") == ""
    assert path_in("https://example.org/x") == ""


@pytest.mark.promise("SF-HTTP-16")
def test_a_connection_is_counted_with_the_session_it_is_at() -> None:
    attendance = Attendance()
    own = Remembered("c1", attendance)
    origin = origin_of(PERSON, "cursor")
    own.be_at(None, origin)
    assert attendance.counts()["mcp"] == 1
    assert attendance.counts(A)["mcp"] == 0
    own.be_at(A, origin)
    own.be_at(A, origin)
    assert attendance.counts(A)["mcp"] == 1
    own.be_at(B, origin)
    assert (attendance.counts(A)["mcp"], attendance.counts(B)["mcp"]) == (0, 1)
    own.leave()
    own.leave()
    assert attendance.counts()["mcp"] == 0
    own.be_at(A, origin)  # the answer of a call that ended after its connection
    assert attendance.counts()["mcp"] == 0


def test_what_a_connection_was_told_is_bounded() -> None:
    own = Remembered("c1", Attendance())
    for number in range(MOST_SEEN + 5):
        own.tell(SessionId(f"session-{number}"), "get_status", {})
    assert len(own.told) == MOST_SEEN


async def test_a_caller_knows_whether_a_person_stands_behind_it() -> None:
    caller = Caller(credential=PERSON, origin=origin_of(PERSON, "x"))
    assert caller.is_person
    assert await caller.roots() == ""
    agent = Credential(Standing.AGENT, "bot")
    assert not Caller(credential=agent, origin=origin_of(agent, "x")).is_person
