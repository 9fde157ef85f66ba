"""What a client of the earlier era agreed on with the daemon, and how it is agreed on anew. Pure.

In that era a connection begins with `initialize` and lives in the daemon. When the daemon is
another one, the bridge says again what the client had said, and the client notices nothing.
"""

from __future__ import annotations

from hearth.clients.mcp.messages import CALL, Message, request_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final, Literal

    State = Literal["none", "opening", "open", "lost"]

SWITCH: Final = "switch_session"
CHOOSING: Final = frozenset({SWITCH, "create_session"})
"""Tools after which a connection uses another session where none is named."""
MOST_SUBSCRIPTIONS: Final = 1000
OURS: Final = "hearth-bridge"
"""How the ids of the bridge's own requests begin."""


class Handshake:
    """How a connection of the earlier era stands."""

    def __init__(self) -> None:
        self.state: State = "none"
        self.id = ""
        """What the daemon calls the connection."""
        self.version = ""
        """Of the protocol that was agreed on."""
        self.chosen = ""
        """The session of hearth that the client has chosen for when it names none."""
        self.initialize: Message | None = None
        self.initialized: Message | None = None
        self._subscribed: dict[str, bytes] = {}
        self._level = b""

    @property
    def headers(self) -> dict[str, str]:
        """What every message of the connection carries."""
        if not self.id:
            return {}
        return {"Mcp-Session-Id": self.id, "MCP-Protocol-Version": self.version}

    def begin(self, initialize: Message) -> None:
        """The client begins, perhaps once more."""
        self.state, self.id, self.version = "opening", "", ""
        self.initialize, self.initialized = initialize, None
        self._subscribed, self._level, self.chosen = {}, b"", ""

    def opened(self, headers: dict[str, str], answer: dict[str, Any]) -> bool:
        """Take the daemon's answer to `initialize`; whether it agreed."""
        result = answer.get("result")
        if not isinstance(result, dict):
            return False
        self.id = headers.get("mcp-session-id", "")
        self.version = str(result.get("protocolVersion", ""))
        self.state = "open"
        return True

    def lose(self) -> None:
        """The daemon knows nothing of it any more."""
        self.id = ""
        if self.state == "open":
            self.state = "lost"

    def noted(self, message: Message, answer: dict[str, Any]) -> None:
        """Remember what has to be said again to another daemon."""
        result = answer.get("result")
        if not isinstance(result, dict):
            return
        match message.method:
            case "resources/subscribe" if len(self._subscribed) < MOST_SUBSCRIPTIONS:
                self._subscribed[str(message.params.get("uri"))] = message.raw
            case "resources/unsubscribe":
                self._subscribed.pop(str(message.params.get("uri")), None)
            case "logging/setLevel":
                self._level = message.raw
            case "tools/call" if message.params.get("name") in CHOOSING:
                shown = result.get("structuredContent")
                session = shown.get("session") if isinstance(shown, dict) else None
                if isinstance(session, str) and not result.get("isError"):
                    self.chosen = session
            case _:
                pass

    def again(self) -> list[bytes]:
        """What a new connection must be told behind `initialize`, in order."""
        confirmed = [self.initialized.raw] if self.initialized is not None else []
        level = [self._level] if self._level else []
        return [*confirmed, *level, *self._subscribed.values(), *self._choosing()]

    def _choosing(self) -> list[bytes]:
        if not self.chosen:
            return []
        call = {"name": SWITCH, "arguments": {"session": self.chosen}}
        return [request_line(f"{OURS}-session", CALL, call)]
