"""How far a request is, told to a client that asked to be told, and not more often than it can use.

A few reports go out as they come; after them one in a while, always the newest, so that a cell that
prints ten thousand lines costs its client a notification each half second. Both eras: the report
travels on the stream of the request itself.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

AT_ONCE: Final = 5
EVERY: Final = 0.5
LONGEST: Final = 300
"""Characters of a message."""

Tell = Callable[[float, float | None, str | None], Awaitable[None]]

_said = logging.getLogger(__name__)


class Progress:
    """Reports of one request. It is closed before the request is answered: nothing follows it."""

    def __init__(self, tell: Tell, *, at_once: int = AT_ONCE, every: float = EVERY) -> None:
        self._tell = tell
        self._at_once = at_once
        self._every = every
        self._last = float("-inf")
        self._newest: tuple[float, float | None, str | None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._closed = False

    async def report(
        self, done: float | None = None, total: float | None = None, message: str | None = None
    ) -> None:
        """So far it is now. Without a number it is counted on; one that does not grow is not told.

        The protocol wants numbers that grow; `total` is what they grow to, where that is known.
        """
        known = self._newest[0] if self._newest else self._last
        if done is None:
            done = max(known, 0.0) + 1.0
        if self._closed or done <= known:
            return
        said = None if message is None else message[:LONGEST]
        if self._at_once > 0 and self._telling is None:
            self._at_once -= 1
            self._last = done
            await self._tell(done, total, said)
            return
        self._newest = (done, total, said)
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell_in_a_while())

    def close(self) -> None:
        """Say nothing more."""
        self._closed = True
        self._newest = None
        if self._telling is not None:
            self._telling.cancel()

    async def _tell_in_a_while(self) -> None:
        try:
            while self._newest is not None:
                await asyncio.sleep(self._every)
                newest, self._newest = self._newest, None
                if newest is not None:
                    self._last = newest[0]
                    await self._tell(*newest)
        except Exception:  # noqa: BLE001 - nobody waits for it
            _said.debug("a report of progress could not be told", exc_info=True)
        finally:
            self._telling = None
