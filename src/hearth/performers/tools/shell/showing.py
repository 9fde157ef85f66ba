"""Shows people what a command writes, as it writes it: not too often, and not too much."""

import asyncio
from collections.abc import Callable
from typing import Final

from hearth.performers.tools.shell.cleaning import Reading

EVERY: Final = 0.05
MOST: Final = 16 * 1024
"""Bytes that are shown at once. Of what comes faster, the newest."""


class Showing:
    """Gathers what was written and shows it together."""

    def __init__(self, show: Callable[[str], None], every: float = EVERY, most: int = MOST) -> None:
        self._show = show
        self._every = every
        self._most = most
        self._waiting = bytearray()
        self._skipped = 0
        self._reading = Reading()
        self._timer: asyncio.TimerHandle | None = None

    def take(self, piece: bytes) -> None:
        """What was written now."""
        self._waiting += piece[-self._most :]
        too_much = len(self._waiting) - self._most
        self._skipped += max(0, len(piece) - self._most) + max(0, too_much)
        if too_much > 0:
            del self._waiting[:too_much]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._every, self._now)

    def close(self) -> None:
        """Show the rest. Nothing is shown after it."""
        if self._timer is not None:
            self._timer.cancel()
        self._now()
        if rest := self._reading.rest():
            self._show(rest)
        self._show = _nobody

    def _now(self) -> None:
        self._timer = None
        content, skipped = bytes(self._waiting), self._skipped
        self._waiting.clear()
        self._skipped = 0
        text = ""
        if skipped:
            # What was begun has no end any more; the next line is whole.
            text = f"{self._reading.rest()}\n… {skipped} bytes are not shown …\n"
            content = content[content.find(b"\n") + 1 :]
        text += self._reading.piece(content)
        if text:
            self._show(text)


def _nobody(_text: str) -> None:
    """Nobody looks on any more."""
