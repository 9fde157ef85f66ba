"""Lines out of bytes as they come, none of them longer than can be kept. Touches no file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

LONGEST: Final = 64 * 1024 * 1024
"""Bytes of one line."""


class Lines:
    """Feed it; whole lines come back, and None for each that was too long and is gone."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_lost = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that these bytes complete, without their ends; empty ones are left out."""
        *ends, rest = data.split(b"\n")
        found = [line for one in ends if (line := self._ended(one)) != b""]
        self._keep(rest)
        return found

    def ended(self) -> list[bytes | None]:
        """What stands behind the last end of a line, if anything."""
        return [line for line in [self._ended(b"")] if line != b""]

    def _ended(self, piece: bytes) -> bytes | None:
        self._keep(piece)
        line = None if self._is_lost else b"".join(self._pieces).strip(b" \t\r")
        self._pieces, self._size, self._is_lost = [], 0, False
        return line

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._longest:
            self._is_lost = True
            self._pieces = []
        elif piece:
            self._pieces.append(piece)
