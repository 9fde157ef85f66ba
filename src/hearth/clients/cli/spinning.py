"""Something that turns while a person waits: one line of the terminal, which goes away again."""

from __future__ import annotations

import sys
import time

from hearth.clients.cli.noting import PassingLine
from hearth.clients.cli.showing import columns, first_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

EACH: Final = 0.1
"""Seconds between two pictures."""
SOON: Final = 0.15
"""Seconds that nobody minds: what is done by then is not worth a line."""
_ROUND: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN: Final = "-\\|/"


class Spinner(PassingLine):
    """A line that turns."""

    def __init__(self) -> None:
        super().__init__()
        encoding = (getattr(sys.stderr, "encoding", "") or "").lower()
        self._round = _ROUND if encoding.replace("-", "") == "utf8" else _PLAIN
        self._text = ""
        self._since = 0.0

    @property
    def is_turning(self) -> bool:
        """Whether it wants to be turned, every `EACH` seconds."""
        return self.is_seen and bool(self._text)

    def say(self, text: str) -> None:
        """Show this, soon, until `stop`."""
        if not self._text:
            self._since = time.monotonic()
        self._text = text

    def begin(self, text: str) -> None:
        """Show this as something new to wait for."""
        self._since = time.monotonic()
        self._text = text

    def turn(self) -> None:
        """Draw the next picture."""
        passed = time.monotonic() - self._since
        if not self.is_turning or passed < SOON:
            return
        sign = self._round[int(passed / EACH) % len(self._round)]
        sys.stdout.flush()
        self.draw(f"{sign} {first_line(self._text, _room())}", passed)

    def stop(self) -> None:
        """Take it away for good; there is nothing to wait for."""
        self._text = ""
        self.clear()


def _room() -> int:
    """Characters that fit into one line of this terminal: a second one could not be taken away."""
    return max(10, min(columns(sys.stderr) - 14, 66))
