"""Clients that follow a daemon over SSE, many of them in one process."""

import asyncio
import hashlib
from datetime import datetime
from time import time
from typing import Final, cast

import msgspec
from bench.daemons import Daemon

_HEAD_ENDS: Final = b"\r\n\r\n"


class _Row(msgspec.Struct):
    """Of an event: only when it came to be."""

    seq: int
    at: datetime


_rows = msgspec.json.Decoder(_Row)


class Follower(asyncio.Protocol):
    """Reads one stream; keeps a digest of all it got, and now and then how late it was."""

    def __init__(self, daemon: Daemon, path: str, *, watches: bool) -> None:
        self._ask = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.found.port}\r\n"
            f"Authorization: Bearer {daemon.found.token}\r\nConnection: close\r\n\r\n"
        ).encode()
        self._watches = watches
        self._rest = b""
        self._in_body = False
        self._chunk = b""
        self._digest = hashlib.sha256()
        self.seen = 0
        self.waits: list[float] = []
        self.open = asyncio.get_running_loop().create_future()
        self._wanted = 0
        self._full = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._ask)

    def data_received(self, data: bytes) -> None:
        """Take the head off, then the chunks apart, then the frames."""
        self._rest += data
        if not self._in_body:
            head, ends, rest = self._rest.partition(_HEAD_ENDS)
            if not ends:
                return
            if b" 200 " not in head.partition(b"\r\n")[0]:
                self.open.set_exception(TypeError(head.decode()))
                return
            self._in_body, self._rest = True, rest
            self.open.set_result(None)
        while (frame := self._frame()) is not None:
            if frame.startswith(b"id:") and b"\ndata:" in frame:
                self._see(frame)

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits need not wait any longer."""
        del exc
        if not self.open.done():
            self.open.set_exception(ConnectionError("it was closed before it began"))
        self._full.set()

    async def until(self, events: int) -> None:
        """Wait until so many events have come."""
        self._wanted = events
        if self.seen < events:
            self._full.clear()
            await self._full.wait()

    @property
    def digest(self) -> str:
        """Of all frames so far."""
        return self._digest.hexdigest()

    def _frame(self) -> bytes | None:
        """The next frame of the stream, out of however it was cut into chunks."""
        while b"\n\n" not in self._chunk:
            size, ends, rest = self._rest.partition(b"\r\n")
            if not ends:
                return None
            length = int(size, 16)
            if len(rest) < length + 2:
                return None
            self._chunk += rest[:length]
            self._rest = rest[length + 2 :]
        frame, _, self._chunk = self._chunk.partition(b"\n\n")
        return frame

    def _see(self, frame: bytes) -> None:
        self._digest.update(frame)
        self.seen += 1
        if self._watches:
            row = _rows.decode(frame.partition(b"data: ")[2])
            self.waits.append(time() - row.at.timestamp())
        if self.seen >= self._wanted:
            self._full.set()


async def follow(daemon: Daemon, path: str, *, watches: bool = False) -> Follower:
    """A follower whose stream has begun."""
    loop = asyncio.get_running_loop()
    _, follower = await loop.create_connection(
        lambda: Follower(daemon, path, watches=watches), "127.0.0.1", daemon.found.port
    )
    await follower.open
    return follower
