"""What tests of screens, feeds and lines share: a daemon whose engine counts who follows."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.journeys.dashboards import PATIENCE, A, Steered, steered
from tests.servers.dashboard.model_page import ModelPage

from hearth.api import Accepted, Following, Hearth, Viewed
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refusal
from hearth.servers.dashboard.asides import Asides, Chosen
from hearth.servers.dashboard.feeds import Parts, Whose
from hearth.servers.dashboard.lines import Line, Lines
from hearth.servers.dashboard.panels.listed import panels
from hearth.servers.dashboard.picture import Picture
from hearth.servers.dashboard.screens import Screen, Screens
from hearth.servers.dashboard.sidebar.desks import Desks
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.http.around import Around

SESSION = SessionId(A)


class _Followed:
    """A stream that says when it was closed."""

    def __init__(self, following: Following, closed: Callable[[], None]) -> None:
        self._following = following
        self._closed = closed

    async def batch(self) -> Any:
        return await self._following.batch()

    def close(self) -> None:
        self._closed()
        self._following.close()


@dataclass
class Counting:
    """The engine, and what is asked of it."""

    hearth: Hearth
    followed: list[SessionId | None] = field(default_factory=list)
    """Every stream that was ever asked for."""
    open: list[SessionId | None] = field(default_factory=list)
    """Those that are not closed."""
    views: list[str] = field(default_factory=list)
    refuse: dict[str, Refusal | Exception] = field(default_factory=dict)
    """Views that are not given, by name."""

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        return await self.hearth.submit(session, command, origin, input_id=input_id)

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        self.views.append(name)
        refusal = self.refuse.get(name)
        if isinstance(refusal, Exception):
            raise refusal
        return refusal or await self.hearth.view(name, session)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        self.followed.append(session)
        self.open.append(session)
        is_open = True

        def closed() -> None:
            nonlocal is_open
            if is_open:
                self.open.remove(session)
            is_open = False

        return _Followed(self.hearth.follow(session, after=after), closed)


@dataclass
class Watched:
    """A daemon, and the parts of its dashboard."""

    daemon: Steered
    hearth: Counting
    around: Around
    screens: Screens
    overview: Overview
    asides: Asides
    lines: Lines
    attending: list[tuple[str, SessionId | None]] = field(default_factory=list)
    """Which tab is with which session now."""

    @property
    def parts(self) -> Parts:
        return Parts(self.around, self.screens, self.overview, self.asides)

    @property
    def whose(self) -> Whose:
        def attend(tab: str, session: SessionId | None) -> Callable[[], None]:
            self.attending.append((tab, session))
            return lambda: self.attending.remove((tab, session))

        return Whose("ann", attend)

    def line(self, name: str = "line", **tabs: Chosen) -> Line:
        return self.lines.open(name, self.whose, tabs)

    async def screen(self, session: SessionId = SESSION) -> Screen:
        screen = await self.screens.of(session)
        assert isinstance(screen, Screen), screen
        return screen

    async def fresh(self, session: SessionId = SESSION) -> ModelPage:
        """A page that knows nothing, given everything by somebody who reads it now."""
        picture = Picture(self.around, session)
        assert await picture.load() is None
        page = ModelPage()
        page.take(picture.whole())
        return page


@asynccontextmanager
async def watched(home: Path, *, sessions: tuple[str, ...] = (A,)) -> AsyncIterator[Watched]:
    """Everything that draws, around an engine that counts."""
    async with steered(home, sessions=sessions) as daemon:
        hearth = Counting(daemon.served.engine)
        around = replace(daemon.served.around, hearth=hearth)
        desks = Desks(home)
        overview = Overview(around, desks)
        screens, asides = Screens(around), Asides(around, panels(around))
        lines = Lines(Parts(around, screens, overview, asides))
        try:
            yield Watched(daemon, hearth, around, screens, overview, asides, lines)
        finally:
            lines.close()
            await screens.close()
            await overview.close()
            await desks.close()


async def until(holds: Callable[[], bool]) -> None:
    """Let others run until this is so."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - what is waited for is not always told
            await asyncio.sleep(0)


async def beyond(screen: Screen, number: int) -> None:
    """Wait until a screen has a step behind this one."""
    await until(lambda: screen.number > number)
