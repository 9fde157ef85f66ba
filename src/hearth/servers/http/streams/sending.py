"""An answer that goes on for as long as somebody listens."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hearth.servers.http.conversation import GONE

HEADERS: Final = {"X-Accel-Buffering": "no"}
"""What stands between us and a browser must pass everything on at once."""


class Source(Protocol):
    """Where the bytes of a stream come from."""

    @property
    def beginning(self) -> bytes:
        """What to send first; may be empty."""

    async def next(self) -> bytes:
        """What to send now, waiting until there is something; empty at the end."""

    def close(self) -> None:
        """Let go of everything, at once."""


class EventStream(Response):
    """Server-sent events out of a source, which is closed when either side ends it.

    A client that does not read is not written to: what it misses is the source's affair.
    """

    media_type = "text/event-stream"

    def __init__(self, source: Source, leave: Callable[[], None]) -> None:
        # Not the parent's: it would promise a length.
        self.status_code = 200
        self.background = None
        self.init_headers(HEADERS)
        self._source = source
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the source ends or the client is gone."""
        del receive
        # In a task of its own, so that a client that is gone ends this and nothing else.
        sending = asyncio.create_task(self._send(send))
        forget = scope["extensions"][GONE]["tell"](sending.cancel)
        try:
            await asyncio.wait({sending})
        finally:
            forget()
            sending.cancel()
            self._source.close()
            self._leave()
        if not sending.cancelled():
            sending.result()

    async def _send(self, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        # Each `send` waits until the client has taken most of what it was sent before.
        if beginning := self._source.beginning:
            await send({"type": "http.response.body", "body": beginning, "more_body": True})
        while piece := await self._source.next():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
