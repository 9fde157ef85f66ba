"""What panels send that is no choice within a panel."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from hearth.core.vocabulary.wire import Part
from hearth.servers.dashboard.panels.grants import REVOKE, lasting
from hearth.servers.dashboard.panels.wording import Clock, utc_now
from hearth.servers.http.around import Around
from hearth.servers.http.asked import body_of, person_of
from hearth.servers.http.routing import Endpoint, Key


class Revoked(Part, frozen=True):
    """Which grant is taken back. The tab and its session come with whatever a page sends."""

    grant: str
    tab: str = ""
    session: str | None = None


class PanelEndpoints:
    """The routes of panels."""

    def __init__(self, around: Around, clock: Clock = utc_now) -> None:
        self._agents = around.agents
        self._clock = clock

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("POST", REVOKE): self.revoke}

    async def revoke(self, request: Request) -> Response:
        """Take a grant back, for a person alone; the list of them as it is then. Declined."""
        by = person_of(request)
        said = await body_of(request, Revoked)
        problem = ""
        try:
            if not await self._agents.revoke(said.grant, by):
                problem = "There is no such grant any more."
        except OSError as error:
            why = error.strerror or "the file cannot be written"
            problem = f"It could not be taken back: {why}. Mend grants.json in hearth's home."
        return HTMLResponse(await lasting(self._agents, self._clock(), problem))
