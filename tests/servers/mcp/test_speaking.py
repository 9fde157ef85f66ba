"""The protocol on a real socket, in both eras, with the SDK's own client."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from tests.servers.http.serving import PATIENCE, Served, served
from tests.servers.mcp.clients import ERAS, LEGACY, MODERN, call, connected

from hearth.credentials.standing import Standing
from hearth.daemon.versions import VERSION
from hearth.servers.mcp.instructions import INSTRUCTIONS
from hearth.servers.mcp.tools.table import TABLE

ACCEPTS: Final = {"Accept": "application/json, text/event-stream"}
HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


def run(code: str, number: int = 2, **meta: Any) -> dict[str, Any]:
    arguments = {"name": "run_code", "arguments": {"code": code}}
    params = {**arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


async def hello(daemon: Served, **headers: str) -> dict[str, str]:
    """Shake hands by hand; the headers of all that follows."""
    answer = await daemon.client.post("/mcp", json=HELLO, headers={**ACCEPTS, **headers})
    assert answer.status_code == 200
    own = {**ACCEPTS, **headers, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await daemon.client.post("/mcp", json=done, headers=own)).status_code == 202
    return own


@pytest.mark.parametrize("era", ERAS)
async def test_one_and_one_in_both_eras(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="1+1", session="session-aaaaaa")
        assert (said["result"], said["type"], said["hasErrors"]) == ("2", "int", False)


@pytest.mark.promise("SF-AFF-07")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_learns_who_we_are_and_how_it_works(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        tools = await client.list_tools()
        assert [one.name for one in tools.tools] == [one.name for one in TABLE]
        if era == LEGACY:
            assert client.instructions == INSTRUCTIONS
            assert client.server_info is not None
            assert client.server_info.version == VERSION


async def test_a_plain_answer_is_plain_json_in_one_piece(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        own = await hello(daemon)
        answer = await daemon.client.post("/mcp", json=run("1+1"), headers=own)
        assert answer.headers["content-type"] == "application/json"
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert answer.json()["result"]["structuredContent"]["result"] == "2"


@pytest.mark.promise("SF-MCP-25")
@pytest.mark.parametrize("era", ERAS)
async def test_a_long_cell_tells_how_it_goes_on(
    tmp_path: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.servers.mcp.waiting.PULSE", 0.02)
    heard: list[str] = []
    enough = asyncio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert progress > 0
        assert total is None
        heard.append(message or "")
        if len(heard) > 2:
            enough.set()

    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        arguments = {"code": "hang", "session": "session-aaaaaa"}
        running = asyncio.create_task(
            client.call_tool("run_code", arguments, progress_callback=on_progress)
        )
        async with asyncio.timeout(PATIENCE):
            await enough.wait()
            await daemon.command({"type": "cancel_cell"})
            answer = await running
        assert any("begun" in message for message in heard)
        assert answer.structured_content is not None
        assert answer.structured_content["cancelled"] is True


async def test_a_connection_belongs_to_the_credential_that_opened_it(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        token = daemon.tokens.add("bot", Standing.AGENT)
        own = await hello(daemon)
        stolen = {**own, **daemon.bearer(token)}
        answer = await daemon.client.post("/mcp", json=run("1+1"), headers=stolen)
        assert answer.status_code == 404
        assert (await daemon.client.delete("/mcp", headers=stolen)).status_code == 404
        answer = await daemon.client.post("/mcp", json=run("1+1"), headers=own)
        assert answer.status_code == 200


async def test_a_deleted_connection_is_gone_and_no_longer_counted(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        own = await hello(daemon)
        await daemon.client.post("/mcp", json=run("1+1"), headers=own)
        now = (await daemon.client.get("/sessions/session-aaaaaa")).json()["connections"]
        assert now["mcp"] == 1
        gone = asyncio.Event()
        daemon.around.attendance.watch(gone.set)
        assert (await daemon.client.delete("/mcp", headers=own)).status_code == 200
        async with asyncio.timeout(PATIENCE):
            await gone.wait()
        assert daemon.around.attendance.counts()["mcp"] == 0
        again = await daemon.client.post("/mcp", json=run("1+1"), headers=own)
        assert again.status_code == 404


@pytest.mark.promise("SF-HTTP-15")
async def test_it_shares_the_port_with_streams_for_others(tmp_path: Path) -> None:
    heard: dict[str, dict[str, Any]] = {}
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        path, own = "/sessions/session-aaaaaa/events", daemon.bearer()
        async with (
            asyncio.timeout(PATIENCE),
            daemon.browser.stream("GET", path, headers=own) as events,
        ):
            said = await call(client, "run_code", code="1+1")
            async for line in events.aiter_lines():
                if line.startswith("data:") and '"event"' in line:
                    event = json.loads(line.removeprefix("data:"))["event"]
                    heard[event["type"]] = event
                if "cell_finished" in heard:
                    break
    assert heard["cell_started"]["code"] == "1+1"
    assert heard["cell_finished"]["value"] == said["result"] == "2"


async def test_a_client_that_leaves_in_the_middle_of_a_cell_leaves_the_cell(tmp_path: Path) -> None:
    for era, headers in ((LEGACY, {}), (MODERN, {"MCP-Protocol-Version": MODERN})):
        async with served(tmp_path / era) as daemon:
            await daemon.begin()
            own = await hello(daemon) if era == LEGACY else {**ACCEPTS, **headers}
            message = run("hang")
            if era == MODERN:
                own |= {"Mcp-Method": "tools/call", "Mcp-Name": "run_code"}
                message["params"]["_meta"] = {
                    "io.modelcontextprotocol/protocolVersion": MODERN,
                    "io.modelcontextprotocol/clientCapabilities": {},
                }
            message["params"]["arguments"]["session"] = "session-aaaaaa"
            following = daemon.engine.follow()
            asking = asyncio.create_task(daemon.client.post("/mcp", json=message, headers=own))
            async with asyncio.timeout(PATIENCE):
                while not any(
                    b"cell_started" in getattr(one, "data", b"") for one in await following.batch()
                ):
                    pass
                asking.cancel()
                await asyncio.wait({asking})
                ended = await daemon.command({"type": "cancel_cell"})
                while not any(
                    b"cell_cancelled" in getattr(one, "data", b"")
                    for one in await following.batch()
                ):
                    pass
            following.close()
            assert ended.status_code == 200


async def test_a_token_that_is_ended_ends_what_listens(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        token = daemon.tokens.add("bot", Standing.AGENT)
        own = await hello(daemon, **daemon.bearer(token))
        async with (
            asyncio.timeout(PATIENCE),
            httpx2.AsyncClient(base_url=daemon.address, trust_env=False, timeout=PATIENCE) as http,
            http.stream("GET", "/mcp", headers=own) as stream,
        ):
            assert stream.status_code == 200
            assert (await daemon.client.delete("/tokens/bot")).status_code == 204
            async for _ in stream.aiter_raw():
                pass


async def test_a_token_that_is_ended_ends_no_answer_of_another(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon, MODERN) as client:
        await daemon.begin()
        daemon.tokens.add("bot", Standing.AGENT)
        arguments = {"code": "hang", "session": "session-aaaaaa"}
        following = daemon.engine.follow()
        running = asyncio.create_task(call(client, "run_code", **arguments))
        async with asyncio.timeout(PATIENCE):
            while not any(
                b"cell_started" in getattr(one, "data", b"") for one in await following.batch()
            ):
                pass
            following.close()
            assert (await daemon.client.delete("/tokens/bot")).status_code == 204
            await daemon.command({"type": "cancel_cell"})
            assert (await running)["cancelled"] is True


async def test_nothing_looks_again_and_again_whether_somebody_ends(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="1+1")
        assert not [one for one in asyncio.all_tasks() if "shutdown_watcher" in repr(one)]


async def test_connections_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearth.servers.mcp.speaking.MOST_CONNECTIONS", 2)
    async with served(tmp_path) as daemon:
        for _ in range(2):
            await hello(daemon)
        answer = await daemon.client.post("/mcp", json=HELLO, headers=ACCEPTS)
        assert answer.status_code == 503


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
async def test_a_foreign_origin_is_refused_on_every_method(tmp_path: Path, method: str) -> None:
    async with served(tmp_path) as daemon:
        headers = {**ACCEPTS, "Origin": "https://evil.example"}
        answer = await daemon.client.request(method, "/mcp", headers=headers)
        assert answer.status_code == 403
        assert not daemon.door._mcp.is_loaded


@pytest.mark.parametrize("era", ERAS)
async def test_a_directory_that_is_none_is_said(tmp_path: Path, era: str) -> None:
    headers = {"Hearth-Directory": "not/absolute"}
    async with served(tmp_path) as daemon, connected(daemon, era, headers=headers) as client:
        said = await call(client, "run_code", code="1+1")
        assert said["error"]["type"] == "malformed"
        assert said["error"]["path"] == "Hearth-Directory"
