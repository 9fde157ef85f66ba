"""How often everyone who follows is written to: at once while little happens, else joined."""

from typing import Final

INTERVAL: Final = 0.05
"""Seconds between two writes while much happens."""
BURST: Final = 8
"""So many may follow each other at once after a pause: a run is shown without delay."""


class Pace:
    """Says how long the next write has to wait."""

    def __init__(self, interval: float = INTERVAL, burst: int = BURST) -> None:
        self._interval = interval
        self._slack = interval * (burst - 1)
        self._full = 0.0
        """When everything that was written will have been paid for."""

    def delay(self, now: float) -> float:
        """Seconds until something may be written."""
        return max(0.0, self._full - self._slack - now)

    def wrote(self, now: float) -> None:
        """Something was written."""
        self._full = max(self._full, now) + self._interval
