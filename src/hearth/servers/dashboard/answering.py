"""Everything of the dashboard that answers requests, and what it shares."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from hearth.servers.dashboard.asides import Asides
from hearth.servers.dashboard.assets import assets
from hearth.servers.dashboard.composing.copying import conversation_text
from hearth.servers.dashboard.feeds import Parts
from hearth.servers.dashboard.lines import Lines
from hearth.servers.dashboard.pages import Pages
from hearth.servers.dashboard.panels.endpoints import PanelEndpoints
from hearth.servers.dashboard.panels.keeping import Keeping
from hearth.servers.dashboard.panels.listed import panels
from hearth.servers.dashboard.rendering.frames import framed, kept, pictured
from hearth.servers.dashboard.rewinding import Rewinding
from hearth.servers.dashboard.screens import Screens
from hearth.servers.dashboard.sidebar.desks import Desks
from hearth.servers.dashboard.sidebar.endpoints import Sidebar
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.dashboard.tabs import Tabs
from hearth.servers.http.answers import malformed
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, said_session
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.streams.channels import Channels

__all__ = ["Answering", "assets"]


class Answering:
    """The dashboard of one daemon."""

    def __init__(self, around: Around, channels: Channels) -> None:
        self._around = around
        self._desks = Desks(around.daemon.info().home)
        self._overview = Overview(around, self._desks)
        self._screens = Screens(around)
        parts = Parts(around, self._screens, self._overview, Asides(around, panels(around)))
        self._lines = Lines(parts)
        self._pages = Pages(parts, self._desks)
        self._tabs = Tabs(around, parts, self._lines, self._desks, channels)

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/dashboard"): self._pages.home,
            ("GET", "/dashboard/s/{id}"): self._pages.session,
            ("GET", "/dashboard/s/{id}/items"): self._tabs.items,
            ("GET", "/dashboard/s/{id}/text"): self.text,
            ("GET", "/dashboard/s/{id}/frame/{version}/{cell}/{number}"): self.frame,
            ("GET", "/dashboard/s/{id}/output/{version}/{cell}/{number}"): self.picture,
            ("GET", "/dashboard/s/{id}/blob/{sha256}"): self.blob,
            ("GET", "/dashboard/assets/{file}"): self._pages.asset,
            ("GET", "/dashboard/lines/{line}"): self._tabs.line,
            ("POST", "/dashboard/tabs"): self._tabs.add,
            ("POST", "/dashboard/tabs/leave"): self._tabs.leave,
            ("POST", "/dashboard/session/switch/{id}"): self._tabs.switch,
            ("POST", "/dashboard/panel"): self._tabs.panel,
            **PanelEndpoints(self._around).endpoints(),
            **Keeping(self._around).endpoints(),
            **Rewinding(self._around).endpoints(),
            **Sidebar(self._around, self._desks, self._overview).endpoints(),
        }

    async def close(self) -> None:
        """End what goes on."""
        self._lines.close()
        await self._screens.close()
        await self._overview.close()
        await self._desks.close()

    async def text(self, request: Request) -> Response:
        """A conversation as text, to be copied."""
        words = await conversation_text(self._around, said_session(request))
        return Response(words.encode(errors="replace"), media_type="text/plain; charset=utf-8")

    async def frame(self, request: Request) -> Response:
        """An output as a page of its own."""
        return await framed(self._around, said_session(request), *_of_cell(request))

    async def picture(self, request: Request) -> Response:
        """A picture that a cell showed."""
        return await pictured(self._around, said_session(request), *_of_cell(request))

    async def blob(self, request: Request) -> Response:
        """Content by its hash, to be read by people."""
        wanted = request.query_params.get("type", "text")
        return await kept(self._around, request.path_params["sha256"], wanted)


def _of_cell(request: Request) -> tuple[int, str, int]:
    """The version that a cell began with, its name, and the how-manieth output of it."""
    version, number = (request.path_params[name] for name in ("version", "number"))
    for one in (version, number):
        if not (one.isascii() and one.isdigit() and len(one) <= 15):
            raise Declined(malformed("an output is named by whole numbers", "path"))
    return int(version), request.path_params["cell"], int(number)
