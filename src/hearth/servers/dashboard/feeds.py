"""What one tab is sent: its session's screen, the sidebar and the panel that is open in it.

Nothing is queued for a tab: it is given what is new when it can take it. So a slow one is only
late, and costs nobody anything.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused, UnknownSession
from hearth.servers.dashboard.asides import Aside, Asides, Chosen
from hearth.servers.dashboard.assets import assets
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.patches import addressed, patch, told
from hearth.servers.dashboard.screens import Screen, Screens
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.http.around import Around

AGAIN: Final = 1.0
"""Seconds after which it is tried again to show what could not be shown."""

_said = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What every feed is made of."""

    around: Around
    screens: Screens
    overview: Overview
    asides: Asides


Attend: TypeAlias = Callable[[str, SessionId | None], Callable[[], None]]
"""Says that a tab is with a session; what it gives says that it is not any more."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Who looks."""

    desk: str
    attend: Attend


class Feed:
    """One tab."""

    def __init__(
        self, parts: Parts, tab: str, whose: Whose, chosen: Chosen, wake: Callable[[], None]
    ) -> None:
        self.tab = tab
        self.chosen = chosen
        self._parts = parts
        self._whose = whose
        self._wake = wake
        self._screen: Screen | None = None
        self._number: int | None = None
        """Of the newest step that it was given; None: it needs the whole."""
        self._aside: Aside | None = None
        self._aside_number = 0
        self._side: Html | None = None
        self._side_due = asyncio.Event()
        self._pieces: dict[str, bytes] = {}
        """What is for this tab alone, the newest of each kind."""
        self._leaving: dict[str, Callable[[], None]] = {}
        """How to let go of what it holds, by what that is."""
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Begin: from now on `pull` has something."""
        session, overview = self.chosen.session, self._parts.overview
        self._leaving["attending"] = self._whose.attend(self.tab, session)
        self._leaving["side"] = overview.watch(self._side_due.set)
        self._side_due.set()
        self._run(self._sidebar)
        self._show_aside()
        if session is None:
            self._pieces["view"] = _view("")
        else:
            self._leaving["looking"] = overview.looking(session, self._whose.desk)
            self._run(partial(self._look, session))

    def choose(self, chosen: Chosen) -> None:
        """Show something else: another session, another panel, other rows of it."""
        is_other = chosen.session != self.chosen.session
        self.chosen = chosen
        if is_other:
            self.close()
            self._pieces.clear()
            self._side = None
            self.open()
        else:
            self._show_aside()

    def pull(self) -> bytes:
        """What is new for this tab; nothing, if nothing is."""
        screen, aside = self._screen, self._aside
        frames, cursor = b"", 0
        if screen is not None:
            frames, cursor = self._steps(screen), screen.picture.cursor
        if self._pieces:
            frames += b"".join(self._pieces.values())
            self._pieces.clear()
        if aside is not None and aside.number != self._aside_number:
            self._aside_number = aside.number
            frames += aside.frames
        return addressed(frames, self.tab, cursor) if frames else b""

    def close(self) -> None:
        """Let go of everything."""
        for leave in self._leaving.values():
            leave()
        self._leaving.clear()
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        self._screen = self._aside = None

    def _steps(self, screen: Screen) -> bytes:
        if screen.ended:
            self._screen = None
            self._run(partial(self._look_again, screen.session))
            return b""
        frames = screen.since(self._number) if self._number is not None else None
        if frames is None:
            frames = _view(screen.session) + screen.picture.whole()
        self._number = screen.number
        return frames

    def _show_aside(self) -> None:
        if (leave := self._leaving.pop("aside", None)) is not None:
            leave()
        self._aside, self._aside_number = self._parts.asides.of(self.chosen), 0
        self._leaving["aside"] = self._aside.watch(self._wake)
        self._wake()

    async def _look(self, session: SessionId) -> None:
        while isinstance(screen := await self._parts.screens.of(session), Refused):
            self._trouble(screen.why, "; ".join(screen.remedy))
            if isinstance(screen, UnknownSession):
                return
            await asyncio.sleep(AGAIN)
        self._screen, self._number = screen, None
        # One that it watched before has ended, and calls nobody any more.
        self._leaving["screen"] = screen.watch(self._wake)
        self._wake()

    async def _look_again(self, session: SessionId) -> None:
        await asyncio.sleep(AGAIN)
        await self._look(session)

    async def _sidebar(self) -> None:
        overview = self._parts.overview
        while True:
            await self._side_due.wait()
            self._side_due.clear()
            side = await overview.shown(self._whose.desk)
            if self.chosen.session is None:
                side = Html(side + await overview.home(self._whose.desk))
            if side != self._side:
                self._side = side
                self._pieces["side"] = patch(side)
                self._wake()

    def _trouble(self, words: str, hint: str) -> None:
        self._pieces["trouble"] = told("hearth-trouble", words=words, hint=hint)
        self._wake()

    def _run(self, what: Callable[[], Awaitable[None]]) -> None:
        task = asyncio.create_task(self._contained(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _contained(self, what: Callable[[], Awaitable[None]]) -> None:
        try:
            await what()
        except Exception:  # noqa: BLE001 - a defect in one part of a page leaves the others
            _said.exception("a part of a page could not be drawn")
            self._trouble("a part of this page could not be drawn", "reload it")


def _view(session: str) -> bytes:
    """From here on a page shows what is so, if it is of this build and of this session."""
    return told("hearth-view", session=session, build=assets().build)
