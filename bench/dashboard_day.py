"""A page that is open for a day: cells and turns go by, and neither it nor the daemon grows."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Final, NamedTuple

from bench.agents import NOTHING, calling, known, send
from bench.daemons import Daemon, Wire
from bench.dashboard_histories import write_life
from bench.dashboards import Weight, bare_tab, looking, weight
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
    scratch,
)
from playwright.async_api import Page, expect
from tests.providers.process import provider_process
from tests.providers.script import Reply, Say, Script

from hearth.app import run
from hearth.core.vocabulary.ids import SessionId

NODES: Final = "nodes of a page after 100,000 events"
HEAP: Final = "memory of its scripts after 100,000 events"
GONE_BY: Final = "events that it was shown meanwhile"
PACE: Final = "… as fast as all of it could"
PER_TAB: Final = "memory of the daemon for a tab"
PER_SESSION: Final = "… that shows a session of its own"
EVENTS: Final = 100_000
EARLY: Final = 1000
"""Events after which a page is as full as it gets."""
STEPS: Final = 100
"""Of a turn."""
CELLS: Final = 150
"""Between two turns."""
TABS: Final = 20
CODE: Final = "total = sum(range({0}))\nprint('sum', total)\n{0}"


class Lasted(NamedTuple):
    """How a page and its daemon were."""

    early: Weight
    late: Weight
    events: int
    seconds: float
    per_tab: float
    per_session: float


def measure(scale: Scale) -> list[Figure]:
    """A day in some minutes: as fast as a page, a daemon, an interpreter and a model can."""
    rounds = scale.of(EVENTS // 1100, 2)
    with scratch() as folder:
        project, store = folder / "project", folder / "home" / "data" / "hearth.db"
        for one in (project, store.parent):
            one.mkdir(parents=True)
        others = [SessionId(f"session-other{number}") for number in range(scale.of(TABS, 4))]
        for session in others:
            write_life(store, session, project, scale.of(EARLY, 100))
        script = Script(tuple(_replies(rounds, scale)))
        with (
            provider_process("anthropic", script, folder) as url,
            known(folder, url, nothing=True) as daemon,
        ):
            found = run(_lasted(daemon, rounds, scale, others))
    return [
        Figure(NODES, "", [Round(found.late.nodes, found.early.nodes)], "1,000", at_most(2.0)),
        Figure(
            HEAP,
            "MiB",
            [Round(found.late.heap / MIB, found.early.heap / MIB)],
            "1,000",
            at_most(2.0),
        ),
        for_information(GONE_BY, "", [found.events]),
        for_information(PACE, "events/s", [found.events / found.seconds]),
        against_limit(PER_TAB, "MiB", [found.per_tab / MIB], 2.0),
        against_limit(PER_SESSION, "MiB", [found.per_session / MIB], 2.0),
    ]


async def _lasted(daemon: Daemon, rounds: int, scale: Scale, others: Sequence[SessionId]) -> Lasted:
    with Wire(daemon) as wire:
        session = await asyncio.to_thread(wire.session, daemon.project)
        day = Day(wire, session, scale)
        async with looking(daemon) as visitor:
            page = await visitor.open(f"/dashboard/s/{session}")
            await day.pass_by(range(1), page)
            early, before, begun = await weight(page), await day.events(), perf_counter()
            await day.pass_by(range(1, rounds), page)
            seconds, events = perf_counter() - begun, await day.events()
            late = await weight(page)
            per_tab = await _per_tab(daemon, day, page, scale.of(TABS, 4))
            per_session = await _per_session(daemon, others)
    return Lasted(early, late, events - before, seconds, per_tab, per_session)


class Day:
    """What happens in a session."""

    def __init__(self, wire: Wire, session: str, scale: Scale) -> None:
        self.session = session
        self._wire = wire
        self._cells = scale.of(CELLS, 60)
        self._marks = 0

    async def pass_by(self, rounds: Iterable[int], page: Page) -> None:
        """Turns and cells; then the page shows that all of them have gone by."""
        await asyncio.to_thread(self._rounds, rounds)
        await self.seen(page)

    async def run_cells(self, page: Page) -> None:
        """Only cells."""
        await asyncio.to_thread(self._run)
        await self.seen(page)

    async def seen(self, page: Page) -> None:
        """Wait until a page shows what happened last."""
        self._marks += 1
        name = f"mark {self._marks}"
        rename = {"type": "rename_session", "name": name}
        await asyncio.to_thread(self._do, rename)
        await expect(page.locator("#head")).to_contain_text(name)

    async def events(self) -> int:
        """How many there were so far."""
        found = await asyncio.to_thread(self._wire.ask, "GET", f"/sessions/{self.session}")
        return int(found["value"]["events"] if "value" in found else found["events"])

    def _rounds(self, rounds: Iterable[int]) -> None:
        for number in rounds:
            send(self._wire, self.session, "go on")
            if _is_summed_up(number):
                self._do({"type": "compact_conversation"})
            self._run()

    def _run(self) -> None:
        for number in range(self._cells):
            self._wire.run(self.session, CODE.format(number))

    def _do(self, command: dict[str, str]) -> None:
        path = f"/sessions/{self.session}/commands"
        self._wire.ask("POST", path, command, Prefer="wait=60")


def _replies(rounds: int, scale: Scale) -> Iterator[Reply]:
    steps = scale.of(STEPS, 20)
    for number in range(rounds):
        yield from calling(NOTHING, range(number * steps, (number + 1) * steps))
        if _is_summed_up(number):
            yield Reply((Say("What was said so far, in short."),))


def _is_summed_up(number: int) -> bool:
    """Whether the conversation is, behind this turn: no model reads a whole day."""
    return number % 4 == 3


async def _per_tab(daemon: Daemon, day: Day, page: Page, number: int) -> float:
    """Bytes that the daemon holds more for each tab more that shows what happens."""
    await day.run_cells(page)
    before = daemon.memory()
    tabs = [await bare_tab(daemon, day.session, place) for place in range(number)]
    await day.run_cells(page)
    held = daemon.memory() - before
    for tab in tabs:
        tab.transport.abort()
    return max(0, held) / number


async def _per_session(daemon: Daemon, sessions: Sequence[SessionId]) -> float:
    """The same where each shows something that nobody else looks at."""
    before = daemon.memory()
    tabs = [await bare_tab(daemon, one, place) for place, one in enumerate(sessions)]
    held = daemon.memory() - before
    for tab in tabs:
        tab.transport.abort()
    return max(0, held) / len(sessions)
