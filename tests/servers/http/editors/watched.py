"""A page or an editor that has a stream of signals open, and merges what it is sent."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from tests.servers.http.streams.daemons import Daemon

PATIENCE = 25.0


class Watched:
    """The signals as they are by now, and every patch that made them so."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.signals: dict[str, Any] = {}
        self.patches: list[dict[str, Any]] = []
        self.ids: list[str] = []
        self._pieces = response.aiter_raw()
        self._rest = b""

    async def until(self, wanted: Callable[["Watched"], object]) -> None:
        """Read on until this is so."""
        async with asyncio.timeout(PATIENCE):
            while not wanted(self):
                await self._read()

    async def patched(self, number: int) -> list[dict[str, Any]]:
        """The patches, once there are so many."""
        await self.until(lambda now: len(now.patches) >= number)
        return self.patches

    async def end(self) -> None:
        """Read to the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            async for _ in self._pieces:
                pass

    async def _read(self) -> None:
        *frames, self._rest = (self._rest + await anext(self._pieces)).split(b"\n\n")
        for frame in frames:
            if frame == b":":
                continue
            event, *lines = frame.decode("ascii").split("\n")
            assert event == "event: datastar-patch-signals"
            if lines[0].startswith("id: "):
                self.ids.append(lines.pop(0).removeprefix("id: "))
            (data,) = lines
            patch = json.loads(data.removeprefix("data: signals "))
            self.patches.append(patch)
            self.signals = merged(self.signals, patch)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386, as Datastar does it."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


@asynccontextmanager
async def http(
    daemon: Daemon, token: str = "", **headers: str
) -> AsyncIterator[httpx2.AsyncClient]:
    """A program with the person's token, or another one, over the socket."""
    bearer = {"Authorization": f"Bearer {token or daemon.tokens.person}", **headers}
    async with httpx2.AsyncClient(
        transport=httpx2.AsyncHTTPTransport(uds=str(daemon.path)),
        base_url="http://hearth",
        headers=bearer,
        timeout=PATIENCE,
    ) as client:
        yield client


@asynccontextmanager
async def watched(client: httpx2.AsyncClient, path: str, **headers: str) -> AsyncIterator[Watched]:
    """A stream that is open, with its first patch."""
    async with client.stream("GET", path, headers=headers) as response:
        if response.status_code != 200:
            raise AssertionError(f"{response.status_code}: {(await response.aread()).decode()}")
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        one = Watched(response)
        await one.patched(1)
        yield one
