"""A stream of the daemon's log that outlives its connections."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from hearth.api import Item
from hearth.clients.remote.connection import Lost
from hearth.clients.remote.frames import Frames, NotOurs
from hearth.clients.remote.line import Line, pauses
from hearth.clients.remote.troubles import Rejected
from hearth.clients.remote.words import refusal
from hearth.core.vocabulary.refusals import ShuttingDown, StoreUnavailable

MOST_AHEAD: Final = 1024 * 1024
"""Bytes that are kept for a reader who does not read; then the daemon is left to wait."""
OK: Final = 200
UNAUTHORIZED: Final = 401
PASSING: Final = frozenset({429, 500, 502, 503})


class RemoteFollowing:
    """Implements `hearth.api.Following`. While the daemon is away it waits, and goes on after."""

    def __init__(
        self, line: Line, path: str, after: int | None, left: Callable[["RemoteFollowing"], None]
    ) -> None:
        """Begins to connect at once. `path` may have a query already."""
        self._line = line
        self._path = path
        self._cursor = after
        self._left = left
        self._items: list[Item] = []
        self._bytes = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._trouble: Exception | None = None
        self._closed = False
        self.connected = asyncio.Event()
        """Set once the stream has begun, or cannot: from here on nothing is missed."""
        self.task = asyncio.create_task(self._run())

    async def batch(self) -> Sequence[Item]:
        """What came since the last call, waiting until there is something; empty at the end.

        An outage of the daemon only makes it wait. Unreachable if the daemon will not let us.
        """
        await self._news.wait()
        if self._items:
            items, self._items, self._bytes = self._items, [], 0
            self._room.set()
            if not self._closed and self._trouble is None:
                self._news.clear()
            return items
        if self._trouble is not None and not self._closed:
            raise self._trouble
        return ()

    def close(self) -> None:
        """End the stream. A waiting `batch` returns."""
        self._closed = True
        self._items.clear()
        self.task.cancel()
        self._news.set()
        self.connected.set()
        self._left(self)

    async def _run(self) -> None:
        waits = pauses()
        try:
            while True:
                try:
                    if await self._follow():
                        waits = pauses()
                except Lost:
                    pass  # what the brief outage hides is read from the cursor on
                await asyncio.sleep(next(waits))
                await self._line.find_again()
        except NotOurs as error:
            self._end(Rejected(OK, "bad_answer", f"the daemon's stream cannot be read: {error}"))
        except Exception as trouble:  # noqa: BLE001 - a reader must not wait for who has ended
            self._end(trouble)
        finally:
            self.connected.set()

    def _end(self, trouble: Exception) -> None:
        """Let the reader know; what came before it is read first."""
        self._trouble = trouble
        self._news.set()

    async def _follow(self) -> bool:
        """Read one connection to its end; whether it had begun."""
        frames = Frames()
        async with self._line.stream(self._address()) as (answer, pieces):
            if answer.status != OK:
                said = b"".join([piece async for piece in pieces])
                await self._refused(answer.status, said)
                return False
            self.connected.set()
            async for piece in pieces:
                found = frames.feed(piece)
                if frames.cursor is not None:
                    self._cursor = frames.cursor
                if found:
                    self._add(found)
                    await self._room.wait()
        return True

    def _add(self, found: Sequence[tuple[Item, int]]) -> None:
        self._items += [item for item, _ in found]
        self._bytes += sum(size for _, size in found)
        if self._bytes > MOST_AHEAD:
            self._room.clear()
        self._news.set()

    def _address(self) -> str:
        if self._cursor is None:
            return self._path
        return f"{self._path}{'&' if '?' in self._path else '?'}after={self._cursor}"

    async def _refused(self, status: int, raw: bytes) -> None:
        """Return if another attempt may help; raise what the reader must know."""
        if status == UNAUTHORIZED and await self._line.find_again():
            return  # it has another token now
        try:
            said = refusal(status, raw)
        except Rejected as rejected:
            if rejected.status in PASSING:
                return
            raise
        if not isinstance(said, ShuttingDown | StoreUnavailable):
            raise Rejected(status, str(said.__struct_config__.tag), said.why, *said.remedy[:1])
