"""The connection of the earlier era to one daemon after another, and its stream of messages."""

from __future__ import annotations

from collections import deque

from hearth.clients.mcp.errand import Errand
from hearth.clients.mcp.handshake import Handshake

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Any


class Resuming:
    """What was agreed on with a daemon, and how another one is told of it.

    `send` sends something off, or says that it could not; `refused` is told why a daemon does not
    take the client back.
    """

    def __init__(
        self,
        send: Callable[[Errand], bool],
        refused: Callable[[str], None],
        note: Callable[[str], None],
    ) -> None:
        self.handshake = Handshake()
        self.stream: Errand | None = None
        self._send = send
        self._refused = refused
        self._note = note
        self._has_stream = True
        """Whether the daemon offers a stream beside the requests, as far as is known."""

    @property
    def is_lost(self) -> bool:
        """Whether a daemon has to be told anew."""
        return self.handshake.state == "lost"

    @property
    def waits_for_stream(self) -> bool:
        """Whether the stream should be open and is not."""
        handshake = self.handshake
        is_open = bool(handshake.id and handshake.initialized) and handshake.state == "open"
        return is_open and self._has_stream and self.stream is None

    def lose(self) -> None:
        """The daemon is gone, and with it what was agreed on."""
        self.handshake.lose()
        self._has_stream = True

    def resume(self) -> None:
        """Say to a daemon what the client had said, invisibly."""
        initialize = self.handshake.initialize
        if initialize is None:
            return
        self.handshake.state = "opening"
        errand = Errand("POST", initialize.raw)

        def then(said: dict[str, Any] | None) -> None:
            headers = errand.exchange.headers if errand.exchange is not None else {}
            if said is not None and self.handshake.opened(headers, said):
                self.handshake.state = "opening"
                self._step(deque(self.handshake.again()))
            else:
                self._not_resumed(said)

        errand.then = then
        self._send_own(errand)

    def confirmed(self) -> None:
        """The daemon knows that the client is there: the connection is open."""
        self._step(deque())

    def open_stream(self) -> None:
        """Hear what the daemon says by itself, if it does."""
        errand = Errand("GET")
        if self._send(errand):
            self.stream = errand

    def stream_ended(self, status: int) -> None:
        """The daemon ended the stream, or has none."""
        self.stream = None
        if status == 404:
            self.handshake.lose()
        elif status >= 400:
            self._has_stream = False

    def _step(self, steps: deque[bytes]) -> None:
        """Send these one behind the other; then the connection is open."""
        if not steps:
            self.handshake.state = "open"
            if self.waits_for_stream:
                self.open_stream()
            return
        body = steps.popleft()

        def then(said: dict[str, Any] | None) -> None:
            if said is None:
                self._not_resumed(None)
                return
            result = said.get("result")
            if "error" in said or (isinstance(result, dict) and result.get("isError")):
                what = body[:200].decode("utf-8", "replace")
                self._note(f"this does not hold any more with the new daemon: {what}")
            self._step(steps)

        self._send_own(Errand("POST", body, then=then))

    def _send_own(self, errand: Errand) -> None:
        if not self._send(errand) and errand.then is not None:
            errand.then(None)

    def _not_resumed(self, said: dict[str, Any] | None) -> None:
        self.handshake.state = "open"
        self.handshake.lose()
        error = said.get("error") if said else None
        why = str(error.get("message", "")) if isinstance(error, dict) else ""
        self._refused(why)
