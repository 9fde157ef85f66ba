"""A call from its name to its answer."""

import json
import logging
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.credentials.standing import Standing
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.servers.mcp import calling
from hearth.servers.mcp.tools.table import BY_NAME


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({}, "$"),
        ({"cod": "1"}, "$.cod"),
        ({"code": 1}, "$.code"),
        ({"code": "1", "wait": -1}, "$.wait"),
        ({"code": "1", "session": 3}, "$.session"),
    ],
)
async def test_what_does_not_fit_is_said_with_its_place(
    tmp_path: Path, era: str, arguments: dict[str, Any], path: str
) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        before = await daemon.events()
        said = await call(client, "run_code", **arguments)
        assert said.is_error
        assert said["error"]["type"] == "malformed"
        assert said["error"]["path"] == path
        assert await daemon.events() == before


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        with pytest.raises(MCPError, match="no tool 'nothing'"):
            await client.call_tool("nothing", {})


@pytest.mark.parametrize("era", ERAS)
async def test_whoever_may_only_look_is_refused_everything_else(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        token = daemon.tokens.add("eyes", Standing.READER)
        async with connected(daemon, era, token=token) as client:
            before = await daemon.events()
            said = await call(client, "run_code", code="1+1", session="session-aaaaaa")
            assert said["error"]["type"] == "not_allowed"
            assert said["remedy"]
            assert not (await call(client, "get_status", session="session-aaaaaa")).is_error
            assert await daemon.events() == before


async def test_a_defect_of_one_tool_is_told_without_its_insides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        """A tool that fails."""

        def __getattr__(self, name: str) -> Any:
            if name == "answer":
                raise ZeroDivisionError("secret")
            return getattr(BY_NAME["get_status"], name)

    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        monkeypatch.setattr(calling, "BY_NAME", {**BY_NAME, "get_status": Broken()})
        with caplog.at_level(logging.ERROR):
            said = await call(client, "get_status")
        assert said["error"]["type"] == "defect"
        assert "secret" not in said.text
        assert "secret" in caplog.text
        assert not (await call(client, "run_code", code="1+1")).is_error


@pytest.mark.parametrize("arguments", [{"code": "'\\ud800'"}, {"code": "1", "session": "\\ud800"}])
async def test_a_text_that_cannot_be_written_down_does_not_come_far(
    tmp_path: Path, arguments: dict[str, str]
) -> None:
    version = "2026-07-28"
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "run_code", "arguments": arguments, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "run_code",
    }
    # As it stands on the wire: half a pair of surrogates, escaped.
    body = json.dumps(message).replace("\\\\ud800", "\\ud800").encode()
    async with served(tmp_path) as daemon:
        before = await daemon.events()
        answer = await daemon.client.post("/mcp", content=body, headers=headers)
        assert answer.json()["result"]["structuredContent"]["error"]["type"] == "malformed"
        assert await daemon.events() == before


@pytest.mark.parametrize("era", ERAS)
async def test_what_code_makes_of_texts_is_always_told(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        for tool, extra in (("run_code", {"code": "odd"}), ("get_ui_state", {}),
                            ("get_recent_events", {})):  # fmt: skip
            said = await call(client, tool, session="session-aaaaaa", **extra)
            assert not said.is_error
            assert "half a pair" in said.text


@pytest.mark.parametrize("era", ERAS)
async def test_a_session_that_cannot_be_started_says_why_whoever_wanted_it(
    tmp_path: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = partial(ScriptedInterpreter, warm_up=lambda _: "no python")
    monkeypatch.setattr("tests.servers.http.serving.ScriptedInterpreter", broken)
    at = {"Hearth-Directory": str(tmp_path)}
    async with served(tmp_path) as daemon, connected(daemon, era, headers=at) as client:
        for tool, extra in (("run_code", {"code": "1+1"}), ("create_session", {})):
            said = await call(client, tool, **extra)
            assert said.is_error
            assert said["error"] == {
                "type": "not_started",
                "message": "the session could not be started",
                "failure": {"type": "warm_up_failed", "message": "no python"},
            }
            assert "reset_session" in said["suggestion"]
            assert said["session"] is None
        assert (await call(client, "list_sessions"))["sessions"] == []
