"""What a client of MCP says on one line, and what goes with it to the daemon. Pure."""

from __future__ import annotations

from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INTERNAL_ERROR: Final = -32603
CONNECTION_LOST: Final = -32000
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""What every request of the stateless era carries in its `_meta`."""
NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods that are about something with a name, and the parameter that holds it."""
TASK: Final = "taskId"
INITIALIZE: Final = "initialize"
INITIALIZED: Final = "notifications/initialized"
CANCELLED: Final = "notifications/cancelled"
CALL: Final = "tools/call"
WITHOUT_SESSION: Final = frozenset(
    {
        *("create_session", "list_sessions", "switch_session"),
        *("get_available_projects", "import_session"),
    }
)
"""Tools of hearth that are about no session, or say themselves about which."""
LISTEN: Final = "subscriptions/listen"
"""Is answered when nobody wants to hear more."""

_SAFE: Final = frozenset(map(chr, range(0x20, 0x7F)))


class NotUnderstood(Exception):
    """A line is no message: why, as an error of JSON-RPC that can be sent back."""

    def __init__(self, code: int, why: str, about: Any = None) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.about = about
        """The id of what was asked, as far as one can be seen."""


class Message:
    """One message: a request has an id and a method, a notification no id, an answer no method."""

    __slots__ = ("has_id", "id", "method", "params", "raw", "version")

    def __init__(self, raw: bytes, said: dict[str, Any]) -> None:
        self.raw = raw
        self.has_id = "id" in said
        self.id = said.get("id")
        self.method = str(said.get("method", ""))
        params = said.get("params")
        self.params: dict[str, Any] = params if isinstance(params, dict) else {}
        meta = self.params.get("_meta")
        self.version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        """Of the protocol, if the message says it itself, as those of the stateless era do."""

    @property
    def is_request(self) -> bool:
        """Whether somebody waits for an answer to it."""
        return bool(self.method) and self.has_id

    @property
    def is_modern(self) -> bool:
        """Whether it is of the era in which each request stands for itself."""
        return self.is_request and self.version is not None

    @property
    def cancels(self) -> object:
        """The key of the request that it takes back; None if it takes back none."""
        return key_of(self.params.get("requestId")) if self.method == CANCELLED else None


def understood(line: bytes) -> Message:
    """The message on this line. NotUnderstood."""
    try:
        said = plain_json.loads(line)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise NotUnderstood(PARSE_ERROR, f"the line is no JSON: {why}") from None
    if isinstance(said, list):
        why = "a list of messages is not taken: write each on a line of its own"
        raise NotUnderstood(INVALID_REQUEST, why)
    if not isinstance(said, dict):
        raise NotUnderstood(INVALID_REQUEST, "a message is an object")
    is_answer = "id" in said and ("result" in said or "error" in said)
    if not isinstance(said.get("method"), str) and not ("method" not in said and is_answer):
        why = "a message has a method, or answers one with result or error"
        raise NotUnderstood(INVALID_REQUEST, why, said.get("id"))
    return Message(line, said)


def key_of(request_id: object) -> object:
    """What tells requests apart: 1 and "1" are two. None for what is no id."""
    if isinstance(request_id, str) or (
        isinstance(request_id, int) and not isinstance(request_id, bool)
    ):
        return (type(request_id).__name__, request_id)
    return None


def routing_headers(message: Message) -> dict[str, str]:
    """What a stateless request says of itself in its headers, for whoever does not read bodies."""
    headers = {
        "MCP-Protocol-Version": header_value(str(message.version)),
        "Mcp-Method": header_value(message.method),
    }
    key = NAMED_BY.get(message.method) or (TASK if message.method.startswith("tasks/") else "")
    name = message.params.get(key)
    if isinstance(name, str):
        headers["Mcp-Name"] = header_value(name)
    return headers


def header_value(text: str) -> str:
    """Text as the value of a header: as it is where that comes through, else in base64."""
    is_wrapped = text.startswith("=?base64?") and text.endswith("?=")
    if text == text.strip() and not is_wrapped and all(one in _SAFE for one in text):
        return text
    from base64 import b64encode  # noqa: PLC0415 - names that need it are rare

    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def with_session(message: Message, session: str) -> Message:
    """The same call in a session that is named, if it is a call that names none and should."""
    if message.method != CALL or message.params.get("name") in WITHOUT_SESSION:
        return message
    arguments = message.params.get("arguments", {})
    if not isinstance(arguments, dict) or "session" in arguments:
        return message
    said = plain_json.loads(message.raw)
    said["params"]["arguments"] = {**arguments, "session": session}
    return Message(plain_json.dumps(said).encode("ascii"), said)


def request_line(about: str, method: str, params: dict[str, Any]) -> bytes:
    """A request of the bridge's own."""
    said = {"jsonrpc": "2.0", "id": about, "method": method, "params": params}
    return plain_json.dumps(said).encode("ascii")
