"""One connection, and what it does not do for its client."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts.hearth_api import S, until
from tests.servers.http.raw import Heard, hear, request, say
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.core.vocabulary import events as e
from hearth.servers.http.conversation import LONGEST_URL, MOST_HEADER_BYTES, MOST_HEADERS


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


def good(daemon: Served) -> list[tuple[str, str]]:
    return [
        ("Host", f"127.0.0.1:{daemon.port}"),
        ("Authorization", f"Bearer {daemon.tokens.person}"),
    ]


async def test_a_header_without_an_end_is_cut_off(daemon: Served) -> None:
    raw = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nX: ".encode()
    heard = await say(daemon, raw, rest=b"y" * (MOST_HEADER_BYTES * 40))
    assert (heard.status, heard.error["code"]) == (431, "too_many_headers")


async def test_as_many_headers_as_are_allowed_are_taken(daemon: Served) -> None:
    more = [(f"x{number}", "y") for number in range(MOST_HEADERS - 2)]
    assert (await say(daemon, request("GET", "/health", [*good(daemon), *more]))).status == 200
    one_more = [*good(daemon), *more, ("z", "z")]
    assert (await say(daemon, request("GET", "/health", one_more))).status == 431


async def test_blanks_around_a_value_are_not_part_of_it(daemon: Served) -> None:
    raw = (
        f"GET /health HTTP/1.1\r\nHost: \t 127.0.0.1:{daemon.port} \t \r\n"
        f"Authorization:Bearer {daemon.tokens.person}  \r\n\r\n"
    )
    assert (await say(daemon, raw.encode())).status == 200


async def test_an_address_that_is_too_long_is_refused(daemon: Served) -> None:
    heard = await say(daemon, request("GET", f"/{'x' * LONGEST_URL}", good(daemon)))
    assert (heard.status, heard.error["code"]) == (414, "too_large")


async def test_whoever_says_nothing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.servers.http.conversation.HEADERS_WITHIN", 0.01)
    async with served(tmp_path) as daemon:
        for said in (b"", b"GET /health HTTP/1.1\r\nHost"):
            heard = await say(daemon, said)
            assert (heard.status, heard.error["code"]) == (408, "too_slow")


@pytest.mark.parametrize(
    "raw",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_hung_up_on(raw: bytes, daemon: Served) -> None:
    heard = await say(daemon, raw)
    assert (heard.status, heard.error["code"]) == (400, "malformed")
    assert heard.headers["connection"] == "close"


async def test_an_upgrade_is_answered_like_any_other_request(daemon: Served) -> None:
    upgrade = [
        *good(daemon),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ]
    assert (await say(daemon, request("GET", "/health", upgrade))).status == 200
    assert (await say(daemon, request("GET", "/health", upgrade[:1] + upgrade[2:]))).status == 401


async def test_what_stands_behind_a_body_is_no_header(daemon: Served) -> None:
    headers = [
        ("Host", f"127.0.0.1:{daemon.port}"),
        ("Content-Type", "application/json"),
        ("Transfer-Encoding", "chunked"),
    ]
    trailer = f"2\r\n{{}}\r\n0\r\nAuthorization: Bearer {daemon.tokens.person}\r\n\r\n"
    heard = await say(daemon, request("POST", "/codes", headers) + trailer.encode())
    assert (heard.status, heard.error["code"]) == (401, "no_token")


async def test_a_connection_is_used_again_and_requests_may_wait_in_line(daemon: Served) -> None:
    raw = request("GET", "/health", good(daemon))
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        writer.write(raw * 3 + request("GET", "/nowhere", good(daemon)))
        heard: list[Heard] = [await hear(reader) for _ in range(4)]
        writer.close()
    assert [one.status for one in heard] == [200, 200, 200, 404]
    assert len({one.headers["x-request-id"] for one in heard}) == 4


async def test_a_lost_client_is_told_to_who_works_for_it(daemon: Served) -> None:
    await daemon.begin()
    following = daemon.engine.follow(S)
    body = b'{"type":"run_cell","code":"hang"}'
    headers = [*good(daemon), ("Content-Type", "application/json"), ("Prefer", "wait=600")]
    async with asyncio.timeout(PATIENCE):
        _, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        writer.write(request("POST", "/sessions/session-aaaaaa/commands", headers, body))
        await until(following, e.CellStarted)
        working = set(daemon.door._state.tasks)
        assert working
        writer.transport.abort()
        await asyncio.wait(working)
    following.close()
    still = (await daemon.client.get("/sessions/session-aaaaaa")).json()["value"]
    assert still["state"] == "evaluating", "the cell goes on without its client"
