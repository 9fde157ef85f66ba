"""Who looks at a daemon's dashboard: a real Chromium, and tabs that only read what is sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from bench.daemons import PATIENCE, Daemon, Wire
from playwright.async_api import CDPSession, Page
from tests.journeys.browsing import Visitor, browsing

_HEAD_ENDS: Final = b"\r\n\r\n"
_LONGEST_MARK: Final = 64


@dataclass(frozen=True)
class Doorway:
    """A daemon, as browsers must know it."""

    daemon: Daemon

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.daemon.found.port}"

    async def code(self) -> str:
        """What lets a browser in, once."""
        return await asyncio.to_thread(self._code)

    def _code(self) -> str:
        with Wire(self.daemon) as wire:
            return str(wire.ask("POST", "/codes", {})["code"])


@asynccontextmanager
async def looking(daemon: Daemon) -> AsyncIterator[Visitor]:
    """A Chromium that is signed in; an error in one of its pages is one of the bench."""
    async with browsing() as browsers, browsers.visitor(Doorway(daemon)) as visitor:
        yield visitor


class Weight(NamedTuple):
    """What a page holds, after its garbage was collected."""

    nodes: float
    heap: float


async def weight(page: Page) -> Weight:
    """How heavy a page is now."""
    session: CDPSession = await page.context.new_cdp_session(page)
    try:
        await session.send("Performance.enable")
        for _ in range(2):  # what the first lets go may hold something else
            await session.send("HeapProfiler.collectGarbage")
        said: Any = await session.send("Performance.getMetrics")
    finally:
        await session.detach()
    found = {one["name"]: float(one["value"]) for one in said["metrics"]}
    return Weight(found["Nodes"], found["JSHeapUsedSize"])


class BareTab(asyncio.Protocol):
    """A line with one tab, read as a browser's worker reads it, and thrown away."""

    def __init__(self, daemon: Daemon, session: str, number: int) -> None:
        self._ask = (
            f"GET /dashboard/lines/bare-{number}?tab=tab-{number}.{session} HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{daemon.found.port}\r\nAuthorization: Bearer {daemon.found.token}\r\n"
            "Accept: text/event-stream\r\nConnection: close\r\n\r\n"
        ).encode()
        self._rest = b""
        self._mark = b""
        self.bytes = 0
        self.open = asyncio.get_running_loop().create_future()
        self.seen = asyncio.Event()
        """What was looked for has come."""

    def look_for(self, mark: bytes) -> None:
        """Set `seen` once this comes."""
        self._mark = mark
        self.seen.clear()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._ask)

    def data_received(self, data: bytes) -> None:
        """Count it."""
        self.bytes += len(data)
        data = self._rest + data
        if not self.open.done():
            head, ends, rest = data.partition(_HEAD_ENDS)
            if ends and b" 200 " not in head.partition(b"\r\n")[0]:
                self.open.set_exception(TypeError(head.decode()))
            elif b"hearth-view" in rest:
                self.open.set_result(None)
            else:
                self._rest = data
                return
        if self._mark and self._mark in data:
            self.seen.set()
        self._rest = data[-_LONGEST_MARK:]

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits need not wait any longer."""
        del exc
        if not self.open.done():
            self.open.set_exception(ConnectionError("it was closed before it began"))
        self.seen.set()


async def bare_tab(daemon: Daemon, session: str, number: int) -> BareTab:
    """A tab that shows a session and was sent all of it."""
    loop = asyncio.get_running_loop()
    _, tab = await loop.create_connection(
        lambda: BareTab(daemon, session, number), "127.0.0.1", daemon.found.port
    )
    async with asyncio.timeout(PATIENCE):
        await tab.open
    return tab
