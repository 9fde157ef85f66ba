"""The routes that only look."""

from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from tests.servers.http.serving import Served, served

from hearth.core.views.named import OF_A_SESSION, OF_ALL


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


@pytest.mark.promise("SF-HTTP-08")
async def test_health_asks_nobody(daemon: Served) -> None:
    await daemon.engine.close()
    answer = await daemon.client.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "version": daemon.process.info().version}


@pytest.mark.promise("SF-HTTP-11")
async def test_the_daemon_says_which_one_it_is(daemon: Served) -> None:
    await daemon.begin()
    info = (await daemon.client.get("/api/daemon-info")).json()
    assert info == {
        "pid": 1,
        "port": daemon.port,
        "socket": str(daemon.home / "hearth.sock"),
        "startedAt": "2026-01-01T00:00:00Z",
        "version": daemon.process.info().version,
        "home": str(daemon.home),
        "store": "a log in memory",
        "sessions": 1,
        "resumed": 0,
        "connections": {"terminal": 0, "browser": 0, "program": 0, "mcp": 0},
        "approvals": 0,
        "permissionMode": "ask",
        "sandbox": {"on": False, "why": "no bubblewrap"},
        "languageServers": [msgspec.to_builtins(one) for one in daemon.agents.servers().servers],
    }
    assert daemon.tokens.person not in str(info)


async def test_every_view_comes_with_its_cursor(daemon: Served) -> None:
    await daemon.begin()
    newest = (await daemon.log.read())[-1].seq
    for name in OF_A_SESSION:
        answer = await daemon.client.get(f"/sessions/session-aa/views/{name}")
        assert answer.status_code == 200, name
        assert set(answer.json()) == {"value", "seq"}
    status = (await daemon.client.get("/sessions/session-aaaaaa/views/status")).json()
    assert (status["value"]["state"], status["seq"]) == ("ready", newest)
    for name in OF_ALL:
        answer = await daemon.client.get(f"/views/{name}")
        assert answer.status_code == 200, name


async def test_an_unknown_view_says_which_there_are(daemon: Served) -> None:
    await daemon.begin()
    for path in ("/views/nothing", "/views/status", "/sessions/session-aaaaaa/views/nothing"):
        answer = await daemon.client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_view")
        assert answer.json()["error"]["hint"].startswith("views are: ")


async def test_large_content_is_fetched_by_its_hash_and_never_shown(daemon: Served) -> None:
    await daemon.begin()
    answer = await daemon.command({"type": "run_cell", "code": "big"})
    blob = answer.json()["envelopes"][-1]["event"]["value"]
    digest = blob["sha256"]
    content = await daemon.client.get(f"/blobs/{digest}")
    assert sha256(content.content).hexdigest() == digest
    assert content.headers["content-type"] == "application/octet-stream"
    assert content.headers["content-disposition"] == "attachment"
    assert content.headers["content-security-policy"].startswith("sandbox")


@pytest.mark.parametrize("digest", ["0" * 64, "0" * 63, "A" * 64, "x"])
async def test_content_that_is_not_there_is_not_found(digest: str, daemon: Served) -> None:
    answer = await daemon.client.get(f"/blobs/{digest}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_blob")


async def test_content_of_a_store_that_is_down_may_be_had_later(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(_: str) -> bytes:
        raise OSError("the disk is gone")

    monkeypatch.setattr(daemon.engine._around.saver.blobs, "get", down)
    answer = await daemon.client.get(f"/blobs/{'0' * 64}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
