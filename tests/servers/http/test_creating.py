"""Beginning sessions over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.servers.http.serving import PATIENCE, Served, served

WAIT = {"Prefer": f"wait={PATIENCE:g}"}


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def create(daemon: Served, body: dict[str, Any], **headers: str) -> httpx2.Response:
    return await daemon.client.post("/sessions", json=body, headers=headers)


@pytest.mark.promise("SF-HTTP-09")
async def test_sessions_are_begun_listed_looked_at_and_stopped(daemon: Served) -> None:
    begun = await create(daemon, {"directory": "/p", "name": "mine"}, **WAIT)
    assert begun.status_code == 201
    assert begun.headers["preference-applied"] == "wait"
    session = begun.json()["session"]
    assert begun.json()["status"]["state"] == "ready"
    listed = (await daemon.client.get("/sessions")).json()
    assert [row["session"] for row in listed["value"]["rows"]] == [session]
    one = (await daemon.client.get(f"/sessions/{session}")).json()
    assert (one["value"]["name"], one["value"]["directory"]) == ("mine", "/p")
    assert one["connections"] == {"terminal": 0, "browser": 0, "program": 0, "mcp": 0}
    assert (await daemon.client.delete(f"/sessions/{session}")).status_code == 202
    assert (await daemon.client.get("/sessions/nobody")).status_code == 404


async def test_who_does_not_wait_is_told_the_id_at_once(daemon: Served) -> None:
    answer = await create(daemon, {})
    assert answer.status_code == 202
    assert answer.json()["session"].startswith("session-")
    assert answer.json()["seq"] > 0


async def test_an_empty_body_begins_a_session_too(daemon: Served) -> None:
    assert (await daemon.client.post("/sessions")).status_code == 202


async def test_an_id_is_taken_once(daemon: Served) -> None:
    assert (await create(daemon, {"id": "mine"}, **WAIT)).json()["session"] == "mine"
    again = await create(daemon, {"id": "mine"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "session_exists")
    own = await create(daemon, {"id": "daemon-sessions"})
    assert own.status_code == 400


async def test_ten_of_the_same_directory_are_ten_sessions(daemon: Served) -> None:
    answers = [await create(daemon, {"directory": "/p"}) for _ in range(10)]
    assert len({answer.json()["session"] for answer in answers}) == 10
    one_more = await create(daemon, {})
    assert one_more.json()["error"]["code"] == "too_many_sessions"
    assert one_more.json()["error"]["limit"] == 10


async def test_a_directory_is_used_again(daemon: Served) -> None:
    first = await create(daemon, {"directory": "/p", "reuse": True}, **WAIT)
    assert first.status_code == 201
    again = await create(daemon, {"directory": "/p", "reuse": True})
    assert again.status_code == 200
    assert again.json()["session"] == first.json()["session"]
    assert again.json()["status"]["state"] == "ready"
    other = await create(daemon, {"directory": "/q", "reuse": True})
    assert other.json()["session"] != first.json()["session"]


async def test_however_many_want_to_use_a_directory_it_has_one_session(daemon: Served) -> None:
    wanted = {"directory": "/p", "reuse": True}
    answers = await asyncio.gather(*(create(daemon, wanted, **WAIT) for _ in range(8)))
    assert {answer.status_code for answer in answers} <= {200, 201}
    assert len({answer.json()["session"] for answer in answers}) == 1


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"reuse": True}, "$.directory"),
        ({"reuse": True, "directory": "/p", "name": "n"}, "$.reuse"),
        ({"directory": "p"}, "$.directory"),
        ({"mode": "fast"}, "$.mode"),
        ({"nmae": "x"}, "$.nmae"),
    ],
)
async def test_what_cannot_be_is_told_where(
    body: dict[str, Any], path: str, daemon: Served
) -> None:
    answer = await create(daemon, body)
    assert (answer.status_code, answer.json()["error"]["path"]) == (400, path)
    assert await daemon.events() == 0


async def test_a_retry_of_a_begin_is_safe_by_its_id(daemon: Served) -> None:
    key = {"Idempotency-Key": "begin-1"}
    first = await create(daemon, {}, **key)
    again = await create(daemon, {}, **key)
    assert again.status_code == 409
    assert again.json()["error"]["code"] == "duplicate_command"
    assert again.json()["error"]["seq"] == first.json()["seq"]
    assert (await create(daemon, {"reuse": True, "directory": "/p"}, **key)).status_code == 400
