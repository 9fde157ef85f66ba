"""A clock whose time passes only when a test says so."""

import asyncio
from datetime import UTC, datetime, timedelta


class ManualClock:
    """Starts at noon of the first day of 2026."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, 12, tzinfo=UTC)
        self._waiting: list[tuple[datetime, asyncio.Event]] = []
        self._asked = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        over = asyncio.Event()
        self._waiting.append((self._now + timedelta(seconds=seconds), over))
        self._asked.set()
        await over.wait()

    def pass_time(self, seconds: float) -> None:
        """Let time pass and wake those whose pause is over."""
        self._now += timedelta(seconds=seconds)
        for until, over in self._waiting:
            if until <= self._now:
                over.set()
        self._waiting = [(until, over) for until, over in self._waiting if not over.is_set()]

    async def someone_waits(self) -> None:
        """Return once somebody waits for time to pass."""
        while not self._waiting:
            self._asked.clear()
            await self._asked.wait()
