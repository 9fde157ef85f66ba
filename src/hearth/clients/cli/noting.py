"""What is going on while a person waits: one line of the terminal, which goes away again."""

from __future__ import annotations

import sys
import time

from hearth.clients.cli.showing import DIM, first_line, is_terminal, painted

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

SOON: Final = 0.5
"""Seconds that nobody minds: what is done by then is not worth a line."""
_CLEAR: Final = "\r\x1b[K"


class PassingLine:
    """A line on stderr that changes. Where no person looks, it is not written at all."""

    def __init__(self) -> None:
        self.is_seen = is_terminal(sys.stderr)
        self._is_there = False

    def draw(self, text: str, passed: float) -> None:
        """Show this in place of what was there, and how many seconds have passed."""
        if self.is_seen:
            since = f" ({int(passed)} s)" if passed >= 1 else ""
            sys.stderr.write(_CLEAR + painted(DIM, text + since, sys.stderr))
            sys.stderr.flush()
            self._is_there = True

    def clear(self) -> None:
        """Take it away."""
        if self._is_there:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
            self._is_there = False


class Note(PassingLine):
    """What is waited for, and since when."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        """Show this in place of what was there."""
        self.draw(first_line(text, 70), time.monotonic() - self._began)
