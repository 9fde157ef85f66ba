"""A long cell as a task, for clients that know those."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.servers.http.agents.asking_agent import asking
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.core.vocabulary.envelope import Stored

S = "session-aaaaaa"
VERSION = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"


async def ask(daemon: Served, method: str, named: str, **params: Any) -> dict[str, Any]:
    prefix = "io.modelcontextprotocol"
    can: dict[str, Any] = {"extensions": {TASKS: {}}}
    meta = {f"{prefix}/protocolVersion": VERSION, f"{prefix}/clientCapabilities": can}
    answer = await daemon.client.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}},
        headers={
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
            "Mcp-Name": named,
        },
    )
    found: dict[str, Any] = answer.json()["result"]
    return found


async def run(daemon: Served, code: str) -> dict[str, Any]:
    arguments = {"code": code, "session": S}
    return await ask(daemon, "tools/call", "run_code", name="run_code", arguments=arguments)


async def until(daemon: Served, word: bytes) -> None:
    """Wait until this is in the log."""
    following = daemon.engine.follow(after=0)
    async with asyncio.timeout(PATIENCE):
        while not any(
            isinstance(one, Stored) and word in one.data for one in await following.batch()
        ):
            pass
    following.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearth.servers.mcp.speaking.TASK_AFTER", 0.1)


@pytest.mark.usefixtures("at_once")
async def test_a_quick_cell_is_answered_and_a_long_one_is_a_task(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, asyncio.timeout(PATIENCE):
        await daemon.begin()
        quick = await run(daemon, "1+1")
        assert quick["structuredContent"]["result"] == "2"
        task = await run(daemon, "hang")
        assert task["resultType"] == "task"
        name = task["taskId"]
        seen = await ask(daemon, "tasks/get", name, taskId=name)
        assert seen["status"] == "working"
        await daemon.command({"type": "cancel_cell"})
        await until(daemon, b'"cell_cancelled"')
        while (seen := await ask(daemon, "tasks/get", name, taskId=name))["status"] == "working":
            pass
        assert seen["status"] == "completed"
        assert seen["result"]["structuredContent"]["cancelled"] is True


@pytest.mark.usefixtures("at_once")
async def test_a_cancelled_task_stops_its_cell(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, asyncio.timeout(PATIENCE):
        await daemon.begin()
        name = (await run(daemon, "hang"))["taskId"]
        await ask(daemon, "tasks/cancel", name, taskId=name)
        await until(daemon, b'"cell_cancelled"')
        while (seen := await ask(daemon, "tasks/get", name, taskId=name))["status"] == "working":
            pass
        assert seen["status"] == "cancelled"


@pytest.mark.usefixtures("at_once")
async def test_a_cancelled_task_takes_back_a_message_that_waits_for_the_agent(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        daemon = opened.daemon
        await opened.ask()
        arguments = {"message": "never mind", "session": S}
        task = await ask(daemon, "tools/call", "ask_agent", name="ask_agent", arguments=arguments)
        name = task["taskId"]
        await ask(daemon, "tasks/cancel", name, taskId=name)
        await until(daemon, b'"message_withdrawn"')
        # The turn that another asked for goes on.
        assert [row["session"] for row in await opened.rows()] == [S]
