"""The routes by which a person arranges their list: archive, order, and how the page looks."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import Response

from hearth.core.vocabulary.commands import Command, HardResetSession, StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.prompting import CancelTurn
from hearth.core.vocabulary.refusals import NotNow, Quarantined, Refused
from hearth.servers.dashboard.sidebar.answering import go_to, leave, markup
from hearth.servers.dashboard.sidebar.desks import MOST_ARCHIVED, MOST_EARLIER, Desks
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.dashboard.sidebar.shapes import DeskWanted, OneSession, Ordered, Unarchived
from hearth.servers.dashboard.sidebar.whose import own_desk
from hearth.servers.http import telling
from hearth.servers.http.answers import trouble_of
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, body_of, origin_of
from hearth.servers.http.routing import Endpoint, Key

ARCHIVED: Final = "it was archived"
SWITCHES: Final = frozenset({"collapsed", "thinking"})
YES_NO: Final = {"true": True, "false": False}
"""Fields of a form are texts."""


class Arranging:
    """What a person does with their list. Nothing of it is for an agent, nor for who only reads."""

    def __init__(self, around: Around, desks: Desks, overview: Overview) -> None:
        self._hearth = around.hearth
        self._desks = desks
        self._overview = overview

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("POST", "/dashboard/archive"): self.archive,
            ("POST", "/dashboard/unarchive"): self.unarchive,
            ("POST", "/dashboard/order"): self.order,
            ("POST", "/dashboard/desk"): self.desk,
        }

    async def archive(self, request: Request) -> Response:
        """Stop the agent and the interpreter of a session, and put it away. Nothing is deleted."""
        person = own_desk(request)
        session = SessionId((await body_of(request, OneSession)).session)
        await self._ask(request, session, CancelTurn())
        await self._ask(request, session, StopSession(ARCHIVED))
        desk = self._desks.of(person)
        archived = (*(one for one in desk.archived if one != session), session)
        order = tuple(one for one in desk.order if one != session)
        await self._desks.change(person, archived=archived[-MOST_ARCHIVED:], order=order)
        return markup(await self._overview.shown(person), leave(session))

    async def unarchive(self, request: Request) -> Response:
        """Take a session out of the archive; if that is wanted, begin it again and go there."""
        person = own_desk(request)
        said = await body_of(request, Unarchived)
        session = SessionId(said.session)
        if said.resume == "yes":
            await self._ask(request, session, HardResetSession())
        left = tuple(one for one in self._desks.of(person).archived if one != session)
        await self._desks.change(person, archived=left)
        shown = await self._overview.shown(person)
        return markup(shown, go_to(session)) if said.resume == "yes" else markup(shown)

    async def order(self, request: Request) -> Response:
        """Have the sessions stand in this order."""
        person = own_desk(request)
        said = await body_of(request, Ordered)
        await self._desks.change(person, order=tuple(dict.fromkeys(said.order)))
        return markup(await self._overview.shown(person))

    async def desk(self, request: Request) -> Response:
        """Change how the page looks; all tabs of the person follow."""
        person = own_desk(request)
        said = asdict(await body_of(request, DeskWanted))
        wanted: dict[str, Any] = {
            name: YES_NO.get(value, value) if name in SWITCHES else value
            for name, value in said.items()
            if value is not UNSET and name not in {"tab", "session"}
        }
        if "earlier" in wanted:
            wanted["earlier"] = min(max(1, int(wanted["earlier"])), MOST_EARLIER)
        await self._desks.change(person, **wanted)
        return Response(status_code=204)

    async def _ask(self, request: Request, session: SessionId, command: Command) -> None:
        """Ask a session for something that it may have done already. Declined."""
        telling.on(session)
        answered = await self._hearth.submit(session, command, origin_of(request))
        # Of one that is set aside nothing runs; it can be put away as it is.
        if isinstance(answered, Refused) and not isinstance(answered, NotNow | Quarantined):
            raise Declined(trouble_of(answered))
