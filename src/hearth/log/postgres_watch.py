"""One connection that hears of commits by others and keeps this owner alive.

It is replaced whenever it is lost, for as long as it takes; what may have been missed meanwhile
is always signalled afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from hearth.log.event_log import StoreDown

if TYPE_CHECKING:
    from hearth.log.postgres_connection import Connection, Database, Own

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
"""Seconds between attempts to reach a server that is gone; they double."""

MISSED: Final = ""
"""What is heard when there may have been commits that were not."""


class Watch:
    """Calls `heard` with what each commit's writer calls itself, `renew` every so many seconds."""

    def __init__(
        self,
        database: Database,
        channel: str,
        heard: Callable[[str], None],
        renew: Callable[[Connection], Awaitable[None]],
        every: float,
    ) -> None:
        self._database = database
        self._channel = channel
        self._heard = heard
        self._renew = renew
        self._every = every
        self._connection: Own | None = None
        self._lost = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Listen from now on. StoreDown."""
        await self._connect()
        self._task = asyncio.create_task(self._work(), name="hearth log watch")

    async def close(self) -> None:
        """Hear nothing any more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        if self._connection is not None:
            self._connection.remove_termination_listener(self._went)
            await self._database.part(self._connection)
            self._connection = None

    async def _connect(self) -> None:
        connection = await self._database.connect()
        self._lost.clear()
        try:
            connection.add_termination_listener(self._went)
            await connection.add_listener(self._channel, self._notified)
            await self._renew(connection)
        except self._database.errors as error:
            connection.terminate()
            raise self._database.down(error) from None
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection

    async def _work(self) -> None:
        while True:
            await self._until_lost()
            pause = _FIRST_PAUSE
            while self._connection is None:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                with suppress(StoreDown):
                    await self._connect()
            self._heard(MISSED)

    async def _until_lost(self) -> None:
        while self._connection is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._lost.wait()
            try:
                if not self._lost.is_set():
                    # Also how a connection is noticed that died without a word.
                    await self._renew(self._connection)
                    continue
            except self._database.errors:
                pass
            self._connection.terminate()
            self._connection = None

    def _went(self, _connection: Any) -> None:
        self._lost.set()

    def _notified(self, _connection: Any, _process: int, _channel: str, payload: object) -> None:
        self._heard(str(payload))
