"""A page that is open for a day: cells and turns go by, and neither it nor the daemon grows.

What goes by is written into the log by this process, as another daemon would: so a day takes
minutes, and everything that is shown has come through the daemon's follower, screen and line.
"""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from bench.daemons import Daemon, daemon
from bench.dashboard_histories import Life, Owner, write_life
from bench.dashboards import Weight, bare_tab, looking, weight
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
)
from playwright.async_api import Page
from tests.journeys.browsing import until

from hearth.app import run
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import SessionId

NODES: Final = "nodes of a page after 100,000 events"
HEAP: Final = "memory of its scripts after 100,000 events"
PACE: Final = "events that it was shown meanwhile"
PER_TAB: Final = "memory of the daemon for a tab"
PER_SESSION: Final = "… that shows a session of its own"
EVENTS: Final = 100_000
EARLY: Final = 1000
"""Events after which a page is as full as it gets."""
AT_ONCE: Final = 400
"""Events that are written at once: fewer items than a page holds, so each of them is shown."""
TABS: Final = 20
DAY: Final = SessionId("session-day")


class Lasted(NamedTuple):
    """How a page and its daemon were."""

    early: Weight
    late: Weight
    pace: float
    """Events a second."""
    per_tab: float
    per_session: float


def measure(scale: Scale) -> list[Figure]:
    """A day in some minutes: as fast as the page takes it."""
    with daemon() as here:
        found = run(_lasted(here, scale))
    nodes = Round(found.late.nodes, found.early.nodes)
    heap = Round(found.late.heap / MIB, found.early.heap / MIB)
    return [
        Figure(NODES, "", [nodes], "after 1,000", at_most(2.0)),
        Figure(HEAP, "MiB", [heap], "after 1,000", at_most(2.0)),
        for_information(PACE, "events/s", [found.pace]),
        against_limit(PER_TAB, "MiB", [found.per_tab / MIB], 2.0),
        against_limit(PER_SESSION, "MiB", [found.per_session / MIB], 2.0),
    ]


async def _lasted(here: Daemon, scale: Scale) -> Lasted:
    events, few, tabs = scale.of(EVENTS, 1200), scale.of(EARLY, 600), scale.of(TABS, 4)
    day = Day(here)
    await day.pass_by(AT_ONCE)
    async with looking(here) as visitor:
        page = await visitor.open(f"/dashboard/s/{DAY}")
        await day.pass_by(few - AT_ONCE, page)
        early = await weight(page)
        # Before the daemon has let go of anything that it could use again for them.
        per_session = await _per_session(here, tabs, scale.of(EARLY, 200))
        begun = perf_counter()
        await day.pass_by(events - few, page)
        pace = (events - few) / (perf_counter() - begun)
        late = await weight(page)
        per_tab = await _per_tab(here, day, page, tabs)
    return Lasted(early, late, pace, per_tab, per_session)


class Day:
    """A session that somebody else's daemon has, as its log tells."""

    def __init__(self, here: Daemon) -> None:
        self._owner = Owner(store_of(here), DAY)
        self._facts: Iterator[Fact] = Life(DAY, here.project).lived(10 * EVENTS)

    async def pass_by(self, events: int, page: Page | None = None) -> None:
        """So much more happens; no more at once than a page can have shown before it goes on."""
        for begun in range(0, events, AT_ONCE):
            await asyncio.to_thread(self._write, min(AT_ONCE, events - begun))
            if page is not None:
                await until(page, "(last) => hearth.cursor >= last", self._owner.seq)

    def _write(self, events: int) -> None:
        self._owner.write(islice(self._facts, events))


def store_of(here: Daemon) -> Path:
    """The log of a daemon."""
    return here.home / "data" / "hearth.db"


async def _per_tab(here: Daemon, day: Day, page: Page, number: int) -> float:
    """Bytes that the daemon holds more for each tab more that shows what happens."""
    await day.pass_by(AT_ONCE, page)
    before = here.memory()
    tabs = [await bare_tab(here, DAY, place) for place in range(number)]
    await day.pass_by(AT_ONCE, page)
    held = here.memory() - before
    for tab in tabs:
        tab.transport.abort()
    return max(0, held) / number


async def _per_session(here: Daemon, number: int, events: int) -> float:
    """The same where each shows something that nobody else looks at."""
    sessions = [SessionId(f"session-other{place}") for place in range(number)]
    await asyncio.to_thread(_write_others, here, sessions, events)
    before = here.memory()
    tabs = [await bare_tab(here, one, place) for place, one in enumerate(sessions)]
    held = here.memory() - before
    for tab in tabs:
        tab.transport.abort()
    return max(0, held) / number


def _write_others(here: Daemon, sessions: Sequence[SessionId], events: int) -> None:
    for session in sessions:
        write_life(store_of(here), session, here.project, events)
