"""Something that is brought to the daemon, and how it is written down as HTTP."""

from __future__ import annotations

import _socket as socket

from hearth.clients.cli.messages import quoted
from hearth.daemon.versions import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable, Mapping
    from typing import Any

    from hearth.clients.mcp.exchange import Exchange
    from hearth.clients.mcp.messages import Message
    from hearth.daemon.discovery import Found


class How:
    """As whom and from where a bridge speaks."""

    __slots__ = ("directory", "home", "may_start", "session", "token")

    def __init__(
        self, home: str, directory: str, *, token: str = "", session: str = "", may_start: bool
    ) -> None:
        self.home = home
        self.directory = directory
        self.token = token
        """Empty: the person's own."""
        self.session = session
        self.may_start = may_start


class Errand:
    """A message of the client, or one of the bridge's own, whose answer goes to `then` alone."""

    __slots__ = (
        *("body", "exchange", "headers", "heard", "is_answered", "message", "method", "path"),
        *("place", "then", "tries"),
    )

    def __init__(
        self,
        method: str,
        body: bytes = b"",
        *,
        path: str = "/mcp",
        message: Message | None = None,
        then: Callable[[dict[str, Any] | None], None] | None = None,
    ) -> None:
        self.method = method
        self.path = path
        self.body = body
        self.message = message
        self.then = then
        self.place = 0
        """Of a message of the client: how many it had said by then."""
        self.headers: Mapping[str, str] = {}
        """What it was sent with the last time."""
        self.exchange: Exchange | None = None
        self.heard: dict[str, Any] | None = None
        """The answer to one of the bridge's own."""
        self.is_answered = False
        self.tries = 0

    @property
    def is_request(self) -> bool:
        """Whether the client waits for an answer."""
        return self.message is not None and self.message.is_request

    @property
    def is_modern(self) -> bool:
        """Whether it stands for itself, and hanging up takes it back."""
        return self.message is not None and self.message.is_modern


def request_bytes(
    errand: Errand, line: socket.socket, found: Found, how: How, headers: Mapping[str, str]
) -> bytes:
    """The request of an errand."""
    is_local = line.family == socket.AF_UNIX
    accepted = (
        "text/event-stream" if errand.method == "GET" else "application/json, text/event-stream"
    )
    lines = [
        f"{errand.method} {errand.path} HTTP/1.1",
        f"Host: {'hearth' if is_local else f'127.0.0.1:{found.port}'}",
        f"Authorization: Bearer {how.token or found.token}",
        f"Hearth-Client: {VERSION}",
        f"Accept: {accepted}",
    ]
    if how.directory:
        lines.append(f"Hearth-Directory: {quoted(how.directory)}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if errand.method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(errand.body)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + errand.body
