"""A loopback forwarder that has the token, for a suite that has none to send.

It changes nothing else: bytes of headers go on as they came, foreign hosts and origins included, so
that what the guard says to them is the guard's. Only its own port is named as that of the daemon.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

MOST: Final = 64 * 1024
_ADDRESSED = re.compile(rb"(?im)^((?:host|origin):[^\r\n]*:)(\d+)([ \t]*\r)$")


def forwarded(head: bytes, own: int, port: int, token: str) -> bytes:
    """The headers of a request as the daemon gets them."""

    def named(found: re.Match[bytes]) -> bytes:
        there = b"%d" % port if int(found[2]) == own else found[2]
        return found[1] + there + found[3]

    first, _, rest = head.partition(b"\r\n")
    rest = _ADDRESSED.sub(named, rest)
    rest = re.sub(rb"(?im)^connection:[^\r\n]*\r\n", b"", rest)
    added = b"Authorization: Bearer %s\r\nConnection: close\r\n" % token.encode()
    return first + b"\r\n" + added + rest


@asynccontextmanager
async def forwarding(port: int, token: str) -> AsyncIterator[int]:
    """Forward to the daemon at this port, from the one that is yielded."""
    going: set[asyncio.Task[None]] = set()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = writer.get_extra_info("sockname")[1]
        with suppress(OSError, EOFError):
            head = await reader.readuntil(b"\r\n\r\n")
            there, onward = await asyncio.open_connection("127.0.0.1", port)
            onward.write(forwarded(head, own, port, token))
            back = asyncio.create_task(_copy(there, writer))
            forth = asyncio.create_task(_copy(reader, onward))
            # Whoever hangs up first, the other hears of it.
            await asyncio.wait({back, forth}, return_when=asyncio.FIRST_COMPLETED)
            for one in (back, forth):
                one.cancel()
            onward.close()
        writer.close()

    def began(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(forward(reader, writer))
        going.add(task)
        task.add_done_callback(going.discard)

    server = await asyncio.start_server(began, "127.0.0.1", 0, limit=MOST)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tuple(going):
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(MOST):
            writer.write(piece)
            await writer.drain()
