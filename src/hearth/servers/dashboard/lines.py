"""One connection for all tabs of a browser, and what hangs on it.

Browsers open six connections to one host. So the tabs of one browser share a line, which one of
their workers holds; a browser without such workers has a line for each tab.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from hearth.servers.dashboard.asides import Chosen
from hearth.servers.dashboard.feeds import Feed, Parts, Whose
from hearth.servers.dashboard.patches import BEAT

IDLE: Final = 10.0
"""Seconds of silence after which a page is told that the daemon lives."""
MOST_TABS: Final = 64
"""Of one line."""


class Line:
    """The frames of some tabs. A source of a stream: see `servers.http.streams.sending`."""

    def __init__(self, parts: Parts, whose: Whose, left: Callable[["Line"], None]) -> None:
        self._parts = parts
        self._whose = whose
        self._left = left
        self._feeds: dict[str, Feed] = {}
        self._news = asyncio.Event()
        self._closed = False

    def add(self, tab: str, chosen: Chosen) -> bool:
        """A tab that is shown from now on; False if there are too many."""
        if tab not in self._feeds and len(self._feeds) >= MOST_TABS:
            return False
        self.remove(tab)
        feed = self._feeds[tab] = Feed(self._parts, tab, self._whose, chosen, self._news.set)
        feed.open()
        self._news.set()
        return True

    def remove(self, tab: str) -> None:
        """A tab is gone."""
        feed = self._feeds.pop(tab, None)
        if feed is not None:
            feed.close()

    def feed(self, tab: str) -> Feed | None:
        """One of its tabs."""
        return self._feeds.get(tab)

    @property
    def tabs(self) -> tuple[str, ...]:
        """Those that it serves."""
        return tuple(self._feeds)

    # -- as the source of a stream ----------------------------------------------------------------

    @property
    def beginning(self) -> bytes:
        """What to send first."""
        return b"retry: 1000\n\n"

    async def next(self) -> bytes:
        """What is new for its tabs, waiting until something is; empty at the end."""
        while not self._closed:
            self._news.clear()
            frames = b"".join(feed.pull() for feed in tuple(self._feeds.values()))
            if frames:
                return frames
            try:
                async with asyncio.timeout(IDLE):
                    await self._news.wait()
            except TimeoutError:
                return BEAT
        return b""

    def close(self) -> None:
        """Let go of everything, at once."""
        if self._closed:
            return
        self._closed = True
        for tab in self.tabs:
            self.remove(tab)
        self._left(self)
        self._news.set()


class Lines:
    """Every line there is, by the name that its browser gave it."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lines: dict[tuple[str, str], Line] = {}

    def open(self, name: str, whose: Whose, tabs: dict[str, Chosen]) -> Line:
        """A line of this name; one that was there before is ended: its browser lost it."""
        key = (whose.desk, name)
        if (before := self._lines.get(key)) is not None:
            before.close()

        def left(line: Line) -> None:
            if self._lines.get(key) is line:
                del self._lines[key]

        line = self._lines[key] = Line(self._parts, whose, left)
        for tab, chosen in tabs.items():
            line.add(tab, chosen)
        return line

    def get(self, name: str, desk: str) -> Line | None:
        """The line that a browser of whoever sits at this desk calls so."""
        return self._lines.get((desk, name))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._lines)

    def feed(self, desk: str, tab: str) -> Feed | None:
        """What a tab is sent, on whichever line it hangs."""
        for (whose, _), line in self._lines.items():
            if whose == desk and (feed := line.feed(tab)) is not None:
                return feed
        return None

    def remove(self, desk: str, tab: str) -> None:
        """A tab is gone."""
        for (whose, _), line in tuple(self._lines.items()):
            if whose == desk:
                line.remove(tab)

    def close(self) -> None:
        """End them all."""
        for line in tuple(self._lines.values()):
            line.close()
