"""One HTTP/1.1 connection from the side of a server, in as much as providers need."""

import asyncio
import contextlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

LARGEST_HEAD = 1 << 20


class Asked(NamedTuple):
    """A request."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """Reads requests and writes answers, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def head(self) -> bytes | None:
        """The first lines of the next request; None: the other side has left."""
        try:
            return await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None

    async def rest(self, head: bytes) -> Asked:
        """The request that begins so."""
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        if headers.get("transfer-encoding", "") == "chunked":
            body = await self._chunks()
        else:
            body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        return Asked(first.split(" ")[1], headers, body)

    def answer(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Write a whole answer."""
        self._head(status, {**headers, "content-length": str(len(body))})
        self._writer.write(body)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Begin an answer that comes in chunks."""
        self._head(200, {**headers, "transfer-encoding": "chunked"})

    def chunk(self, data: bytes) -> None:
        """Write a part of it."""
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """It is complete."""
        self._writer.write(b"0\r\n\r\n")

    async def flush(self) -> None:
        """Hand on what was written. ConnectionError: the other side has left."""
        await self._writer.drain()

    async def left(self) -> None:
        """Wait until the other side has left."""
        while await self._reader.read(1 << 16):
            pass

    async def close(self) -> None:
        """Leave, after what was written."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):  # the other side was faster
            await self._writer.wait_closed()

    def abort(self) -> None:
        """Leave at once."""
        self._writer.transport.abort()

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        names = {one.value: one.phrase for one in HTTPStatus}
        lines = [f"HTTP/1.1 {status} {names.get(status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def _chunks(self) -> bytes:
        body = bytearray()
        while size := int(await self._reader.readline(), 16):
            body += await self._reader.readexactly(size)
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return bytes(body)
