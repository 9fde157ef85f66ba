"""What a call of a tool comes to: a value, or an exception that says why there is none."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_PUBLIC: Final = "hearth_tools"


class ToolError(Exception):
    """A tool could not be called, or says itself that it failed."""

    __module__ = _PUBLIC


class NotAllowed(ToolError):
    """A rule forbids the call, or a person would have to be asked. Nothing was run."""

    __module__ = _PUBLIC


class NotAvailable(ToolError):
    """There is no such server or tool here, or hearth cannot be reached. Nothing was run."""

    __module__ = _PUBLIC


class NoSuchServer(NotAvailable, ImportError):
    """What `from hearth_tools import name` raises for a name that nothing has."""

    __module__ = _PUBLIC


class NoSuchTool(NotAvailable, AttributeError):
    """What `server.name` raises for a name that no tool of it has."""

    __module__ = _PUBLIC


_KINDS: Final[Mapping[str, type[ToolError]]] = {
    "not_allowed": NotAllowed,
    "not_available": NotAvailable,
}


class Picture:
    """A picture that a tool gave. It shows itself where a cell's value is shown."""

    __module__ = _PUBLIC

    def __init__(self, media_type: str, encoded: str) -> None:
        self.media_type = media_type
        self._encoded = encoded

    @property
    def data(self) -> bytes:
        """What would stand in a file."""
        return base64.b64decode(self._encoded)

    def save(self, path: "str | Path") -> None:
        """Write it to a file."""
        Path(path).write_bytes(self.data)

    def __repr__(self) -> str:
        return f"<Picture {self.media_type}, {len(self._encoded) * 3 // 4} bytes>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {self.media_type: self._encoded, "text/plain": repr(self)}


def value_of(answer: Mapping[str, Any]) -> Any:
    """What a call gives: an object, a text or a picture; a list, if it is more than one of them."""
    parts: list[Any] = []
    if answer.get("structured") is not None:
        parts.append(answer["structured"])
    elif answer.get("text"):
        parts.append(answer["text"])
    pictures = answer.get("pictures") or ()
    parts += [Picture(str(one["media_type"]), str(one["data"])) for one in pictures]
    if not parts:
        return ""
    return parts[0] if len(parts) == 1 else parts


def error_of(told: Mapping[str, Any]) -> ToolError:
    """The exception for what the daemon says is wrong."""
    return _KINDS.get(str(told.get("kind")), ToolError)(str(told.get("text") or "it failed"))
