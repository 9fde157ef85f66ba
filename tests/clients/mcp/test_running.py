"""`hearth mcp` as a process: what a client of MCP and a person's system see of it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.clients.mcp.bridged import META, PATIENCE, StandIn, bridged

from hearth.clients.mcp.lines import LONGEST
from hearth.daemon.discovery import Found, find


def _started(home: Path, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "hearth", "mcp", *words],
        env={"HEARTH_HOME": str(home)},
    )


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_official_client_of_either_era_finds_everything_behind_it(
    stand_in: StandIn, era: Any
) -> None:
    async with Client(stdio_client(_started(stand_in.home)), mode=era) as client:
        tools = (await client.list_tools()).tools
        told: list[float] = []

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            assert (total, message) == (2, "half")
            told.append(progress)

        await client.call_tool("step", {}, progress_callback=progressed)
        read = await client.read_resource("test://räume")
        prompt = await client.get_prompt("grüße", {"who": "ann"})
    assert [one.name for one in tools][:3] == ["add", "wait", "step"]
    assert told == [1]
    assert [getattr(one, "text", "") for one in read.contents] == ["three"]
    assert getattr(prompt.messages[0].content, "text", "") == "hello ann"
    has_session = ["mcp-session-id" in one["headers"] for one in stand_in.asked() if "http" in one]
    assert any(has_session) == (era == "legacy")
    names = {one["headers"].get("mcp-name") for one in stand_in.asked() if "http" in one}
    assert ("=?base64?Z3LDvMOfZQ==?=" in names) == (era == "auto")


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_thousand_quick_calls_each_get_their_own_answer(
    stand_in: StandIn, era: Any
) -> None:
    async with Client(stdio_client(_started(stand_in.home)), mode=era) as client:
        for number in range(1000):
            given = await client.call_tool("add", {"a": number, "b": 1})
            assert getattr(given.content[0], "text", "") == str(number + 1)


def test_many_requests_at_once_are_all_answered_on_whole_lines(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        client.begin()
        for number in range(400):
            client.send(_call(number, "add", a=number, b=0))
        client.send(_call("large", "largest", size=300_000))
        for number in range(400):
            assert client.answer(number)["result"]["content"][0]["text"] == str(number)
        assert client.answer("large")["result"]["content"][0]["text"] == "ä" * 300_000
        code, said = client.end()
    assert (code, said) == (0, "")


def test_it_is_there_in_a_blink_and_has_never_heard_of_the_sdk(stand_in: StandIn) -> None:
    took = []
    for _ in range(3):
        began = time.perf_counter()
        with bridged(stand_in.home) as client:
            client.begin()
            took.append(time.perf_counter() - began)
    assert min(took) < 1.0
    program = (
        "import sys; from hearth.clients.cli import main; main(['mcp', '--no-start']);"
        "print(sorted({'mcp', 'asyncio', 'json', 'pydantic', 'msgspec'} & set(sys.modules)))"
    )
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", program],
        input=json.dumps(_call(1, "add", a=1, b=2)).encode() + b"\n",
        capture_output=True,
        env={**os.environ, "HEARTH_HOME": str(stand_in.home)},
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == b"[]"


def test_a_long_call_holds_up_nobody(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        client.begin()
        client.send(_call("long", "wait"))
        stand_in.until(lambda said: said.get("began") == "wait")
        assert client.ask("ping", "ping")["result"] == {}
        assert client.call("quick", "add", a=1, b=1) == "2"
        assert client.call("free", "release") == "let go"
        assert client.answer("long")["result"]["content"][0]["text"] == "released"


def test_a_call_of_the_earlier_era_is_taken_back_by_telling_the_daemon(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        client.begin()
        client.send(_call("long", "wait"))
        stand_in.until(lambda said: said.get("began") == "wait")
        cancelled = {"requestId": "long", "reason": "enough"}
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
        stand_in.until(lambda said: said.get("cancelled") == "wait")
        assert client.call("after", "add", a=1, b=1) == "2"
    assert any(said.get("method") == "notifications/cancelled" for said in stand_in.asked())


def test_a_stateless_call_is_taken_back_by_hanging_up(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        client.send(_modern("long", "wait"))
        stand_in.until(lambda said: said.get("began") == "wait")
        cancelled = {"requestId": "long"}
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
        stand_in.until(lambda said: said.get("cancelled") == "wait")
        client.send(_modern("after", "add", a=1, b=1))
        assert "result" in client.answer("after")
        client.end()
        ids = [json.loads(line).get("id") for line in client.lines]
    assert "long" not in ids
    assert not any("cancelled" in str(said.get("method")) for said in stand_in.asked())


@pytest.mark.parametrize("when", ["at once", "later"])
def test_a_daemon_that_is_killed_costs_the_open_call_and_nothing_else(
    mortal: StandIn, when: str
) -> None:
    with bridged(mortal.home, "--no-start") as client:
        client.begin()
        assert client.call("choose", "switch_session", session="shop")
        client.send(_call("long", "wait"))
        mortal.until(lambda said: said.get("began") == "wait")
        mortal.kill()
        error = client.answer("long")["error"]
        assert "lost" in error["message"]
        assert "not" in error["message"]
        if when == "later":
            refused = client.ask("nobody", "tools/list")["error"]
            assert "no daemon is running" in refused["message"]
        began = [said for said in mortal.asked() if said.get("began")]
        mortal.start()
        assert client.call("where", "where") == "shop"
        assert client.call("sum", "add", a=2, b=2) == "4"
        code, said = client.end()
        ids = [json.loads(line).get("id") for line in client.lines]
    assert code == 0
    assert "the daemon is gone" in said
    assert not [one for one in ids if str(one).startswith("hearth")]
    assert ids.count("hello") == 1
    assert [said for said in mortal.asked() if said.get("began")] == began


def test_a_daemon_that_ends_while_nobody_speaks_is_missed_by_the_next_stateless_call(
    mortal: StandIn,
) -> None:
    with bridged(mortal.home, "--no-start") as client:
        client.send(_modern("before", "add", a=1, b=1))
        assert "result" in client.answer("before")
        mortal.kill()
        client.send(_modern("between", "add", a=1, b=1))
        assert "no daemon is running" in client.answer("between")["error"]["message"]
        mortal.start()
        client.send(_modern("after", "add", a=1, b=1))
        assert "result" in client.answer("after")


def test_the_stream_of_a_connection_comes_back_with_the_daemon_though_nobody_asks(
    mortal: StandIn,
) -> None:
    with bridged(mortal.home, "--no-start") as client:
        client.begin()
        mortal.until(lambda said: said.get("http") == "GET")
        mortal.kill()
        (mortal.home / "asked").unlink()
        mortal.start()
        mortal.until(lambda said: said.get("http") == "GET")
        methods = [said.get("method") for said in mortal.asked()]
        assert methods[:2] == ["initialize", "notifications/initialized"]
        assert client.end()[0] == 0


def test_a_connection_that_the_daemon_forgot_is_made_anew_and_the_call_done(
    stand_in: StandIn,
) -> None:
    with bridged(stand_in.home, "--no-start") as client:
        client.begin()
        stand_in.until(lambda said: said.get("http") == "GET")
        session = stand_in.asked()[1]["headers"]["mcp-session-id"]
        found = find(str(stand_in.home))
        assert found is not None
        _delete(found, session)
        assert client.call(1, "add", a=20, b=3) == "23"


def test_at_the_end_of_its_input_it_says_goodbye_and_ends(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        client.begin()
        code, said = client.end()
    assert (code, said) == (0, "")
    stand_in.until(lambda said: said.get("http") == "DELETE")


def test_what_was_asked_before_the_end_of_the_input_is_answered(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        client.raw(json.dumps(_modern(1, "add", a=1, b=1)).encode())  # without an end of line
        assert client.end() == (0, "")
        assert [json.loads(line)["id"] for line in client.lines] == [1]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_also_in_the_middle_of_a_call(
    stand_in: StandIn, number: int, code: int
) -> None:
    with bridged(stand_in.home) as client:
        client.begin()
        client.send(_call("long", "wait"))
        stand_in.until(lambda said: said.get("began") == "wait")
        client.process.send_signal(number)
        assert client.ended()[0] == code
    stand_in.until(lambda said: said.get("http") == "DELETE")


def test_a_client_that_vanishes_leaves_no_process(stand_in: StandIn) -> None:
    line = json.dumps(_modern("x", "wait")).encode() + b"\n"
    program = (
        "import subprocess, sys, signal;"
        "p = subprocess.Popen([sys.executable, '-m', 'hearth', 'mcp'], stdin=subprocess.PIPE,"
        " stdout=subprocess.PIPE); print(p.pid, flush=True);"
        f"p.stdin.write({line!r}); p.stdin.flush();"
        "signal.pause()"
    )
    with subprocess.Popen(  # noqa: S603 - our own words
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "HEARTH_HOME": str(stand_in.home)},
    ) as client:
        assert client.stdout is not None
        bridge = psutil.Process(int(client.stdout.readline()))
        stand_in.until(lambda said: said.get("began") == "wait")
        client.kill()
    _, alive = psutil.wait_procs([bridge], timeout=PATIENCE)
    assert not alive
    stand_in.until(lambda said: said.get("cancelled") == "wait")


def test_a_client_that_reads_nothing_and_closes_ends_it(stand_in: StandIn) -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "hearth", "mcp"],
        stdin=subprocess.PIPE,
        stdout=writing,
        env={**os.environ, "HEARTH_HOME": str(stand_in.home)},
    ) as process:
        os.close(writing)
        os.close(reading)  # its output is nowhere, its input still open
        assert process.wait(PATIENCE) == 0


def test_garbage_is_answered_with_errors_and_harms_nobody(stand_in: StandIn) -> None:
    garbage = [
        (b"not json", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc": "2.0", "id": 1', -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"3", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 5}', -32600),
    ]
    with bridged(stand_in.home) as client:
        for line, code in garbage:
            client.raw(line + b"\r\n\n")
            said = client.hear(lambda said: "error" in said)
            assert said["error"]["code"] == code, line[:40]
            assert said["id"] == (7 if b"5}" in line else None)
        client.begin()
        assert client.call("after", "add", a=1, b=1) == "2"


def test_a_line_without_an_end_is_thrown_away_and_told(stand_in: StandIn) -> None:
    with bridged(stand_in.home) as client:
        piece = b"x" * (1024 * 1024)
        for _ in range(LONGEST // len(piece) + 2):
            client.raw(piece)
        client.raw(b"\n")
        assert "64 MiB" in client.answer(None)["error"]["message"]
        client.begin()
        assert client.call("after", "add", a=1, b=1) == "2"


def test_requests_that_were_said_at_once_wait_for_the_handshake(stand_in: StandIn) -> None:
    hello: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        _call(1, "add", a=1, b=1),
    ]
    with bridged(stand_in.home) as client:
        client.raw("".join(json.dumps(one) + "\n" for one in lines).encode())
        assert client.end()[0] == 0
        assert [json.loads(line)["id"] for line in client.lines] == [0, 1]
        assert "result" in json.loads(client.lines[1])


def test_a_token_that_is_not_known_is_told_with_what_helps(stand_in: StandIn) -> None:
    with bridged(stand_in.home, HEARTH_TOKEN="wrong") as client:  # noqa: S106 - it is none
        error = client.begin()["error"]
        assert error["message"] == "this token is not known; hint: make another"
        assert error["data"]["status"] == 401
        assert client.end()[0] == 0


def test_without_a_daemon_that_may_be_started_each_request_is_told(own_home: Path) -> None:
    with bridged(own_home, "--no-start") as client:
        assert "no daemon is running" in client.begin()["error"]["message"]
        assert client.end()[0] == 0


def _call(about: object, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": about, "method": "tools/call", "params": params}


def _modern(about: object, tool: str, **arguments: Any) -> dict[str, Any]:
    said = _call(about, tool, **arguments)
    said["params"]["_meta"] = META
    return said


def _delete(found: Found, session: str) -> None:
    """End a connection of the earlier era behind the bridge's back."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        line.connect(found.socket)
        line.sendall(
            f"DELETE /mcp HTTP/1.1\r\nHost: hearth\r\nAuthorization: Bearer {found.token}\r\n"
            f"Mcp-Session-Id: {session}\r\nConnection: close\r\n\r\n".encode()
        )
        assert line.recv(4096).startswith(b"HTTP/1.1 200")
