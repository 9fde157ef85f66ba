"""All sessions as people see them: one for the whole daemon, however many tabs look.

It follows the log only while somebody watches, and looks as often as it can afford: at most three
times a second, and never for more than a tenth of the time.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.sidebar.arrangement import Looked
from hearth.servers.dashboard.sidebar.desks import Desks
from hearth.servers.dashboard.sidebar.glancing import Glancing, needing
from hearth.servers.dashboard.sidebar.home_page import home
from hearth.servers.dashboard.sidebar.lines import Line
from hearth.servers.dashboard.sidebar.listing import sidebar
from hearth.servers.http.around import Around

PAUSE: Final = 0.3
"""Seconds between two looks."""
SHARE: Final = 9
"""So many times as long as a look took, nobody looks again."""
NOW_AND_THEN: Final = 15.0
"""Seconds after which it is looked without being told: some things happen without a word."""
TROUBLED: Final = 2.0
"""The same while something cannot be read."""
FRESH: Final = 30.0
"""Seconds for which a drawing is good: it says how long ago things were."""
MOST_DRAWN: Final = 16

_said = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


class Overview:
    """The sessions, for the sidebar and the page of all sessions."""

    def __init__(
        self,
        around: Around,
        desks: Desks,
        *,
        now: Callable[[], datetime] = _now,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._hearth = around.hearth
        self._desks = desks
        self._now = now
        self._pause = pause
        self._glancing = Glancing(around.hearth)
        self._watchers: dict[int, Callable[[], None]] = {}
        self._numbers = 0
        self._looking: Counter[tuple[str, SessionId]] = Counter()
        self._following: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._has_looked = False
        self._drawn: dict[tuple[str, str], tuple[Looked, Html]] = {}
        self._leave_desks = desks.watch(self._rearranged)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The sessions as they were when it was last looked."""
        return self._glancing.lines

    @property
    def needs(self) -> int:
        """So many questions wait for a person, in all sessions."""
        return needing(self.lines)

    # -- who watches --------------------------------------------------------------------------

    def watch(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Call this when what is shown has changed, until what this gives is called."""
        self._numbers += 1
        number = self._numbers
        self._watchers[number] = tell
        if not self._is_following:
            self._has_looked = False
            self._following = asyncio.create_task(self._follow())

        def unwatch() -> None:
            self._watchers.pop(number, None)
            if not self._watchers:
                self._rest()

        return unwatch

    def looking(self, session: SessionId, person: str) -> Callable[[], None]:
        """Somebody has a session before them; call what this gives when not any more.

        `person` is the name of their desk. What happens meanwhile is seen.
        """
        key = (person, session)
        self._looking[key] += 1
        self._desks.note_active(person, session)
        self._desks.note_seen(person, session, self._now().timestamp())
        self._tell()
        is_there = True

        def leave() -> None:
            nonlocal is_there
            if not is_there:
                return
            is_there = False
            self._desks.note_seen(person, session, self._now().timestamp())
            self._looking[key] -= 1
            if self._looking[key] <= 0:
                del self._looking[key]

        return leave

    async def close(self) -> None:
        """Follow no more."""
        self._watchers.clear()
        self._leave_desks()
        following = self._following
        self._rest()
        if following is not None:
            await asyncio.gather(following, return_exceptions=True)

    # -- what they see ------------------------------------------------------------------------

    async def shown(self, person: str) -> Html:
        """The sidebar: `<nav id="sidebar">`."""
        return await self._draw("sidebar", person, sidebar)

    async def home(self, person: str) -> Html:
        """The page of all sessions: `<div id="home">`."""
        return await self._draw("home", person, home)

    async def looked(self, person: str) -> Looked:
        """What a person is shown, before it is drawn."""
        if not self._has_looked or not self._is_following:
            await self._look()
        return Looked(
            person=person,
            desk=self._desks.of(person),
            lines=self._glancing.lines,
            now=self._now(),
            looking=frozenset(session for who, session in self._looking if who == person),
            trouble=self._glancing.trouble,
        )

    async def _draw(self, what: str, person: str, draw: Callable[[Looked], Html]) -> Html:
        looked = await self.looked(person)
        kept = self._drawn.get((what, person))
        if kept is not None and _same(kept[0], looked):
            return kept[1]
        drawn = draw(looked)
        self._drawn.pop((what, person), None)
        self._drawn[what, person] = (looked, drawn)
        if len(self._drawn) > MOST_DRAWN:
            del self._drawn[next(iter(self._drawn))]
        return drawn

    # -- following ----------------------------------------------------------------------------

    async def _look(self) -> bool:
        """Look anew; whether anything is another than before. One at a time."""
        async with self._lock:
            is_other = await self._glancing.look()
            self._has_looked = True
        if is_other:
            self._note_seen()
        return is_other

    def _note_seen(self) -> None:
        """What people have before them they have seen."""
        at = {line.session: line.at for line in self._glancing.lines}
        for person, session in self._looking:
            if (last := at.get(session)) is not None:
                self._desks.note_seen(person, session, last.timestamp())

    async def _follow(self) -> None:
        """Look whenever something happened, until nobody watches."""
        following = self._hearth.follow(None)
        news = asyncio.Event()
        self._glancing.begin()

        async def listen() -> None:
            while items := await following.batch():
                if self._glancing.hear(items):
                    news.set()
                # What is being written comes many times a second; it changes no list.
                await self._pause(PAUSE)

        listening = asyncio.create_task(listen())
        try:
            news.set()
            while not listening.done():
                await _heard(news, TROUBLED if self._glancing.trouble else NOW_AND_THEN)
                news.clear()
                began = time.perf_counter()
                if await self._look():
                    self._tell()
                took = time.perf_counter() - began
                await self._pause(max(PAUSE, SHARE * took))
        except Exception:  # noqa: BLE001 - a page outlives what happens to its list
            _said.exception("the overview of sessions stands still until somebody comes")
        finally:
            listening.cancel()
            following.close()
            await asyncio.gather(listening, return_exceptions=True)

    @property
    def _is_following(self) -> bool:
        return self._following is not None and not self._following.done()

    def _rest(self) -> None:
        if self._following is not None:
            self._following.cancel()
            self._following = None

    def _rearranged(self, _: str) -> None:
        self._tell()

    def _tell(self) -> None:
        for tell in tuple(self._watchers.values()):
            try:
                tell()
            except Exception:  # noqa: BLE001 - others are told all the same
                _said.exception("somebody who watches sessions could not be told")


def _same(one: Looked, other: Looked) -> bool:
    """Whether a drawing of one does for the other."""
    if (other.now - one.now).total_seconds() > FRESH:
        return False
    return (one.lines, one.desk, one.looking, one.trouble) == (
        *(other.lines, other.desk, other.looking, other.trouble),
    )


async def _heard(news: asyncio.Event, seconds: float) -> None:
    """Wait for news, but not for ever."""
    try:
        async with asyncio.timeout(seconds):
            await news.wait()
    except TimeoutError:
        pass
