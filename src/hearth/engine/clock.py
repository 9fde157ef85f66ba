"""Time, passed in so that tests own it."""

import asyncio
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def now(self) -> datetime:
        """The present, in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Return after this long."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Return after this long."""
        await asyncio.sleep(seconds)
