"""One request to the daemon and what comes back, over a socket that never waits."""

from __future__ import annotations

import _socket as socket
import time

from hearth.clients.cli.server_sent import ServerSent, TooMuch
from hearth.clients.incoming import Incoming, NotHttp

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Final

    from hearth.daemon.discovery import Found

CONNECTING: Final = 5.0
PIECE: Final = 256 * 1024
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of an answer that is no stream."""
FRESH: Final = 2.0
"""Seconds that a connection may have been idle to be used again: no daemon closes it by then."""
MOST_IDLE: Final = 16


class Lost(Exception):
    """The connection broke off, or what came over it is no answer; the text says how."""


class Exchange:
    """A request on its way, then its answer."""

    def __init__(self, line: socket.socket, request: bytes) -> None:
        self.line = line
        self._out = memoryview(request)
        self._incoming = Incoming()
        self._events: ServerSent | None = None
        self._body: list[bytes] = []
        self._size = 0

    @property
    def wants_to_write(self) -> bool:
        """Whether something of the request was not sent yet."""
        return len(self._out) > 0

    @property
    def status(self) -> int:
        """Of the answer; 0 until it is known."""
        return self._incoming.status

    @property
    def headers(self) -> dict[str, str]:
        """Of the answer, by their names in lower case."""
        return self._incoming.headers

    @property
    def is_done(self) -> bool:
        """Whether the answer is complete."""
        return self._incoming.done

    @property
    def is_stream(self) -> bool:
        """Whether the answer is a stream of messages."""
        return self._events is not None

    @property
    def body(self) -> bytes:
        """What came, if it is no stream."""
        return b"".join(self._body)

    @property
    def is_reusable(self) -> bool:
        """Whether the next request can go the same way."""
        closes = self.headers.get("connection", "").lower() == "close"
        return self.is_done and not (self.wants_to_write or self._incoming.rest or closes)

    def write(self) -> None:
        """Send what can be sent now."""
        try:
            while self._out:
                self._out = self._out[self.line.send(self._out[:PIECE]) :]
        except BlockingIOError:
            pass  # the rest when there is room
        except OSError:
            # Whoever refuses a large body hangs up behind the answer, which is there to read.
            self._out = self._out[:0]

    def read(self) -> list[str]:
        """The messages of a stream that have come. Lost."""
        try:
            data = self.line.recv(PIECE)
            if not data:
                self._incoming.ended()
            return self._taken(self._incoming.feed(data))
        except BlockingIOError:
            return []
        except TooMuch:
            raise Lost("a message of the daemon has no end") from None
        except (OSError, NotHttp) as error:
            raise Lost(str(error)) from None

    def close(self) -> None:
        """Hang up. For a stateless request this is how it is taken back."""
        self.line.close()

    def _taken(self, body: bytes) -> list[str]:
        kind = self.headers.get("content-type", "").lower()
        if self._events is None and self.status == 200 and kind.startswith("text/event-stream"):
            self._events = ServerSent()
        if self._events is not None:
            return [one.data for one in self._events.feed(body) if one.kind in {"", "message"}]
        self._body.append(body)
        self._size += len(body)
        if self._size > LARGEST:
            raise Lost(f"the answer has more than {LARGEST} bytes")
        return []


class Connections:
    """The ways to one daemon; those that are idle for a moment are used again."""

    def __init__(self, found: Found, connect: Callable[[Found], socket.socket]) -> None:
        self.found = found
        self._connect = connect
        self._idle: list[tuple[socket.socket, float]] = []

    def take(self) -> socket.socket:
        """A connection. OSError if the daemon cannot be reached."""
        while self._idle:
            line, since = self._idle.pop()
            if time.monotonic() - since < FRESH and _is_quiet(line):
                return line
            line.close()
        return self._connect(self.found)

    def give_back(self, line: socket.socket) -> None:
        """Take one that is idle now."""
        self._idle.append((line, time.monotonic()))
        if len(self._idle) > MOST_IDLE:
            self._idle.pop(0)[0].close()

    def close(self) -> None:
        """Let all go that are idle."""
        while self._idle:
            self._idle.pop()[0].close()


def connected(found: Found) -> socket.socket:
    """A new connection that never waits: over the unix socket, or else over loopback. OSError."""
    if found.socket:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            return _opened(line, found.socket)
        except OSError:
            line.close()  # it may still listen on its port
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        _opened(line, ("127.0.0.1", found.port))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        line.close()
        raise
    return line


def _opened(line: socket.socket, address: str | tuple[str, int]) -> socket.socket:
    line.settimeout(CONNECTING)
    line.connect(address)
    line.settimeout(0)
    return line


def _is_quiet(line: socket.socket) -> bool:
    """Whether nothing came where nothing was asked: what could be read is the end."""
    try:
        line.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
