"""The routes by which tabs are shown: their line, what each of them shows, and older items."""

import asyncio
import re
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.core.views.timeline_items import Placed
from hearth.core.views.timeline_reading import Part, Reading, after, before
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Standing
from hearth.servers.dashboard.asides import Chosen
from hearth.servers.dashboard.feeds import Feed, Parts, Whose
from hearth.servers.dashboard.html import Html, div
from hearth.servers.dashboard.lines import Lines
from hearth.servers.dashboard.pages import NotShown
from hearth.servers.dashboard.reading import found
from hearth.servers.dashboard.rendering.items import drawn
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.shapes import NAME, PanelWanted, TabJoined, TabMeant
from hearth.servers.dashboard.sidebar.desks import Desks
from hearth.servers.dashboard.sidebar.whose import desk_of
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, malformed
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, body_of, credential_of, origin_of, said_session
from hearth.servers.http.streams.channels import Channels
from hearth.servers.http.streams.sending import EventStream

PAGE: Final = 50
"""Items of one page."""

_OF_TAB: Final = frozenset({"tab", "panel", "session"})
_FIT = re.compile(NAME)
_PLACE = re.compile(r"(\d{1,6})\.(\d{1,18})\.(\d{1,9})")


class Tabs:
    """Where tabs get what they show."""

    def __init__(
        self, around: Around, parts: Parts, lines: Lines, desks: Desks, channels: Channels
    ) -> None:
        self._around = around
        self._parts = parts
        self._lines = lines
        self._desks = desks
        self._channels = channels

    async def line(self, request: Request) -> Response:
        """The stream of a browser: of all its tabs, or of one."""
        name = request.path_params["line"]
        if not _FIT.fullmatch(name):
            raise Declined(malformed("this is no name for a line", "path.line"))
        desk = desk_of(request)
        panel = self._desks.of(desk).panel
        tabs: dict[str, Chosen] = {}
        for said in request.query_params.getlist("tab"):
            tab, _, session = said.partition(".")
            if not _FIT.fullmatch(tab):
                raise Declined(malformed("a tab is a name, a dot and a session", "query.tab"))
            tabs[tab] = Chosen(SessionId(session) if session else None, panel)
        origin = origin_of(request)

        def attend(tab: str, session: SessionId | None) -> Callable[[], None]:
            return self._around.attendance.enter(session, origin, f"{name}.{tab}")

        line = self._lines.open(name, Whose(desk, attend), tabs)
        return EventStream(line, self._channels.end_too(line.close))

    async def add(self, request: Request) -> Response:
        """A tab more on a line that is open."""
        said = await body_of(request, TabJoined)
        desk = desk_of(request)
        line = self._lines.get(said.line, desk)
        if line is None:
            raise Declined(_unknown())
        panel = self._desks.of(desk).panel
        chosen = Chosen(SessionId(said.session) if said.session else None, panel)
        if not line.add(said.tab, chosen):
            raise Declined(
                Trouble(409, "too_many_tabs", "this browser shows too many tabs at once")
            )
        return Response(status_code=204)

    async def leave(self, request: Request) -> Response:
        """A tab is gone."""
        said = await body_of(request, TabMeant)
        self._lines.remove(desk_of(request), said.tab)
        return Response(status_code=204)

    async def switch(self, request: Request) -> Response:
        """Let one tab show another session. No other tab, and no other client, notices."""
        said = await body_of(request, TabMeant)
        session = said_session(request)
        screen = await self._parts.screens.of(session)
        if isinstance(screen, Refused):
            raise NotShown(screen)
        telling.on(session)
        feed = self._feed(request, said.tab)
        feed.choose(Chosen(session, feed.chosen.panel))
        return Response(status_code=204)

    async def panel(self, request: Request) -> Response:
        """Let one tab show a panel; it is the one that the person's next page begins with."""
        said: dict[str, str] = await body_of(request, PanelWanted)
        panel = said.get("panel", "")
        if panel and self._parts.asides.panel(panel) is None:
            raise Declined(malformed("there is no such panel", "body.panel"))
        feed = self._feed(request, said.get("tab", ""))
        wanted = {name: word for name, word in said.items() if name not in _OF_TAB}
        feed.choose(Chosen(feed.chosen.session, panel, wanted))
        desk = desk_of(request)
        is_own = credential_of(request).standing is Standing.PERSON
        if is_own and self._desks.of(desk).panel != panel:
            await self._desks.change(desk, panel=panel)
        return Response(status_code=204)

    async def items(self, request: Request) -> Response:
        """Items before or behind a place, or around a version."""
        session = said_session(request)
        screen = await self._parts.screens.of(session)
        if isinstance(screen, Refused):
            raise NotShown(screen)
        status, talk = screen.picture.standing
        query = request.query_params
        if "at" in query:
            version = _version(query["at"])
            # Of the newest segment: what people look for was said on the line that they see.
            last = len(talk.shown.segments)
            older = before(session, talk, (last, version + 1, 0), status.events, PAGE)
            newer = after(session, talk, (last, version, 0), status.events, PAGE)
            one, other = await self._read(older), await self._read(newer)
            part = Part((*one.items, *other.items), one.older, other.newer)
        elif "before" in query:
            place = _place(query["before"], "before")
            part = await self._read(before(session, talk, place, status.events, PAGE))
        else:
            place = _place(query.get("after", ""), "after")
            part = await self._read(after(session, talk, place, status.events, PAGE))
        return await self._page(screen.picture.look, part)

    async def _read(self, reading: Reading) -> Part:
        part = await found(reading, self._around.rows)
        if isinstance(part, Refused):
            raise NotShown(part)
        return part

    async def _page(self, look: Look, part: Part) -> Response:
        unique: dict[str, Placed] = {one.key: one for one in part.items}
        made: list[Html] = []
        for one in unique.values():
            made.append(drawn(one, look).html)
            await asyncio.sleep(0)  # others get their turn
        page = div(
            made,
            id_="page",
            data_older="1" if part.older else None,
            data_newer="1" if part.newer else None,
        )
        return Response(page.encode(errors="replace"), 200, media_type="text/html")

    def _feed(self, request: Request, tab: str) -> Feed:
        """What a tab of this person is sent. Declined."""
        feed = self._lines.feed(desk_of(request), tab)
        if feed is None:
            raise Declined(_unknown())
        return feed


def _unknown() -> Trouble:
    return Trouble(410, "unknown_line", "this tab is not connected any more", "connect it again")


def _place(said: str, name: str) -> tuple[int, int, int]:
    if (match := _PLACE.fullmatch(said)) is None:
        raise Declined(malformed("a place is three numbers with dots between", f"query.{name}"))
    first, second, third = (int(one) for one in match.groups())
    return (first, second, third)


def _version(said: str) -> int:
    if not (said.isascii() and said.isdigit() and len(said) <= 15):
        raise Declined(malformed("a version is a whole number", "query.at"))
    return int(said)
