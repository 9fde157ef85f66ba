"""One reader of the log: a cursor, and a little of what lies ahead of it."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from hearth.api import Item
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import Progress
from hearth.engine.clock import Clock
from hearth.engine.progress_buffer import ProgressBuffer
from hearth.log.event_log import EventLog, StoreDown

MOST_ROWS_AHEAD: Final = 256
MOST_BYTES_AHEAD: Final = 512 * 1024
"""A follower that has more than this before it reads from the log instead."""
MOST_PLACES: Final = 1024
"""Of so many rows that it will read from the log, a follower knows what was shown before them."""
PAGE: Final = 500
RETRY: Final = 0.5
"""Seconds between attempts to read while the store is down."""


class Follower:
    """Gets rows as they are committed; falls back to reading the log when it is slow.

    It never slows anyone: beyond a few rows it only keeps its cursor.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Clock,
        session: SessionId | None,
        cursor: int,
        leave: Callable[["Follower"], None],
    ) -> None:
        self.session = session
        self._log = log
        self._clock = clock
        self._cursor = cursor
        """Every row that concerns us up to here was handed out or is not ours."""
        self._head = cursor
        """The newest seq we know to exist."""
        self._leave = leave
        self._rows: deque[tuple[int, Stored]] = deque()
        self._bytes = 0
        self._behind = False
        self._places: deque[tuple[int, int]] = deque(maxlen=MOST_PLACES)
        """Of rows that were offered while we are behind: the seq, and the place in the order."""
        self._progress = ProgressBuffer()
        self._order = 0
        self._news = asyncio.Event()
        self._closed = False

    def start_behind(self, head: int) -> None:
        """There are rows between our cursor and `head` that must be read from the log."""
        self._head = max(self._head, head)
        self._behind = self._cursor < self._head
        if self._behind:
            self._news.set()

    def offer(self, row: Stored) -> None:
        """A row that concerns us was committed."""
        if row.seq <= self._cursor:
            return  # read from the log before we were told of it
        self._head = row.seq
        self._news.set()
        self._order += 1
        if self._behind:
            self._places.append((row.seq, self._order))
            return
        self._rows.append((self._order, row))
        self._bytes += len(row.data)
        if len(self._rows) > MOST_ROWS_AHEAD or self._bytes > MOST_BYTES_AHEAD:
            self._behind = True
            self._places.extend((one.seq, place) for place, one in self._rows)
            self._rows.clear()
            self._bytes = 0

    def show(self, session: SessionId, progress: Progress) -> None:
        """Something is going on that we may see."""
        self._order += 1
        self._progress.add(self._order, session, progress)
        self._news.set()

    async def batch(self) -> Sequence[Item]:
        """What came since the last call, waiting until there is something; empty at the end."""
        while not self._closed:
            await self._news.wait()
            items = await self._read() if self._behind else self._take()
            if items:
                return items
        return ()

    def close(self) -> None:
        """End the stream and let go of what it holds."""
        self._closed = True
        self._rows.clear()
        self._progress.take()
        self._news.set()
        self._leave(self)

    def _take(self) -> list[Item]:
        """What lies ahead, rows and progress in the order in which they came."""
        merged: list[tuple[int, Item]] = [*self._rows, *self._progress.take()]
        if self._rows:
            self._cursor = self._rows[-1][1].seq
        self._rows.clear()
        self._bytes = 0
        if not self._closed:
            self._news.clear()
        merged.sort(key=_order)
        return [item for _, item in merged]

    async def _read(self) -> list[Item]:
        """A page of the log; once at its end, we are with the others again."""
        known = self._head
        try:
            rows = await self._log.read(self._cursor, limit=PAGE, session=self.session)
        except StoreDown:
            await self._clock.sleep(RETRY)
            return [shown for _, shown in self._progress.take()]
        if rows:
            self._cursor = rows[-1].seq
        if len(rows) < PAGE:
            # The read saw everything up to `known`. What was offered while it ran was not kept,
            # so we may only leave `behind` if nothing was; no await lies in between.
            self._cursor = max(self._cursor, known)
            self._behind = self._head > self._cursor
        merged = self._placed(rows)
        # What was shown behind rows that are yet to be read waits for them.
        read = merged[-1][0] if merged else 0
        merged += self._progress.take(before=read) if self._behind else self._progress.take()
        merged.sort(key=_order)
        if not self._behind and not self._closed:
            self._news.clear()
        return [item for _, item in merged]

    def _placed(self, rows: Sequence[Stored]) -> list[tuple[int, Item]]:
        """Rows with their places: what was shown before a row is about what came before it."""
        places, place = dict(self._places), 0
        placed: list[tuple[int, Item]] = []
        for row in rows:
            place = places.get(row.seq, place)
            placed.append((place, row))
        while self._places and self._places[0][0] <= self._cursor:
            self._places.popleft()
        return placed


def _order(numbered: tuple[int, Item]) -> int:
    return numbered[0]
