"""HTTP by hand: what no decent client would send, over a real socket."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from tests.servers.http.serving import PATIENCE, Served

CRLF: Final = b"\r\n"


@dataclass(frozen=True)
class Heard:
    """A response, read to the end of its body or of the connection."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)["error"]
        return found


def request(method: str, path: str, headers: Iterable[tuple[str, str]], body: bytes = b"") -> bytes:
    """A request, exactly so; the length of a body is added."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


async def say(daemon: Served, raw: bytes, *, rest: bytes = b"") -> Heard:
    """Send over TCP, and hear the answer; what the rest meets does not matter."""
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        try:
            writer.write(raw)
            heard = asyncio.ensure_future(hear(reader))
            if rest:
                try:
                    writer.write(rest)
                    await writer.drain()
                except ConnectionError:
                    pass  # It was refused before it was all sent, as it should be.
            return await heard
        finally:
            writer.transport.abort()


async def hear(reader: asyncio.StreamReader) -> Heard:
    """One response."""
    head = await reader.readuntil(CRLF + CRLF)
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    length = headers.get("content-length")
    body = b"" if length is None else await reader.readexactly(int(length))
    return Heard(int(first.split()[1]), headers, body)
