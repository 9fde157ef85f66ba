"""Panels that are open: each is followed and drawn once, however many tabs have it open.

A panel that cannot be drawn says so in its place; nothing else of a page suffers from it.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from hearth.api import Following
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, p
from hearth.servers.dashboard.panels.panel import Looking, Panel
from hearth.servers.dashboard.patches import patch
from hearth.servers.dashboard.shell import panel_aside
from hearth.servers.http.around import Around

BETWEEN: Final = 0.5
"""Seconds between two drawings of a panel, at least."""
NOT_DRAWN: Final = "This panel could not be drawn: a defect of hearth. The daemon's log says which."

_said = logging.getLogger(__name__)
_Key: TypeAlias = tuple[SessionId | None, str, frozenset[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a tab shows."""

    session: SessionId | None = None
    panel: str = ""
    wanted: Mapping[str, str] = field(default_factory=dict)


class Aside:
    """One panel, or none, as all tabs see it that have chosen it."""

    def __init__(self, asides: "Asides", chosen: Chosen, left: Callable[[], object]) -> None:
        self.number = 0
        """Of the newest drawing; 0 before the first."""
        self.frames = b""
        self._asides = asides
        self._chosen = chosen
        self._left = left
        self._html: Html | None = None
        self._watchers: dict[object, Callable[[], None]] = {}
        self._drawing = asyncio.create_task(self._keep_drawing())

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever it was drawn, until what this gives is called; the last ends it."""
        mine = object()
        self._watchers[mine] = watcher

        def leave() -> None:
            if self._watchers.pop(mine, None) is not None and not self._watchers:
                self._drawing.cancel()
                self._left()

        return leave

    async def _keep_drawing(self) -> None:
        """Draw it, and anew whenever what it shows has moved or is old."""
        panel = self._asides.panel(self._chosen.panel)
        goes_on = True
        while goes_on:
            # Followed before it is drawn: what comes meanwhile is drawn the next time.
            following = self._asides.followed(self._chosen, panel)
            try:
                self._show(await self._asides.draw(self._chosen))
                goes_on = panel is not None and await _has_moved(panel, following)
            finally:
                if following is not None:
                    following.close()
            await asyncio.sleep(BETWEEN)

    def _show(self, html: Html) -> None:
        if html == self._html:
            return
        self._html, self.frames = html, patch(html)
        self.number += 1
        for watcher in tuple(self._watchers.values()):
            watcher()


class Asides:
    """Every panel there is, and those that are open."""

    def __init__(self, around: Around, panels: Iterable[Panel]) -> None:
        self._around = around
        self._panels = {one.name: one for one in panels}
        self._open: dict[_Key, Aside] = {}

    @property
    def open(self) -> int:
        """How many are drawn."""
        return len(self._open)

    def panel(self, name: str) -> Panel | None:
        """The panel of this name."""
        return self._panels.get(name)

    def of(self, chosen: Chosen) -> Aside:
        """What is beside the timeline of whoever chose this; watch it at once."""
        key = (chosen.session, chosen.panel, frozenset(chosen.wanted.items()))
        known = self._open.get(key)
        if known is None:
            known = self._open[key] = Aside(self, chosen, lambda: self._open.pop(key, None))
        return known

    async def draw(self, chosen: Chosen) -> Html:
        """`aside#panel`, as it is now."""
        panel = self.panel(chosen.panel)
        looking = Looking(self._around, chosen.session, chosen.wanted)
        try:
            return await panel_aside(self._panels.values(), panel, looking)
        except Exception:
            if panel is None:
                raise
            _said.exception("the panel %s could not be drawn", panel.name)
        panels = self._panels | {panel.name: replace(panel, show=_not_drawn)}
        return await panel_aside(panels.values(), panels[panel.name], looking)

    def followed(self, chosen: Chosen, panel: Panel | None) -> Following | None:
        """What tells when a panel has moved; None if nothing does."""
        if panel is None or not panel.moved_by:
            return None
        return self._around.hearth.follow(None if panel.everywhere else chosen.session)


async def _has_moved(panel: Panel, following: Following | None) -> bool:
    """Wait until a panel must be drawn anew; False if that will never be."""
    try:
        async with asyncio.timeout(panel.every):
            if following is not None:
                return await _heard(following, panel)
            if panel.every is None:
                return False
            await asyncio.Event().wait()
    except TimeoutError:
        pass
    return True


async def _heard(following: Following, panel: Panel) -> bool:
    """Wait until something happens that moves this panel; False if nothing will any more."""
    while items := await following.batch():
        for item in items:
            if isinstance(item, Stored):
                try:
                    if type(envelope(item).event) in panel.moved_by:
                        return True
                except Unreadable:
                    continue
    return False


async def _not_drawn(_: Looking) -> Html:
    return p(NOT_DRAWN, class_="empty", role="alert")
