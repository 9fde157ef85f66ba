"""Fan-out: one follower of the engine per channel, however many clients hang on it.

A channel is a session, or all of them. Its rows are encoded once into chunks that all clients
share; a client is a place in the ring of the newest chunks. One that falls out of it reads the log
by itself until it has caught up, so that nobody ever waits for the slowest.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from hearth.api import Following, Hearth, Item, Viewed
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.http.streams.frames import KEEP_ALIVE, row_frame, shown_frame
from hearth.servers.http.streams.pace import Pace
from hearth.servers.http.streams.ring import FILLING, ROOM, SHOWN, Chunk, Ring

IDLE: Final = 15.0
"""Seconds of silence after which a comment is sent."""
PIECE: Final = 256 * 1024
"""Bytes that are written at once; a single frame may be larger."""

_said = logging.getLogger(__name__)


class Channel:
    """The frames of one session, or of all, for whoever follows."""

    def __init__(
        self,
        following: Following,
        cursor: int | None,
        *,
        room: int = ROOM,
        pace: Pace | None = None,
        left: Callable[[], None] = lambda: None,
    ) -> None:
        """`following` begins at the cursor; None: at a place that nobody knows."""
        self.ring = Ring(cursor, room)
        self.newest = cursor
        """The seq of the newest row that came, be it sent or not."""
        self.origin = cursor
        """Its rows begin after this one; None until the first has come, if nobody knows."""
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done at the end."""
        self._left = left
        self._clients = 0
        self._following = following
        self._pace = pace or Pace()
        self._waiting: list[tuple[int, bytes]] = []
        self._bytes = 0
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.TimerHandle | None = None
        self._beat = self._loop.call_later(IDLE, self._keep_alive)
        self._pumping = asyncio.create_task(self._pump())

    @property
    def clients(self) -> int:
        """How many follow."""
        return self._clients

    @property
    def ended(self) -> bool:
        """Whether no more will come."""
        return self.over.done()

    def enter(self) -> None:
        """One more follows."""
        self._clients += 1

    def leave(self) -> None:
        """One less; the last one ends it."""
        self._clients -= 1
        if not self._clients:
            self.end()

    def end(self) -> None:
        """End it for all who follow."""
        if self.ended:
            return
        self.flush()
        self.over.set_result(None)
        self._left()
        self._following.close()
        self._beat.cancel()
        self._news.set()

    async def closed(self) -> None:
        """Wait until nothing of it runs any more."""
        await asyncio.gather(self._pumping, return_exceptions=True)

    async def news(self, number: int) -> None:
        """Wait until there is a chunk of this number, or the end."""
        while number >= self.ring.end and not self.ended:
            await self._news.wait()

    async def _pump(self) -> None:
        try:
            while items := await self._following.batch():
                self._take(items)
        except Exception:  # noqa: BLE001 - a defect ends the streams of this channel, and no others
            _said.exception("a stream broke off")
        finally:
            self.end()

    def _take(self, items: Sequence[Item]) -> None:
        for item in items:
            if isinstance(item, Stored):
                frame, seq = row_frame(item), item.seq
                self.newest = seq
                if self.origin is None:
                    self.origin = seq - 1
            else:
                frame, seq = shown_frame(item), SHOWN
            self._waiting.append((seq, frame))
            self._bytes += len(frame)
            if self._bytes >= PIECE:
                self.flush()
        if self._waiting and self._due is None:
            self._flush_in_time()

    def _flush_in_time(self) -> None:
        delay = self._pace.delay(self._loop.time())
        if delay > 0:
            self._due = self._loop.call_later(delay, self.flush)
        else:
            self.flush()

    def flush(self) -> None:
        """Give everyone what has gathered."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if not self._waiting or self.ended:
            return
        self.ring.add(Chunk(self._waiting))
        self._waiting = []
        self._bytes = 0
        self._pace.wrote(self._loop.time(), self._clients)
        self._beat.cancel()
        self._beat = self._loop.call_later(IDLE, self._keep_alive)
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _keep_alive(self) -> None:
        self._waiting.append((FILLING, KEEP_ALIVE))
        self.flush()


class Channels:
    """Every channel that somebody follows."""

    def __init__(self, hearth: Hearth, *, room: int = ROOM) -> None:
        self.hearth = hearth
        self._room = room
        self._channels: dict[SessionId | None, Channel] = {}
        self._looking: dict[SessionId | None, asyncio.Task[int | None]] = {}
        self._others: set[Callable[[], None]] = set()
        self._closed = False

    @property
    def open(self) -> int:
        """How many there are: so many followers of the engine, beside those who are behind."""
        return len(self._channels)

    async def join(self, session: SessionId | None) -> Channel:
        """The channel of a session, or of all; call `leave` when done. It may have ended."""
        cursor: int | None = None
        if session not in self._channels and not self._closed:
            cursor = await self._cursor(session)
        channel = self._channels.get(session)
        if channel is None:
            channel = self._opened(session, cursor)
        channel.enter()
        return channel

    def end_too(self, end: Callable[[], None]) -> Callable[[], None]:
        """Call this when all streams end, until what this gives is called."""
        self._others.add(end)
        if self._closed:
            end()
        return lambda: self._others.discard(end)

    def end_all(self) -> None:
        """End every stream; who may come back does, from its cursor on."""
        for end in tuple(self._others):
            end()
        for channel in tuple(self._channels.values()):
            channel.end()

    async def close(self) -> None:
        """End every stream, and take no more."""
        self._closed = True
        ending = [*self._channels.values()]
        self.end_all()
        for channel in ending:
            await channel.closed()

    def _opened(self, session: SessionId | None, cursor: int | None) -> Channel:
        channel: Channel
        following = self.hearth.follow(session, after=cursor)

        def left() -> None:
            if self._channels.get(session) is channel:
                del self._channels[session]

        channel = Channel(following, cursor, room=self._room, left=left)
        if self._closed:
            channel.end()
        else:
            self._channels[session] = channel
        return channel

    async def _cursor(self, session: SessionId | None) -> int | None:
        """The present end of the log there. However many want to know, it is looked up once."""
        looking = self._looking.get(session)
        if looking is None:
            looking = self._looking[session] = asyncio.create_task(self._look(session))
            looking.add_done_callback(lambda _: self._looking.pop(session, None))
        return await asyncio.shield(looking)

    async def _look(self, session: SessionId | None) -> int | None:
        viewed = await self.hearth.view("sessions" if session is None else "status", session)
        # What cannot be seen now (it is yet to be created, its store is down) is followed from now.
        return viewed.seq if isinstance(viewed, Viewed) else None
