"""The pages themselves, of all sessions and of one; and what they are made of."""

import gzip
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownSession
from hearth.resolving import named
from hearth.servers.dashboard.asides import Chosen
from hearth.servers.dashboard.assets import assets
from hearth.servers.dashboard.composing.composer import composer
from hearth.servers.dashboard.feeds import Parts
from hearth.servers.dashboard.html import Html, div
from hearth.servers.dashboard.screens import Screen
from hearth.servers.dashboard.shell import document, home_page, session_page
from hearth.servers.dashboard.sidebar.desks import Desk, Desks
from hearth.servers.dashboard.sidebar.whose import desk_of
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, trouble_of
from hearth.servers.http.asked import Declined, said_session

SEALED: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Vary": "Accept-Encoding",
}
"""No other page sees into ours, and ours has no more of the browser than it needs."""


class Pages:
    """Whole documents."""

    def __init__(self, parts: Parts, desks: Desks) -> None:
        self._parts = parts
        self._desks = desks

    async def home(self, request: Request) -> Response:
        """All sessions."""
        person, desk = self._whose(request)
        overview = self._parts.overview
        inside = home_page(
            await overview.shown(person),
            await overview.home(person),
            await self._panel(None, desk),
            div(id_="state", hidden=True, data_state="idle", data_needs=0, data_title="hearth"),
        )
        panel = self._parts.asides.panel(desk.panel)
        opened = "closed" if panel is None or panel.needs_session else "open"
        return self._answer(request, "hearth", desk, inside, session="", panel=opened)

    async def session(self, request: Request) -> Response:
        """One session."""
        said = said_session(request)
        screen = await self._screen(said)
        session, picture = screen.session, screen.picture
        telling.on(session)
        person, desk = self._whose(request)
        status, talk = picture.standing
        inside = session_page(
            sidebar=await self._parts.overview.shown(person),
            head=picture.region("head"),
            timeline=picture.timeline,
            queue=picture.region("queue"),
            composer=composer(session, status, talk),
            panel=await self._panel(session, desk),
            state=picture.region("state"),
        )
        title = f"{status.name or session} · hearth"
        return self._answer(request, title, desk, inside, session=session, panel=_opened(desk))

    async def asset(self, request: Request) -> Response:
        """What pages are made of."""
        found = assets().by_path.get(request.url.path)
        if found is None:
            raise Declined(Trouble(404, "not_found", "the pages have no such file"))
        headers = {**SEALED, "Content-Security-Policy": "default-src 'none'; connect-src 'self'"}
        if _takes_packed(request):
            return Response(
                found.packed, 200, {**headers, "Content-Encoding": "gzip"}, media_type=found.kind
            )
        return Response(found.content, 200, headers, media_type=found.kind)

    async def _screen(self, said: SessionId) -> Screen:
        """The screen of exactly this session, else of the one that is meant. Declined."""
        screen = await self._parts.screens.of(said)
        if isinstance(screen, UnknownSession):
            session = await named(self._parts.around.hearth, said)
            if not isinstance(session, Refused):
                screen = await self._parts.screens.of(session)
        if isinstance(screen, Refused):
            raise NotShown(screen)
        return screen

    async def _panel(self, session: SessionId | None, desk: Desk) -> Html:
        return await self._parts.asides.draw(Chosen(session, desk.panel))

    def _whose(self, request: Request) -> tuple[str, Desk]:
        name = desk_of(request)
        return name, self._desks.of(name)

    def _answer(
        self, request: Request, title: str, desk: Desk, inside: Html, **about: str
    ) -> Response:
        found = assets()
        sidebar = "closed" if desk.collapsed else "open"
        page = document(found, title, desk.theme, inside, sidebar=sidebar, **about)
        headers = {**SEALED, "Content-Security-Policy": found.policy}
        content = page.encode(errors="replace")
        if _takes_packed(request):
            headers["Content-Encoding"] = "gzip"
            content = gzip.compress(content, 5, mtime=0)
        return Response(content, 200, headers, media_type="text/html")


class NotShown(Declined):
    """There is no page for this session; a browser is told so in words."""

    def __init__(self, refusal: Refusal) -> None:
        trouble = trouble_of(refusal)
        super().__init__(trouble if trouble.hint else trouble.hinting(_LISTED))


_LISTED: Final = "GET /dashboard lists the sessions"


def _opened(desk: Desk) -> str:
    return "open" if desk.panel else "closed"


def _takes_packed(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")
