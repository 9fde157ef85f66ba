"""The route by which a session goes on in another one, and what is offered where it cannot."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Settled
from hearth.core.vocabulary.commands import ForkSession
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import ForkFailed, ForkHow, SessionForked
from hearth.resolving import named
from hearth.servers.dashboard.html import Html, p
from hearth.servers.dashboard.rendering.taking_back import obstacles
from hearth.servers.dashboard.rendering.turning import ways_out
from hearth.servers.dashboard.sidebar.answering import go_to, markup
from hearth.servers.dashboard.sidebar.forms import dialog
from hearth.servers.dashboard.sidebar.shapes import ForkWanted
from hearth.servers.http.answers import trouble_of
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, body_of
from hearth.servers.http.commanding import ask
from hearth.servers.http.naming import fresh_id
from hearth.servers.http.routing import Endpoint, Key

PATIENCE: Final = 60.0
"""Seconds that a page waits for a fork; a replay may take longer, and is told in the timeline."""
BY_REPLAY: Final = "how=replay"
"""Where a refusal names this as a remedy, only the copy is not possible."""
NO_FORK: Final = "No fork was made"
NO_COPY: Final = "The interpreter cannot be copied now:"
SLOW: Final = "It is still being made. The timeline says when it is there."


class Forking:
    """How sessions go on in others."""

    def __init__(self, around: Around) -> None:
        self._hearth = around.hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("POST", "/dashboard/fork"): self.fork}

    async def fork(self, request: Request) -> Response:
        """Begin it and have the tab go there; or why not, with the ways out. Declined."""
        said = await body_of(request, ForkWanted)
        session = await named(self._hearth, said.session)
        if isinstance(session, Refused):
            raise Declined(trouble_of(session))
        how = ForkHow(said.how) if said.how else None
        wanted = ForkSession(fresh_id(), BlockId(said.block), how)
        answered = await ask(self._hearth, request, session, wanted, usual=PATIENCE)
        if isinstance(answered, Refused):
            if not any(BY_REPLAY in one for one in answered.remedy):
                raise Declined(trouble_of(answered))
            return markup(_no_copy(session, said.block, f"{answered.why}."))
        event = answered.outcome.event if isinstance(answered, Settled) else None
        match event:
            case SessionForked():
                return markup(go_to(event.to))
            case ForkFailed() if event.obstacles:
                return markup(_no_copy(session, said.block, NO_COPY, event.obstacles))
            case ForkFailed():
                return markup(dialog(NO_FORK, p(f"{event.why}."[:500]), _helps(event.remedy)))
            case _:
                return markup(dialog("Fork", p(SLOW)))


def _no_copy(session: SessionId, block: str, why: str, found: tuple[str, ...] = ()) -> Html:
    """Why there is no fork, and how there could be one."""
    return dialog(
        NO_FORK,
        p(why[:500]),
        obstacles(found) if found else None,
        ways_out(session, block),
    )


def _helps(remedies: tuple[str, ...]) -> Html | None:
    """What would help, where a fork of another kind would not."""
    said = [one for one in remedies if " " in one]  # the others are names of commands
    return obstacles(tuple(said)) if said else None
