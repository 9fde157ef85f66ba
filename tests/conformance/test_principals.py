"""What one token began, no other token sees: tasks, states of calls and streams of changes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.http.serving import Served, served

from hearth.credentials.standing import Standing
from hearth.servers.mcp import mounting

VERSION = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
CAN: dict[str, Any] = {"elicitation": {}, "extensions": {TASKS: {}}}


@pytest.fixture
async def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    monkeypatch.setattr(mounting, "SPEAKING", "tests.conformance.speaking")
    async with served(tmp_path) as opened:
        yield opened


async def ask(daemon: Served, token: str, method: str, named: str, **params: Any) -> dict[str, Any]:
    """One request that stands for itself, and all that is answered."""
    prefix = "io.modelcontextprotocol"
    meta = {f"{prefix}/protocolVersion": VERSION, f"{prefix}/clientCapabilities": CAN}
    answer = await daemon.browser.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}},
        headers={
            **daemon.bearer(token),
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
            "Mcp-Name": named,
        },
    )
    found: dict[str, Any] = answer.json()
    return found


async def test_a_task_of_the_person_is_not_known_to_an_agent(daemon: Served) -> None:
    person, agent = daemon.tokens.person, daemon.tokens.add("robot", Standing.AGENT)
    other = daemon.tokens.add("android", Standing.AGENT)
    for mine, theirs in ((person, agent), (agent, person), (agent, other)):
        made = await ask(
            daemon, mine, "tools/call", "slow_compute", name="slow_compute", arguments={}
        )
        task = made["result"]["taskId"]
        for method in ("tasks/get", "tasks/cancel"):
            refused = await ask(daemon, theirs, method, task, taskId=task)
            assert refused["error"]["code"] == -32602
            unknown = await ask(daemon, theirs, method, "x", taskId="x")
            assert refused["error"] == unknown["error"], "not even that it is there is told"
        seen = await ask(daemon, mine, "tasks/get", task, taskId=task)
        assert seen["result"]["taskId"] == task
        assert seen["result"]["status"] != "cancelled"


async def test_a_state_of_the_person_is_worth_nothing_to_an_agent(daemon: Served) -> None:
    agent = daemon.tokens.add("robot", Standing.AGENT)
    tool = "test_input_required_result_request_state"
    asked = await ask(daemon, daemon.tokens.person, "tools/call", tool, name=tool, arguments={})
    again = {
        "name": tool,
        "arguments": {},
        "inputResponses": {"confirm": {"action": "accept", "content": {"ok": True}}},
        "requestState": asked["result"]["requestState"],
    }
    refused = await ask(daemon, agent, "tools/call", tool, **again)
    assert refused["error"]["code"] == -32602
    done = await ask(daemon, daemon.tokens.person, "tools/call", tool, **again)
    assert done["result"]["content"][0]["text"] == "state-ok"
