"""Wakes whoever follows: hands each commit, in seq order and without a gap, to its followers."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from hearth.core.vocabulary.codec import envelope_json
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import EventUnsaved, Progress
from hearth.engine.clock import Clock
from hearth.engine.follower import Follower
from hearth.log.event_log import EventLog, LogError

PAGE: Final = 1000
RETRY: Final = 0.5

_said = logging.getLogger(__name__)


class Subscribers:
    """All followers of one engine. One reader of the log serves them all."""

    def __init__(
        self, log: EventLog, clock: Clock, evolve: Callable[[Stored], None] = lambda _: None
    ) -> None:
        self._log = log
        self._evolve = evolve
        """Told of every row before any follower is, so that views are never behind streams."""
        self._clock = clock
        self._of_all: set[Follower] = set()
        self._of_session: dict[SessionId, set[Follower]] = {}
        self._published = 0
        self._catching_up: asyncio.Task[None] | None = None
        self._more = False
        self._ours: list[Stored] = []
        """Rows of this process that lie behind others' rows which are yet to be read."""
        self._is_cut_off = False
        """Whether the log could not be read when we last tried."""
        self._unlisten: Callable[[], None] | None = None

    async def open(self) -> None:
        """Begin to listen; everything in the log now counts as published."""
        self._published = await self._log.head()
        self._unlisten = self._log.listen(self._committed)

    async def close(self) -> None:
        """End every stream."""
        if self._unlisten is not None:
            self._unlisten()
        if self._catching_up is not None:
            self._catching_up.cancel()
            await asyncio.gather(self._catching_up, return_exceptions=True)
        for follower in [*self._of_all, *(f for fs in self._of_session.values() for f in fs)]:
            follower.close()

    @property
    def count(self) -> int:
        """How many streams are open."""
        return len(self._of_all) + sum(len(each) for each in self._of_session.values())

    def follow(self, session: SessionId | None, after: int | None) -> Follower:
        """A new stream, from a cursor or from now."""
        cursor = self._published if after is None else after
        follower = Follower(self._log, self._clock, session, cursor, self._leave)
        if session is None:
            self._of_all.add(follower)
        else:
            self._of_session.setdefault(session, set()).add(follower)
        follower.start_behind(self._published)
        return follower

    def show(self, session: SessionId, progress: Progress) -> None:
        """Show progress to whoever follows this session right now."""
        for follower in self._of_session.get(session, ()):
            follower.show(session, progress)
        for follower in self._of_all:
            follower.show(session, progress)

    def _leave(self, follower: Follower) -> None:
        self._of_all.discard(follower)
        if follower.session is not None and (those := self._of_session.get(follower.session)):
            those.discard(follower)
            if not those:
                del self._of_session[follower.session]

    def _committed(self, rows: Sequence[Stored]) -> None:
        """Called by the log on the event loop. Another writer's rows may lie before ours."""
        if self._catching_up is None and rows and rows[0].seq == self._published + 1:
            self._publish(rows)
            return
        self._more = True
        self._ours += rows
        if self._is_cut_off:
            self._show_ours()
        if self._catching_up is None:
            self._catching_up = asyncio.create_task(self._catch_up())

    def _show_ours(self) -> None:
        """Who waits for the end of a cell does not wait for the store: it is shown as progress.

        The row itself follows in its turn, when what others wrote before it can be read.
        """
        for row in self._ours:
            self._evolve(row)
            without_cursor = Stored(0, row.session, row.version, row.data)
            self.show(row.session, EventUnsaved(envelope_json(without_cursor).decode()))
        self._ours.clear()

    def _publish(self, rows: Sequence[Stored]) -> None:
        of_all, of_session = self._of_all, self._of_session
        for row in rows:
            self._evolve(row)
        for row in rows:
            for follower in of_session.get(row.session, ()):
                follower.offer(row)
            for follower in of_all:
                follower.offer(row)
        self._published = rows[-1].seq

    async def _catch_up(self) -> None:
        """Read what others wrote, until nothing is left between the log and us."""
        try:
            while self._more:
                self._more = False
                try:
                    rows = await self._log.read(self._published, limit=PAGE)
                except LogError as error:
                    _said.warning("cannot read what others wrote: %s", error)
                    self._is_cut_off = True
                    self._show_ours()
                    await self._clock.sleep(RETRY)
                    self._more = True
                    continue
                self._is_cut_off = False
                if rows:
                    self._publish(rows)
                    self._ours = [row for row in self._ours if row.seq > self._published]
                    self._more = True
        finally:
            self._catching_up = None
