"""Ends a daemon that nobody uses: no connection, no running cell and no event for so long."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from hearth.api import Hearth, Viewed, each
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary.phases import PhaseName
from hearth.engine.clock import Clock

BUSY = frozenset({PhaseName.EVALUATING, PhaseName.WARMING_UP})


class Idling:
    """Watches whether anybody is there. `close` it before the engine."""

    def __init__(
        self,
        hearth: Hearth,
        connections: Callable[[], Mapping[str, int]],
        timeout: float,
        clock: Clock,
    ) -> None:
        self._hearth = hearth
        self._connections = connections
        self._timeout = timedelta(seconds=timeout)
        self._clock = clock
        self._last = clock.now()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    def open(self, then: Callable[[], None]) -> None:
        """Call `then` once nobody has been there for the whole time."""
        loop = asyncio.get_running_loop()
        self._tasks = (
            loop.create_task(self._notice()),
            loop.create_task(self._wait(then)),
        )

    async def close(self) -> None:
        """Watch no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _notice(self) -> None:
        """Whatever is recorded or shown is a sign that somebody is there."""
        following = self._hearth.follow()
        with contextlib.closing(following):
            async for _ in each(following):
                self._last = self._clock.now()

    async def _wait(self, then: Callable[[], None]) -> None:
        while (left := remaining(self._last, self._timeout, self._clock.now())) > 0:
            await self._clock.sleep(left)
            if await self._is_used():
                self._last = self._clock.now()
        then()

    async def _is_used(self) -> bool:
        if any(self._connections().values()):
            return True
        viewed = await self._hearth.view("sessions")
        rows = (
            viewed.value.rows
            if isinstance(viewed, Viewed) and isinstance(viewed.value, Sessions)
            else ()
        )
        return any(row.state in BUSY and not row.stopped for row in rows)


def remaining(last: datetime, timeout: timedelta, now: datetime) -> float:
    """Seconds until nobody has been there for so long; 0 if that is so by now."""
    return max(0.0, (last + timeout - now).total_seconds())
