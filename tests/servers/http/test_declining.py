"""How the guard says no."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message
from tests.servers.http.raw import hear, request
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.servers.http.answers import Trouble
from hearth.servers.http.declining import decline, elsewhere
from hearth.servers.http.routing import WrongMethod

SCOPE: dict[str, Any] = {"type": "http", "method": "POST", "path": "/x"}
NO = Trouble(403, "not_allowed", "no")


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def declined(trouble: Trouble, unread: dict[bytes, bytes]) -> tuple[list[Message], int]:
    """What is sent, and how often the client is listened to meanwhile."""
    sent: list[Message] = []
    listened = 0

    async def receive() -> Message:
        nonlocal listened
        listened += 1
        return {"type": "http.request", "body": b"x", "more_body": listened < 3}

    async def send(message: Message) -> None:
        sent.append(message)

    await decline(trouble, SCOPE, receive, send, unread)
    return sent, listened


async def test_where_nothing_is_still_to_come_the_answer_is_one_piece() -> None:
    for unread in ({}, {b"content-length": b"100"}):
        sent, listened = await declined(NO, unread)
        assert [message["type"] for message in sent] == [
            "http.response.start",
            "http.response.body",
        ]
        assert b"connection" not in dict(sent[0]["headers"])
        assert listened == 0


@pytest.mark.parametrize(
    "unread", [{b"content-length": b"9999999"}, {b"transfer-encoding": b"chunked"}]
)
async def test_who_still_sends_much_may_finish_for_a_moment_and_is_hung_up_on(
    unread: dict[bytes, bytes],
) -> None:
    sent, listened = await declined(NO, unread)
    assert dict(sent[0]["headers"])[b"connection"] == b"close"
    assert (sent[1]["body"], sent[1]["more_body"]) == (NO.body(), True)
    assert sent[-1]["more_body"] is False
    assert listened == 3


async def test_a_client_that_sends_before_it_listens_hears_why_it_was_refused(
    daemon: Served,
) -> None:
    headers = [
        ("Host", f"127.0.0.1:{daemon.port}"),
        ("Authorization", "Bearer wrong"),
        ("Content-Type", "application/json"),
    ]
    body = b" " * 4_000_000
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        writer.write(request("POST", "/sessions", headers, body))
        await writer.drain()
        heard = await hear(reader)
        writer.close()
    assert (heard.status, heard.error["code"]) == (401, "bad_token")


async def test_after_a_small_refused_body_the_connection_goes_on(daemon: Served) -> None:
    headers = [("Host", f"127.0.0.1:{daemon.port}"), ("Content-Type", "application/json")]
    good = [*headers, ("Authorization", f"Bearer {daemon.tokens.person}")]
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        writer.write(request("POST", "/sessions", headers, b'{"id":"x"}'))
        assert (await hear(reader)).status == 401
        writer.write(request("GET", "/health", good))
        assert (await hear(reader)).status == 200
        writer.close()
    assert await daemon.events() == 0


async def test_what_was_read_and_is_wrong_is_answered_at_once(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # If it were still listened to, this would wait for longer than the test may take.
    monkeypatch.setattr("hearth.servers.http.bodies.LINGER", 600.0)
    answer = await daemon.client.post("/sessions", json={"name": "x" * 1_000_000})
    assert answer.status_code == 400
    assert answer.headers.get("connection") != "close"


def test_where_nothing_is_it_says_so_and_where_something_is_it_says_how() -> None:
    assert elsewhere(SCOPE, None).status_code == 404
    wrong = elsewhere(SCOPE, WrongMethod("GET"))
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, OPTIONS")
    asked = elsewhere({**SCOPE, "method": "OPTIONS"}, WrongMethod("GET"))
    assert (asked.status_code, asked.body) == (204, b"")
