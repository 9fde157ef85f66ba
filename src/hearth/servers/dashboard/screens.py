"""What all tabs that look at one session see: followed once, drawn once, sent to each.

A screen keeps the newest steps, each the bytes of what changed between two moments. A tab is a
place among them; one that falls out of them, or comes anew, is given the whole.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from hearth.api import Following
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, ShuttingDown, StoreUnavailable
from hearth.servers.dashboard.picture import NotRead, Picture
from hearth.servers.http.around import Around

TICK: Final = 0.05
"""Seconds between two steps, at least."""
ROOM: Final = 1024 * 1024
"""Bytes of steps that are kept for tabs that are a little late."""
LINGER: Final = 5.0
"""Seconds for which a screen that nobody looks at is kept: a page that is loaded anew finds it."""

NOT_DRAWN: Final = StoreUnavailable(
    why="this session could not be drawn: a defect of hearth, the daemon's log says which",
    remedy=("it is tried again; the terminal shows it meanwhile",),
)

_said = logging.getLogger(__name__)


class Step(NamedTuple):
    """What changed, and up to which cursor."""

    number: int
    frames: bytes
    cursor: int


class Screen:
    """One session, as all its tabs see it."""

    def __init__(self, around: Around, session: SessionId, left: Callable[[], object]) -> None:
        self.session = session
        self.picture = Picture(around, session)
        self.number = 0
        """Of the newest step."""
        self._around = around
        self._left = left
        self._steps: deque[Step] = deque()
        self._bytes = 0
        self._watchers: dict[object, Callable[[], None]] = {}
        self._following: Following | None = None
        self._pumping: asyncio.Task[None] | None = None
        self._due: asyncio.TimerHandle | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._drawn_at = 0.0
        self._drawing: asyncio.Task[None] | None = None
        self.ended = False

    async def open(self) -> Refusal | None:
        """Read how it stands, and follow it from there; or why that cannot be."""
        # Followed first: what comes while we read is heard twice rather than never.
        self._following = self._around.hearth.follow(self.session)
        try:
            trouble = await self.picture.load()
        except BaseException:
            self.end()
            raise
        if trouble is not None:
            self.end()
            return trouble
        self._pumping = asyncio.create_task(self._pump(self._following))
        # Whoever asked may want one look, and never come to watch.
        self._linger()
        return None

    # -- who looks ------------------------------------------------------------------------------

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever there is a new step, until what this gives is called."""
        mine = object()  # several may give the same to be called
        self._watchers[mine] = watcher
        if self._lingering is not None:
            self._lingering.cancel()
            self._lingering = None

        def leave() -> None:
            self._watchers.pop(mine, None)
            self._linger()

        return leave

    @property
    def watched(self) -> int:
        """How many look."""
        return len(self._watchers)

    def since(self, number: int) -> bytes | None:
        """What changed since a step; None if that is too long ago, and the whole is needed."""
        if number == self.number:
            return b""
        if not self._steps or number < self._steps[0].number - 1 or number > self.number:
            return None
        return b"".join(one.frames for one in self._steps if one.number > number)

    def end(self) -> None:
        """Follow it no more."""
        if self.ended:
            return
        self.ended = True
        self._left()
        for timer in (self._due, self._lingering):
            if timer is not None:
                timer.cancel()
        if self._following is not None:
            self._following.close()
        if self._drawing is not None:
            self._drawing.cancel()
        for watcher in tuple(self._watchers.values()):
            watcher()

    async def closed(self) -> None:
        """Wait until nothing of it runs any more."""
        running = [one for one in (self._pumping, self._drawing) if one is not None]
        await asyncio.gather(*running, return_exceptions=True)

    def _linger(self) -> None:
        if not self._watchers and self._lingering is None and not self.ended:
            self._lingering = self._loop.call_later(LINGER, self._unless_watched)

    def _unless_watched(self) -> None:
        self._lingering = None
        if not self._watchers:
            self.end()

    # -- what happens ---------------------------------------------------------------------------

    async def _pump(self, following: Following) -> None:
        try:
            while items := await following.batch():
                await self.picture.take(items)
                if self._due is None and not self.ended:
                    wait = max(0.0, self._drawn_at + TICK - self._loop.time())
                    self._due = self._loop.call_later(wait, self._tick)
        except Exception:  # noqa: BLE001 - a defect ends this screen; its tabs come back to a new one
            _said.exception("the screen of %s broke", self.session)
        finally:
            self.end()

    def _tick(self) -> None:
        self._due = None
        if self._drawing is not None and not self._drawing.done():
            # Drawing takes longer than it is wanted: the next step has all of it.
            self._due = self._loop.call_later(TICK, self._tick)
            return
        self._drawing = asyncio.create_task(self._draw())

    async def _draw(self) -> None:
        began = self._loop.time()
        try:
            frames = await self.picture.step()
        except NotRead as trouble:
            _said.warning("%s is not shown any more: %s", self.session, trouble)
            self.end()
            return
        except Exception:  # noqa: BLE001 - a defect ends this screen; its tabs come back to a new one
            _said.exception("%s could not be drawn", self.session)
            self.end()
            return
        # What is slow to draw is drawn less often: others need the loop too.
        self._drawn_at = self._loop.time() + 2 * (self._loop.time() - began)
        if not frames:
            return
        self.number += 1
        self._steps.append(Step(self.number, frames, self.picture.cursor))
        self._bytes += len(frames)
        while self._bytes > ROOM and len(self._steps) > 1:
            self._bytes -= len(self._steps.popleft().frames)
        for watcher in tuple(self._watchers.values()):
            watcher()


class Screens:
    """Every screen that somebody looks at."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._screens: dict[SessionId, asyncio.Task[Screen | Refusal]] = {}
        self._closed = False

    @property
    def open(self) -> int:
        """How many there are: so many followers of the engine."""
        return len(self._screens)

    async def of(self, session: SessionId) -> Screen | Refusal:
        """The screen of a session, or why there is none. It may end: then ask again."""
        if self._closed:
            return ShuttingDown(why="the daemon is ending", remedy=("wait until it is back",))
        opening = self._screens.get(session)
        if opening is None:
            opening = self._screens[session] = asyncio.create_task(self._open(session))
        # However many wait for it: one that gives up must not take it from the others.
        return await asyncio.shield(opening)

    async def close(self) -> None:
        """End them all, and let none begin."""
        self._closed = True
        for one in await asyncio.gather(*self._screens.values()):
            if isinstance(one, Screen):
                one.end()
                await one.closed()

    async def _open(self, session: SessionId) -> Screen | Refusal:
        screen = Screen(self._around, session, lambda: self._screens.pop(session, None))
        try:
            return await screen.open() or screen
        except Exception:  # noqa: BLE001 - a defect in one session leaves the others
            _said.exception("%s could not be drawn", session)
            return NOT_DRAWN
