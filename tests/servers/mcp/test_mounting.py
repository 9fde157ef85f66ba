"""The protocol's place in the door: loaded late, and closed within bounds."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from tests.servers.http.serving import PATIENCE, served
from tests.servers.mcp.clients import call, connected

from hearth.servers.mcp.mounting import Loaded, Mounting


class Slow:
    """Something that takes long to load, until it is let."""

    def __init__(self) -> None:
        self.begun, self.let = threading.Event(), threading.Event()
        self.streams_ended = 0
        self.closed = False

    def load(self) -> Loaded:
        self.begun.set()
        assert self.let.wait(PATIENCE)
        return lambda _: self

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        yield
        self.closed = True

    def end_streams(self) -> None:
        self.streams_ended += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Response("loaded")(scope, receive, send)


async def test_while_it_loads_other_routes_answer(tmp_path: Path) -> None:
    slow = Slow()
    async with served(tmp_path) as daemon, asyncio.timeout(PATIENCE):
        daemon.door._mcp._loading = slow.load
        first = asyncio.create_task(daemon.client.post("/mcp", json={}))
        assert await asyncio.to_thread(slow.begun.wait, PATIENCE)
        assert (await daemon.client.get("/health")).status_code == 200
        assert not first.done()
        slow.let.set()
        assert (await first).text == "loaded"
        assert slow.streams_ended == 0
    assert slow.closed
    assert slow.streams_ended


async def test_what_cannot_be_loaded_is_said_and_tried_again(tmp_path: Path) -> None:
    slow = Slow()
    slow.let.set()
    attempts = []

    def load() -> Loaded:
        attempts.append(1)
        if len(attempts) == 1:
            raise ImportError("No module named 'mcp'")
        return slow.load()

    async with served(tmp_path) as daemon:
        daemon.door._mcp._loading = load
        answer = await daemon.client.post("/mcp", json={})
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "not_served"
        assert "No module named 'mcp'" in answer.json()["error"]["message"]
        assert (await daemon.client.post("/mcp", json={})).text == "loaded"


async def test_a_door_that_is_closed_while_it_loads_waits_for_nobody(tmp_path: Path) -> None:
    slow = Slow()
    async with served(tmp_path, drain=0.1) as daemon, asyncio.timeout(PATIENCE):
        daemon.door._mcp._loading = slow.load
        first = asyncio.create_task(daemon.client.post("/mcp", json={}))
        assert await asyncio.to_thread(slow.begun.wait, PATIENCE)
        closing = asyncio.create_task(daemon.door.close())
        await asyncio.wait({closing}, timeout=0.5)
        slow.let.set()
        await closing
        await asyncio.gather(first, return_exceptions=True)


async def test_with_the_door_open_connections_end(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, asyncio.timeout(PATIENCE):
        await daemon.begin()
        with suppress(Exception):  # however the client puts it that we are gone
            async with connected(daemon) as client:
                await call(client, "run_code", code="1+1")
                assert daemon.door._mcp.is_loaded
                await daemon.door.close()
        assert not daemon.door._mcp.is_loaded


def test_a_door_that_nobody_asks_has_nothing_of_it_loaded() -> None:
    code = (
        "import sys, hearth.serving.main, hearth.servers.http.door\n"
        "print([one for one in ('mcp', 'mcp_types', 'pydantic', 'anyio') if one in sys.modules])"
    )
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert "mcp" not in done.stdout


async def test_every_route_of_the_protocol_is_answered_by_it(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        mounting = Mounting(daemon.around, daemon.door._channels)
        assert set(mounting.apps()) == {("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")}
