"""One connection: uvicorn's, with bounds on what is read before anybody looks at it.

uvicorn keeps every header it is sent and waits for the last of them for ever. Here both end: what
has too many headers or takes too long for them is answered and hung up on.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Literal

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from hearth.servers.http.answers import Trouble, wire_bytes

MOST_HEADERS: Final = 64
MOST_HEADER_BYTES: Final = 32 * 1024
LONGEST_URL: Final = 8 * 1024
HEADERS_WITHIN: Final = 10.0
"""So many seconds pass at most between the first byte of a request and the last of its headers."""

TOO_MANY_HEADERS: Final = (
    "too_many_headers",
    f"a request has at most {MOST_HEADERS} headers, of {MOST_HEADER_BYTES} bytes in all",
)

TRANSPORT: Final = "hearth.transport"
GONE: Final = "hearth.gone"
"""Names of our additions to a request's scope: `tcp` or `unix`, and who hears of a lost client."""

Listener = Callable[[], object]


class Conversation(HttpToolsProtocol):
    """A connection that cannot be used to fill the memory or to wait for ever."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        over: Literal["tcp", "unix"],
        on_lost: Listener,
    ) -> None:
        super().__init__(config, server_state, app_state, asyncio.get_running_loop())
        self._over = over
        self._on_lost = on_lost
        self._listeners: set[Listener] = set()
        self._size = 0
        self._in_headers = True
        self._unseen = 0
        self._refused = False
        self._patience: asyncio.TimerHandle | None = None

    # -- the connection -----------------------------------------------------------------------

    def connection_made(  # type: ignore[override] # uvicorn declares the narrower type too
        self, transport: asyncio.Transport
    ) -> None:
        """Somebody called; a caller who says nothing is not waited for."""
        super().connection_made(transport)
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever works for this client that it is gone."""
        self._no_wait()
        super().connection_lost(exc)
        for listener in tuple(self._listeners):
            listener()
        self._listeners.clear()
        self._on_lost()

    def data_received(self, data: bytes) -> None:
        """Read on, unless this client was refused already."""
        if self._refused:
            return
        waited = self._in_headers
        try:
            super().data_received(data)
        except httptools.HttpParserError:
            # Of what stands behind an upgrade that is not done nothing is read.
            self._refuse(400, "malformed", "this is not a request after HTTP/1.1")
        # The parser tells of a header when it is complete: one without an end is seen here.
        self._unseen = self._unseen + len(data) if waited and self._in_headers else 0
        if self._unseen > MOST_HEADER_BYTES:
            self._refuse(431, *TOO_MANY_HEADERS)

    def abort(self) -> None:
        """End it now, whatever is under way."""
        self.transport.abort()

    # -- one request --------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._size = 0
        self._in_headers = True
        self.scope["extensions"] = {TRANSPORT: {"over": self._over}, GONE: {"tell": self._tell}}
        if self._patience is None:
            self._wait_for_headers()

    def on_url(self, url: bytes) -> None:
        """Take a piece of its address."""
        super().on_url(url)
        if len(self.url) > LONGEST_URL:
            self._too_much(414, "too_large", f"an address has at most {LONGEST_URL} bytes")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take one header."""
        self._size += len(name) + len(value)
        if len(self.headers) >= MOST_HEADERS or self._size > MOST_HEADER_BYTES:
            self._too_much(431, *TOO_MANY_HEADERS)
        if self._in_headers:
            # What comes behind the body is no header: the guard looked at those before. Blanks
            # around a value are not part of it, and the parser leaves those that follow it.
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """All headers are there: the guard is asked."""
        self._no_wait()
        self._in_headers = False
        if not self.url.startswith(b"/"):
            # An address with a host of its own would be meant for that host, not for us.
            self._too_much(400, "malformed", "a request names a path that begins with /")
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Say that this is no request; unless it was said better."""
        self._refuse(400, "malformed", msg.rstrip("."))

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing in the log: an upgrade is answered like any other request."""

    # -- refusing -----------------------------------------------------------------------------

    def _tell(self, listener: Listener) -> Callable[[], None]:
        """Call this when the client is gone; the answer takes it back."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def _too_much(self, status: int, code: str, message: str) -> None:
        self._refuse(status, code, message)
        raise _Enough

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answer below the level of applications, and hang up."""
        self._no_wait()
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        answering = getattr(self.cycle, "response_complete", True) is False
        if not answering:
            # While an earlier request is being answered, nothing may come between.
            self.transport.write(wire_bytes(Trouble(status, code, message)))
        self.transport.close()

    def _wait_for_headers(self) -> None:
        self._no_wait()
        self._patience = self.loop.call_later(HEADERS_WITHIN, self._too_slow)

    def _no_wait(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _too_slow(self) -> None:
        self._patience = None
        message = f"the headers did not come within {HEADERS_WITHIN:g} seconds"
        self._refuse(408, "too_slow", message)


class _Enough(Exception):
    """Stops the parser; what it would have read has been answered."""
