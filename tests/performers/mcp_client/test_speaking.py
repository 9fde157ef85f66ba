import asyncio
import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.performers.mcp_client.faking import ENVIRON, LIMIT, Fakes, call
from tests.performers.tools.shell.commanding import is_running

from hearth.performers.mcp_client.connecting import Connection, Unavailable
from hearth.performers.mcp_client.recorded import Recorded
from hearth.performers.mcp_client.speaking import Speaking
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import ServerSpec

MODERN = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("modern")
@server.tool()
def add(a: int, b: int) -> int:
    "Adds."
    return a + b
server.run("stdio")
"""


async def connected(fakes: Fakes, *told: str, patience: float = LIMIT) -> Connection:
    return await fakes.starter(patience).connect(fakes.spec(*told))


@pytest.mark.usefixtures("unhurried")
async def test_a_server_of_the_older_era_lists_its_tools_and_is_called(fakes: Fakes) -> None:
    server = await connected(fakes, "--page=4")
    try:
        names = [one.name for one in await server.tools()]
        assert names[:2] == ["echo", "token"]
        assert len(names) == 11, "page after page"
        assert await server.call(call("echo", "hello")) == Outcome("hello")
        assert await server.call(call("fail")) == Outcome("it did not work", is_error=True)
        refused = await server.call(call("none"))
        assert refused == Outcome("the server says: there is no none", is_error=True)
    finally:
        await server.close()
    assert len(fakes.noted("start")) == len(fakes.noted("stop")) == 1


async def test_a_server_of_the_newer_era_is_spoken_with_too(fakes: Fakes) -> None:
    spec = ServerSpec("modern", sys.executable, ("-c", MODERN), {}, str(fakes.folder))
    server = await fakes.starter().connect(spec)
    try:
        assert isinstance(server, Speaking)
        assert server.protocol == "2026-07-28"
        (tool,) = await server.tools()
        assert (tool.name, tool.description) == ("add", "Adds.")
        sum_ = call("add")
        outcome = await server.call(type(sum_)("add", {"a": 2, "b": 3}, LIMIT))
        assert outcome == Outcome("5", structured={"result": 5})
        wrong = await server.call(type(sum_)("add", {"a": "x"}, LIMIT))
        assert wrong.is_error
    finally:
        await server.close()


async def test_a_crash_in_the_middle_of_a_call_says_what_the_server_said(fakes: Fakes) -> None:
    server = await connected(fakes)
    outcome = await server.call(call("crash"))
    assert outcome.is_error
    assert "Its last words: something broke" in outcome.text
    assert "not undone" in outcome.text
    assert server.ended.is_set()
    again = await server.call(call("echo", "x"))
    assert again.is_error
    assert "has ended" in again.text
    await server.close()


async def test_a_call_that_is_never_answered_ends_and_the_server_is_told(fakes: Fakes) -> None:
    server = await connected(fakes)
    outcome = await server.call(call("silent", timeout=0.2))
    assert outcome.is_error
    assert "did not answer within 0.2 seconds" in outcome.text
    await fakes.until_noted("cancelled")
    assert await server.call(call("echo", "still there")) == Outcome("still there")
    await server.close()


@pytest.mark.promise("LK-CANC-01")
async def test_a_call_that_is_cancelled_stops_at_once_and_the_server_is_told(fakes: Fakes) -> None:
    server = await connected(fakes)
    calling = asyncio.create_task(server.call(call("slow")))
    await fakes.until_noted("slow")
    calling.cancel()
    async with asyncio.timeout(10):
        await asyncio.gather(calling, return_exceptions=True)
    assert calling.cancelled()
    await fakes.until_noted("cancelled")
    assert await server.call(call("echo", "still there")) == Outcome("still there")
    await server.close()


async def test_a_second_answer_is_nobodys(fakes: Fakes) -> None:
    server = await connected(fakes)
    for _ in range(3):
        assert await server.call(call("twice")) == Outcome("first")
    assert await server.call(call("echo", "x")) == Outcome("x")
    await server.close()


async def test_an_answer_of_100_megabytes_is_refused_and_the_server_goes_on(fakes: Fakes) -> None:
    server = await connected(fakes)
    outcome = await server.call(call("huge", "100000000"))
    assert outcome == Outcome("the server says: its answer is longer than 16 MiB", is_error=True)
    assert await server.call(call("echo", "x")) == Outcome("x")
    long = await server.call(call("huge", "1000000"))
    assert len(long.text) == 1_000_000
    await server.close()


async def test_noise_and_floods_are_passed_over(fakes: Fakes) -> None:
    server = await connected(fakes, "--noise", "--flood=2000")
    assert server.noise == 3, "an empty line is none"
    assert await server.call(call("echo", "x")) == Outcome("x")
    await server.close()


async def test_one_that_cannot_begin_says_why(fakes: Fakes) -> None:
    with pytest.raises(Unavailable, match="it cannot work like this"):
        await connected(fakes, "--broken")
    assert fakes.noted("start")


async def test_one_that_does_not_begin_in_time_is_ended(fakes: Fakes, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never")
    with pytest.raises(Unavailable, match=r"did not begin within 0\.5 seconds"):
        await connected(fakes, f"--waits-for={tmp_path / 'never'}", patience=0.5)
    assert not any(map(is_running, fakes.noted("start")))


async def test_one_that_is_given_up_while_it_is_written_down_is_ended(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_noting, may_note = threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        is_noting.set()
        may_note.wait(LIMIT)

    monkeypatch.setattr(Recorded, "note", slow)
    connecting = asyncio.create_task(connected(fakes))
    assert await asyncio.to_thread(is_noting.wait, LIMIT)
    connecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(connecting, LIMIT)
    may_note.set()
    assert not any(map(is_running, fakes.noted("start")))


async def test_a_picture_is_kept_beside_the_text(fakes: Fakes) -> None:
    server = await connected(fakes)
    outcome = await server.call(call("picture"))
    assert outcome.text == ""
    assert [one.media_type for one in outcome.pictures] == ["image/png"]
    await server.close()


async def test_a_server_says_that_its_tools_changed(fakes: Fakes) -> None:
    server = await connected(fakes)
    assert not server.changed.is_set()
    await server.call(call("announce"))
    async with asyncio.timeout(LIMIT):
        await server.changed.wait()
    await server.tools()
    assert not server.changed.is_set()
    await server.close()


@pytest.mark.promise("LK-POOL-02")
async def test_a_server_has_its_own_variables_and_no_secrets_of_ours(fakes: Fakes) -> None:
    environ = {**ENVIRON, "FAKE_TOKEN": "the daemon's own", "HEARTH_HOME": "/x"}
    starter = replace(fakes.starter(), environ=environ)
    server = await starter.connect(fakes.spec())
    outcome = await server.call(call("token"))
    assert outcome.text.strip() == str(server.pid)
    await server.close()
    mine = await starter.connect(fakes.spec(env={"FAKE_TOKEN": "mine"}))
    assert (await mine.call(call("token"))).text == f"mine {mine.pid}"
    await mine.close()
