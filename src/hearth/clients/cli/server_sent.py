"""Server-sent events, taken in as their bytes come. Touches no socket."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

LARGEST: Final = 32 * 1024 * 1024
"""Bytes of one event; no event and no progress of a daemon comes near it."""


class TooMuch(Exception):
    """An event has no end."""


class Sent:
    """One event: a row of the log has an id, its cursor; progress has none."""

    __slots__ = ("data", "id", "kind")

    def __init__(self, kind: str, data: str, cursor: str) -> None:
        self.kind = kind
        self.data = data
        self.id = cursor


class ServerSent:
    """Feed it; complete events come back. Comments, which keep a connection alive, do not."""

    def __init__(self) -> None:
        self._line = b""
        self._size = 0
        self._forget()

    def feed(self, data: bytes) -> list[Sent]:
        """The events that these bytes complete. TooMuch."""
        found: list[Sent] = []
        *lines, self._line = (self._line + data).split(b"\n")
        self._size += len(data)
        for line in lines:
            if text := line.removesuffix(b"\r").decode("utf-8", "replace"):
                self._field(text)
            else:
                if self._data:
                    found.append(Sent(self._kind, "\n".join(self._data), self._id))
                self._forget()
                self._size = len(self._line)
        if self._size > LARGEST:
            raise TooMuch
        return found

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._data.append(value)
            case "event":
                self._kind = value
            case "id":
                self._id = value
            case _:
                pass  # a comment, or something that a later daemon says

    def _forget(self) -> None:
        self._kind = ""
        self._id = ""
        self._data: list[str] = []
