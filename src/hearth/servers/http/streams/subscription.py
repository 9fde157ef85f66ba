"""One client of a channel: its cursor, and what it is to be sent next."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from hearth.api import Following, Item, Shown
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.progress import ProgressDropped
from hearth.servers.http.streams.channels import IDLE, PIECE, Channel, Channels
from hearth.servers.http.streams.frames import KEEP_ALIVE, cursor_frame, row_frame, shown_frame

AHEAD: Final = 4 * 1024 * 1024
"""Bytes of rows that a client which reads by itself keeps; the rest of a page is read again."""


class Subscription:
    """Durable rows without a gap and without repetition; progress only while it keeps up."""

    def __init__(
        self, channels: Channels, channel: Channel, session: SessionId | None, after: int | None
    ) -> None:
        self._hearth = channels.hearth
        self._channel = channel
        self._session = session
        self._cursor = channel.newest if after is None else after
        """All rows up to here were sent or are not wanted; None: whatever comes is wanted."""
        self._place = channel.ring.end
        self._live_from = self._place
        """Progress of older chunks was shown before this client came."""
        self._seen = channel.ring.shown
        """How many frames of progress there had been when it last was up to date."""
        self._behind = False
        self._following: Following | None = None
        self._reading: asyncio.Task[Sequence[Item]] | None = None
        self._page: deque[Stored] = deque()
        self._closed = False
        if after is not None:
            self._behind = not channel.ring.holds(after)
            self._place = channel.ring.place(after)

    @classmethod
    async def to(
        cls, channels: Channels, session: SessionId | None, after: int | None
    ) -> "Subscription":
        """A client of this session, or of all, from a cursor or from now on."""
        return cls(channels, await channels.join(session), session, after)

    @property
    def beginning(self) -> bytes:
        """What to send first: the cursor, so that a client which saw no row can go on too."""
        return b"" if self._cursor is None else cursor_frame(self._cursor)

    @property
    def is_behind(self) -> bool:
        """Whether it reads by itself."""
        return self._behind

    async def next(self) -> bytes:
        """What to send now, waiting until there is something; empty at the end."""
        while not self._closed:
            if self._behind:
                frames = await self._by_itself()
            else:
                await self._channel.news(self._place)
                frames = self._with_the_others()
            if frames:
                return frames
            if self._channel.ended and (self._behind or self._place >= self._channel.ring.end):
                break
        return b""

    def close(self) -> None:
        """Let go of everything, at once."""
        if self._closed:
            return
        self._closed = True
        self._stop_reading()
        self._channel.leave()

    def _with_the_others(self) -> bytes:
        chunks = self._channel.ring.since(self._place)
        if chunks is None:
            return self._fall_behind()
        cursor = -1 if self._cursor is None else self._cursor
        pieces: list[bytes] = []
        size = 0
        for chunk in chunks:
            piece = chunk.part(cursor, live=self._place >= self._live_from)
            if pieces and size + len(piece) > PIECE:
                break
            pieces.append(piece)
            size += len(piece)
            self._place += 1
            self._seen += chunk.shown if self._place > self._live_from else 0
            cursor = max(cursor, chunk.last)
        self._cursor = None if cursor < 0 else cursor
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    # -- behind the others -----------------------------------------------------------------------

    def _fall_behind(self) -> bytes:
        if self._cursor is None:
            # It was there before the first row of the channel, and was sent none of them.
            self._cursor = self._channel.origin
        if self._cursor is None:  # there was none: it missed nothing but progress
            return self._catch_up()
        self._behind = True
        return b""

    def _catch_up(self) -> bytes:
        """Be with the others again; says how much of what was going on was not shown."""
        ring = self._channel.ring
        self._stop_reading()
        self._behind = False
        self._place = ring.end if self._cursor is None else ring.place(self._cursor)
        self._live_from = ring.end
        missed, self._seen = ring.shown - self._seen, ring.shown
        if not missed:
            return b""
        return shown_frame(Shown(self._session or DAEMON_STREAM, ProgressDropped(missed)))

    async def _by_itself(self) -> bytes:
        if not self._page:
            if self._channel.ring.holds(self._cursor or 0):
                return self._catch_up()
            if not await self._turn_page():
                return KEEP_ALIVE
            if not self._page:
                return b""
        frames: list[bytes] = []
        size = 0
        while self._page and size < PIECE:
            row = self._page.popleft()
            frames.append(row_frame(row))
            size += len(frames[-1])
            self._cursor = row.seq
        return b"".join(frames)

    async def _turn_page(self) -> bool:
        """Read on; False if there was nothing for so long that the client must hear something."""
        if self._reading is None:
            if self._following is None:
                self._following = self._hearth.follow(self._session, after=self._cursor)
            self._reading = asyncio.ensure_future(self._following.batch())
        over = self._channel.over
        waiting: set[asyncio.Future[Any]] = {self._reading, over}
        await asyncio.wait(waiting, timeout=IDLE, return_when=asyncio.FIRST_COMPLETED)
        if over.done() or not self._reading.done():
            return over.done()
        items, self._reading = self._reading.result(), None
        if not items:  # the engine has ended it
            self.close()
        size = 0
        for item in items:
            if not isinstance(item, Stored):
                continue
            size += len(item.data)
            if size > AHEAD and self._page:
                # A client that does not read must not keep more than this: it is read once more.
                self._stop_reading()
                break
            self._page.append(item)
        return True

    def _stop_reading(self) -> None:
        if self._following is not None:
            self._following.close()
            self._following = None
        self._reading = None
