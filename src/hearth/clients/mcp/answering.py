"""What an answer of the daemon over HTTP means to who asked over stdio. Pure."""

from __future__ import annotations

from hearth.clients.mcp.messages import CONNECTION_LOST, INTERNAL_ERROR
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any


class Heard:
    """One message of the daemon: as it is written, and what it says."""

    __slots__ = ("said", "text")

    def __init__(self, text: str, said: dict[str, Any]) -> None:
        self.text = text
        self.said = said

    @property
    def is_answer(self) -> bool:
        """Whether it ends a request."""
        return "method" not in self.said and ("result" in self.said or "error" in self.said)

    @property
    def line(self) -> bytes:
        """As a line: JSON may be written over several, a message on stdout may not."""
        is_whole = "\n" not in self.text and "\r" not in self.text
        text = self.text if is_whole else plain_json.dumps(self.said)
        return text.encode("utf-8", "backslashreplace")


def heard(text: str) -> Heard | None:
    """The message that this text is; None if it is none."""
    try:
        said = plain_json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Heard(text, said) if isinstance(said, dict) else None


def outcome(about: Any, status: int, body: bytes) -> Heard:
    """The answer to a request out of a body that is no stream."""
    found = heard(body.decode("utf-8", "replace"))
    if found is not None and found.is_answer and found.said.get("jsonrpc"):
        if found.said.get("id") == about:
            return found
        # It was refused before anybody looked for its id.
        return _made({**found.said, "id": about})
    error = found.said.get("error") if found is not None else None
    if isinstance(error, dict):
        # The daemon's own door turned it away, in its own words.
        why, hint = str(error.get("message", "")), str(error.get("hint", ""))
        data = {"status": status, "code": error.get("code"), "hint": hint}
        return refusal(about, INTERNAL_ERROR, f"{why}; hint: {hint}" if hint else why, data)
    why = f"hearth's daemon answered with status {status} and nothing that MCP knows"
    return refusal(about, INTERNAL_ERROR, why, {"status": status})


def unanswered(about: Any, why: str) -> Heard:
    """The answer to a request whose answer never came."""
    return refusal(
        about,
        CONNECTION_LOST,
        f"the connection to hearth's daemon was lost before the answer came ({why}); it was not"
        " sent again, because it may have taken effect: look before you repeat it",
        {"code": "connection_lost"},
    )


def refusal(about: Any, code: int, why: str, data: Any = None) -> Heard:
    """A request answered with an error, as the daemon would send it."""
    error: dict[str, Any] = {"code": code, "message": why}
    if data is not None:
        error["data"] = data
    return _made({"jsonrpc": "2.0", "id": about, "error": error})


def is_forgotten(status: int, body: bytes) -> bool:
    """Whether the daemon says that it does not know the connection, and so has done nothing."""
    found = heard(body.decode("utf-8", "replace")) if status == 404 else None
    return found is not None and "jsonrpc" in found.said


def _made(said: dict[str, Any]) -> Heard:
    return Heard(plain_json.dumps(said), said)
