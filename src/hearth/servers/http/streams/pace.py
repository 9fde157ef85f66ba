"""How often those who follow are written to: at once while that is cheap, else joined."""

from typing import Final

INTERVAL: Final = 0.05
"""Seconds between two writes to one client at most, while much is written."""
EACH: Final = 0.00015
"""Seconds after which a client may be written to again, for each that is: few never wait, and a
hundred get what a model writes every 15 ms, which takes the daemon a third of a core."""
BURST: Final = 8
"""So many writes of a full interval may follow each other at once after a pause."""


class Pace:
    """Says how long the next write has to wait."""

    def __init__(self, interval: float = INTERVAL, each: float = EACH, burst: int = BURST) -> None:
        self._interval = interval
        self._each = each
        self._slack = interval * (burst - 1)
        self._full = 0.0
        """When everything that was written will have been paid for."""

    def delay(self, now: float) -> float:
        """Seconds until something may be written."""
        return max(0.0, self._full - self._slack - now)

    def wrote(self, now: float, clients: int) -> None:
        """Something was written to so many."""
        cost = min(self._interval, clients * self._each)
        self._full = max(self._full, now) + cost
