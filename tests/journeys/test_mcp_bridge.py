"""`hearth mcp` between the official client and a real daemon with real interpreters."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.clients.mcp.bridged import META, Bridged
from tests.journeys.homes import Home, a_home
from tests.journeys.live import PATIENCE

from hearth.daemon.discovery import Found, find


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as home:
        yield home


@pytest.fixture
def client(home: Home) -> Iterator[Bridged]:
    """A client that speaks line by line, started in the project."""
    before = Path.cwd()
    os.chdir(home.project)
    try:
        one = Bridged(home.path, XDG_CONFIG_HOME=str(home.path / "config"))
    finally:
        os.chdir(before)
    try:
        yield one
    finally:
        one.close()


def _daemon(home: Home) -> Found:
    found = find(str(home.path))
    assert found is not None
    return found


def _ran(said: dict[str, Any]) -> dict[str, Any]:
    assert "result" in said, said
    shown: dict[str, Any] = said["result"]["structuredContent"]
    return shown


def _run(client: Bridged, about: object, code: str) -> dict[str, Any]:
    return _ran(client.ask(about, "tools/call", name="run_code", arguments={"code": code}))


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_official_client_works_in_the_session_of_its_directory(
    home: Home, era: Any
) -> None:
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hearth", "mcp"],
        env={"HEARTH_HOME": str(home.path), "XDG_CONFIG_HOME": str(home.path / "config")},
        cwd=home.project,
    )
    async with Client(stdio_client(started), mode=era) as client:
        given = await client.call_tool("run_code", {"code": "here = 20 + 3"})
        assert not given.is_error
        given = await client.call_tool("run_code", {"code": "here"})
        first = given.structured_content
    assert first is not None
    assert first["result"] == "23"
    shown = home.hearth("run", "here")
    assert shown.stdout.split()[0] == "23"
    # Once more, with a daemon that is there.
    began = time.perf_counter()
    async with Client(stdio_client(started), mode=era) as client:
        assert time.perf_counter() - began < PATIENCE
        given = await client.call_tool("run_code", {"code": "here"})
        assert given.structured_content is not None
        assert given.structured_content["session"] == first["session"]


def test_a_daemon_that_is_killed_in_a_cell_is_started_again_for_the_next_call(
    home: Home, client: Bridged
) -> None:
    client.begin()
    session = _run(client, 1, "kept = 1")["session"]
    first = _daemon(home)
    code = "open('began', 'w').close()\nimport time\nwhile True: time.sleep(0.01)"
    params = {"name": "run_code", "arguments": {"code": code}}
    client.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
    _appears(home.project / "began")
    assert client.ask("ping", "ping")["result"] == {}
    os.kill(first.pid, signal.SIGKILL)
    error = client.answer(2)["error"]
    assert "may have taken effect" in error["message"]
    status = _ran(client.ask(3, "tools/call", name="get_status", arguments={}))
    assert status["session"] == session
    assert _daemon(home).pid != first.pid
    (home.project / "began").unlink()
    ending, said = client.end()
    assert ending == 0
    assert "the daemon is gone" in said
    assert not (home.project / "began").exists()
    assert [json.loads(line)["id"] for line in client.lines] == ["hello", 1, "ping", 2, 3]


def test_a_call_that_is_taken_back_is_not_answered_and_its_cell_can_be_stopped(
    home: Home, client: Bridged
) -> None:
    code = "open('began', 'w').close()\nimport time\nwhile True: time.sleep(0.01)"
    client.send(_stateless(1, "run_code", code=code))
    _appears(home.project / "began")
    cancelled = {"requestId": 1}
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
    # The cell goes on: whoever stops waiting stops nothing that was begun.
    client.send(_stateless(2, "get_status"))
    assert _ran(client.answer(2))["state"] == "evaluating"
    client.send(_stateless(3, "cancel_eval"))
    assert "error" not in client.answer(3)
    client.send(_stateless(4, "run_code", code="'free'", if_busy="queue"))
    assert _ran(client.answer(4))["result"] == "'free'"
    client.end()
    assert [json.loads(line)["id"] for line in client.lines if b'"id"' in line] == [2, 3, 4]


def test_nothing_is_left_of_a_bridge_and_the_session_lives_on(home: Home, client: Bridged) -> None:
    client.begin()
    session = _run(client, 1, "kept = 7")["session"]
    bridge = psutil.Process(client.process.pid)
    client.process.send_signal(signal.SIGTERM)
    assert client.ended()[0] == 0
    assert not bridge.is_running()
    assert home.hearth("run", "--session", session, "kept").stdout.split()[0] == "7"


def _stateless(about: object, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments, "_meta": META}
    return {"jsonrpc": "2.0", "id": about, "method": "tools/call", "params": params}


def _appears(path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} did not appear"
        os.sched_yield()
