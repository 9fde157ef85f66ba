"""What is asked of the daemon, and what it answers."""

from __future__ import annotations

import os
import time

from hearth.clients.cli.troubles import REFUSED, UNREACHABLE, Trouble, unreachable
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping
    from typing import Any


class Answer:
    """What the daemon answered."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        """The body, decoded. Trouble if it is no JSON."""
        try:
            return plain_json.loads(self.body)
        except (ValueError, RecursionError):
            raise unreachable(
                f"the daemon answered with something else than JSON (status {self.status})",
                code="protocol",
            ) from None

    def good(self) -> Any:
        """The body, decoded; None if there is none. Trouble if the daemon refused, in its words."""
        if 200 <= self.status < 300:
            return self.json() if self.body else None
        raise self.trouble()

    def trouble(self) -> Trouble:
        """What the daemon says is wrong."""
        said = self.json()
        error = said.get("error") if isinstance(said, dict) else None
        if not isinstance(error, dict):
            return unreachable(f"the daemon answered with status {self.status}", code="protocol")
        ours = self.status == 426 or (self.status >= 500 and self.status != 503)
        return Trouble(
            str(error.get("message", "")) or f"the daemon answered with status {self.status}",
            hint=str(error.get("hint", "")),
            code=str(error.get("code", "refused")),
            ending=UNREACHABLE if ours else REFUSED,
            more={key: one for key, one in error.items() if key not in {"message", "hint", "code"}},
        )


class Request:
    """What is asked of the daemon. `wait`: seconds within which the outcome is wanted."""

    __slots__ = ("body", "key", "method", "path", "wait")

    def __init__(
        self, method: str, path: str, body: Any = None, *, wait: float = 0.0, key: str = ""
    ) -> None:
        self.method = method
        self.path = path
        self.body = body
        self.wait = wait
        self.key = key
        """Makes a repetition safe: the daemon accepts it at most once."""


def fresh_key() -> str:
    """An id for one command, such as the daemon gives them: later ones sort after earlier ones."""
    return f"{time.time_ns() // 1_000_000:012x}-{os.urandom(10).hex()}"


def quoted(text: str) -> str:
    """Text as one part of a path or a query."""
    kept = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~"
    raw = text.encode("utf-8", "surrogateescape")
    return "".join(chr(one) if one in kept else f"%{one:02X}" for one in raw)
