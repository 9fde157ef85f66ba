"""What one tab is sent: its session's screen, the sidebar and the panel that is open in it.

Nothing is queued for a tab: it is given what is new when it can take it. So a slow one is only
late, and costs nobody anything.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hearth.api import Following
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.panels.panel import Looking, Panel
from hearth.servers.dashboard.patches import addressed, patch, told
from hearth.servers.dashboard.screens import Screen, Screens
from hearth.servers.dashboard.shell import panel_aside
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.http.around import Around

BETWEEN: Final = 0.5
"""Seconds between two drawings of a panel, at least."""

_said = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What every feed is made of."""

    around: Around
    screens: Screens
    overview: Overview
    panels: Mapping[str, Panel]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a tab shows."""

    session: SessionId | None = None
    panel: str = ""
    wanted: Mapping[str, str] = field(default_factory=dict)


Attend: TypeAlias = Callable[[str, SessionId | None], Callable[[], None]]
"""Says that a tab is with a session; what it gives says that it is not any more."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Who looks."""

    person: str
    attend: Attend


class Feed:
    """One tab."""

    def __init__(
        self, parts: Parts, tab: str, whose: Whose, chosen: Chosen, wake: Callable[[], None]
    ) -> None:
        self.tab = tab
        self.chosen = chosen
        self._parts = parts
        self._person = whose.person
        self._attend = whose.attend
        self._wake = wake
        self._screen: Screen | None = None
        self._number = -1
        self._side: Html | None = None
        self._panel: Html | None = None
        self._pieces: dict[str, bytes] = {}
        """What is drawn for this tab alone, the newest of each kind."""
        self._leaving: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._side_due = asyncio.Event()
        self._panel_due = asyncio.Event()
        self._ended = False

    def open(self) -> None:
        """Begin: from now on `pull` has something."""
        self._leaving.append(self._parts.overview.watch(self._side_due.set))
        self._side_due.set()
        self._run(self._sidebar())
        self._begin()

    def choose(self, chosen: Chosen) -> None:
        """Show something else: another session, another panel, other rows of it."""
        is_other = chosen.session != self.chosen.session
        self.chosen = chosen
        if is_other:
            self.close()
            self._ended = False
            self._number, self._screen, self._side, self._panel = -1, None, None, None
            self._pieces.clear()
            self.open()
        else:
            self._panel = None
            self._panel_due.set()

    def pull(self) -> bytes:
        """What is new for this tab; nothing, if nothing is."""
        frames = b""
        screen = self._screen
        if screen is not None:
            if screen.ended:
                self._screen = None
                self._run(self._look())
            else:
                frames = self._steps(screen)
        if self._pieces:
            frames += b"".join(self._pieces.values())
            self._pieces.clear()
        cursor = screen.picture.cursor if screen is not None else 0
        return addressed(frames, self.tab, cursor) if frames else b""

    def close(self) -> None:
        """Let go of everything."""
        self._ended = True
        for leave in self._leaving:
            leave()
        self._leaving.clear()
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()

    def _steps(self, screen: Screen) -> bytes:
        frames = screen.since(self._number) if self._number >= 0 else None
        if frames is None:
            session = self.chosen.session or ""
            frames = told("hearth-view", session=session) + screen.picture.whole()
        self._number = screen.number
        return frames

    def _begin(self) -> None:
        session = self.chosen.session
        self._leaving.append(self._attend(self.tab, session))
        if session is not None:
            self._leaving.append(self._parts.overview.looking(session, self._person))
            self._run(self._look())
        else:
            self._pieces["view"] = told("hearth-view", session="")
        self._panel_due.set()
        self._run(self._panels())

    async def _look(self) -> None:
        session = self.chosen.session
        if session is None:
            return
        screen = await self._parts.screens.of(session)
        if isinstance(screen, Refused):
            self._pieces["view"] = told("hearth-trouble", words=screen.why, hint=_hint(screen))
            self._wake()
            return
        self._screen, self._number = screen, -1
        self._leaving.append(screen.watch(self._wake))
        self._wake()

    async def _sidebar(self) -> None:
        while True:
            await self._side_due.wait()
            self._side_due.clear()
            overview = self._parts.overview
            side = await overview.shown(self._person)
            if self.chosen.session is None:
                side = Html(side + await overview.home(self._person))
            if side != self._side:
                self._side = side
                self._pieces["side"] = patch(side)
                self._wake()

    async def _panels(self) -> None:
        """Draw the panel, and anew whenever what it shows has moved."""
        while True:
            self._panel_due.clear()
            panel = self._parts.panels.get(self.chosen.panel)
            # Followed before it is drawn: what comes meanwhile is drawn the next time.
            following = self._followed(panel)
            try:
                await self._draw_panel(panel)
                await self._until_moved(panel, following)
            finally:
                if following is not None:
                    following.close()
            try:
                async with asyncio.timeout(BETWEEN):
                    await self._panel_due.wait()
            except TimeoutError:
                continue

    def _followed(self, panel: Panel | None) -> Following | None:
        if panel is None or not panel.moved_by:
            return None
        session = None if panel.everywhere else self.chosen.session
        return self._parts.around.hearth.follow(session)

    async def _draw_panel(self, panel: Panel | None) -> None:
        looking = Looking(self._parts.around, self.chosen.session, self.chosen.wanted)
        drawn = await panel_aside(self._parts.panels.values(), panel, looking)
        if drawn != self._panel:
            self._panel = drawn
            self._pieces["panel"] = patch(drawn)
            self._wake()

    async def _until_moved(self, panel: Panel | None, following: Following | None) -> None:
        """Wait until something else was chosen, or what is shown has moved, or is old."""
        waiting = [asyncio.ensure_future(self._panel_due.wait())]
        if panel is not None and following is not None:
            waiting.append(asyncio.ensure_future(_moved(following, panel)))
        try:
            every = panel.every if panel is not None else None
            await asyncio.wait(waiting, timeout=every, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    def _run(self, what: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(self._contained(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _contained(self, what: Coroutine[None, None, None]) -> None:
        try:
            await what
        except Exception:  # noqa: BLE001 - a defect in one part of a page leaves the others
            _said.exception("a part of a page could not be drawn")
            self._pieces["trouble"] = told(
                "hearth-trouble", words="a part of this page could not be drawn", hint="reload it"
            )
            self._wake()


async def _moved(following: Following, panel: Panel) -> bool:
    """Wait until something that moves this panel has happened."""
    while items := await following.batch():
        for item in items:
            if isinstance(item, Stored):
                try:
                    if type(envelope(item).event) in panel.moved_by:
                        return True
                except Unreadable:
                    continue
    return True


def _hint(refusal: Refused) -> str:
    return "; ".join(refusal.remedy)
