"""What every request passes; what it is spared by its attackers is in test_guard_attacks.py."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from tests.servers.http.raw import request, say
from tests.servers.http.serving import Served, served

from hearth.core.rules.admission import KNOWN, UNKNOWN
from hearth.credentials.standing import Act
from hearth.servers.http.routes import Operation
from hearth.servers.http.routing import Endpoint, Routing, app_of


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def test_every_answer_says_who_gave_it_and_is_kept_nowhere(daemon: Served) -> None:
    answers = [
        await daemon.client.get("/health"),
        await daemon.client.get("/nowhere"),
        await daemon.client.put("/health"),
        await daemon.client.head("/health"),
        await daemon.client.options("/health"),
        await daemon.browser.get("/health"),
        await daemon.client.get("/docs"),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 405, 200, 204, 401, 200]
    for answer in answers:
        assert answer.headers["hearth-version"]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)


async def test_a_path_says_which_methods_it_has(daemon: Served) -> None:
    wrong = await daemon.client.put("/sessions")
    assert wrong.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    assert wrong.json()["error"]["code"] == "wrong_method"
    asked = await daemon.client.options("/sessions/x/commands")
    assert asked.headers["allow"] == "POST, OPTIONS"
    assert asked.content == b""
    stream = await daemon.client.head("/events")
    assert stream.status_code == 405, "nobody begins a stream by asking whether there is one"


async def test_the_head_of_an_answer_has_no_body(daemon: Served) -> None:
    answer = await daemon.client.head("/health")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 0


async def test_an_incompatible_client_is_told_so_in_a_sentence(daemon: Served) -> None:
    old = await daemon.client.get("/health", headers={"Hearth-Client": "7.0.0"})
    assert (old.status_code, old.json()["error"]["code"]) == (426, "wrong_version")
    assert old.json()["error"]["hint"]
    near = await daemon.client.get("/health", headers={"Hearth-Client": "0.0.9"})
    assert near.status_code == 200


async def test_who_speaks_for_the_daemon_is_refused(daemon: Served) -> None:
    said = {"Hearth-Origin": '{"actor":"system"}'}
    answer = await daemon.client.post("/sessions", headers=said)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")
    unclear = await daemon.client.post("/sessions", headers={"Hearth-Origin": "ann"})
    assert unclear.status_code == 400
    assert await daemon.events() == 0


@pytest.mark.parametrize("name", ["hearth-origin", "idempotency-key", "prefer", "content-type"])
async def test_what_has_one_meaning_is_said_once(name: str, daemon: Served) -> None:
    headers = [
        ("Host", f"127.0.0.1:{daemon.port}"),
        ("Authorization", f"Bearer {daemon.tokens.person}"),
        (name, "application/json"),
        (name, "application/json"),
    ]
    heard = await say(daemon, request("POST", "/sessions", headers, b"{}"))
    assert (heard.status, heard.error["code"]) == (400, "malformed")
    assert name in heard.error["message"]


async def test_bad_tokens_are_not_tried_for_long_and_good_ones_go_on(daemon: Served) -> None:
    daemon.door.guard._clock = lambda: 0.0
    for _ in range(int(UNKNOWN.burst)):
        assert (await daemon.browser.get("/health")).status_code == 401
    answer = await daemon.browser.get("/health", headers=daemon.bearer("guess"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_requests")
    assert answer.headers["retry-after"] == "1"
    assert (await daemon.browser.get("/health", headers=daemon.bearer())).status_code == 200
    daemon.door.guard._clock = lambda: 1.0
    assert (await daemon.browser.get("/health")).status_code == 401


async def test_codes_are_not_guessed(daemon: Served) -> None:
    daemon.door.guard._clock = lambda: 0.0
    for _ in range(int(UNKNOWN.burst)):
        assert (await daemon.browser.get("/login?code=guess")).status_code == 401
    assert (await daemon.browser.get("/login?code=guess")).status_code == 429


async def test_a_client_that_runs_wild_is_slowed_down(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert KNOWN.burst >= 1000
    monkeypatch.setattr("hearth.servers.http.guard.KNOWN", UNKNOWN)
    daemon.door.guard._clock = lambda: 0.0
    statuses = [(await daemon.client.get("/health")).status_code for _ in range(30)]
    assert statuses == [200] * int(UNKNOWN.burst) + [429] * (30 - int(UNKNOWN.burst))


async def test_a_defect_is_told_to_the_log_and_by_its_number_to_the_client(
    daemon: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr(daemon.process, "info", broken)
    with caplog.at_level(logging.ERROR):
        answer = await daemon.client.get("/api/daemon-info")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (500, "defect")
    assert error["request"] == answer.headers["x-request-id"]
    assert "secret reason" not in answer.text
    assert "Traceback" not in answer.text
    assert "the secret reason" in caplog.text
    assert any(getattr(one, "request", "") == error["request"] for one in caplog.records)
    assert (await daemon.client.get("/health")).status_code == 200


async def test_what_breaks_halfway_does_not_look_complete(daemon: Served) -> None:
    class Half(Response):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            del scope, receive
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
            raise RuntimeError("in the middle")

    async def half(_: Request) -> Response:
        return Half()

    use(daemon, half)
    headers = [
        ("Host", f"127.0.0.1:{daemon.port}"),
        ("Authorization", f"Bearer {daemon.tokens.person}"),
    ]
    async with asyncio.timeout(30):
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        writer.write(request("GET", "/x", headers))
        whole = await reader.read()
        writer.close()
    assert b"half" in whole
    assert not whole.endswith(b"0\r\n\r\n")


async def test_an_endpoint_may_say_no_by_an_error_of_the_framework(daemon: Served) -> None:
    async def teapot(_: Request) -> Response:
        raise HTTPException(418, "short and stout")

    use(daemon, teapot)
    answer = await daemon.client.get("/x")
    assert answer.status_code == 418
    assert answer.json()["error"]["message"] == "short and stout"


async def test_an_endpoint_knows_who_asks_and_gets_the_body_once(daemon: Served) -> None:
    async def echo(request: Request) -> Response:
        return PlainTextResponse(await request.body())

    use(daemon, echo, "POST")
    answer = await daemon.client.post("/x", json={"a": 1})
    assert json.loads(answer.content) == {"a": 1}


def use(daemon: Served, endpoint: Endpoint, method: str = "GET") -> None:
    """Let this one endpoint be all there is."""
    one = Operation(method, "/x", Act.LOOK, "for this test alone")
    daemon.door.guard._routing = Routing([one], {(method, "/x"): app_of(endpoint)})
