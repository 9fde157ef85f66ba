"""Which session a request of an editor is for, and which client it is from.

In this order: the one that it names; the one that this client watches; that of its directory; the
one that was used last. What is chosen for a stream stays so, whatever others do.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from starlette.requests import Request

from hearth.api import Hearth, Viewed
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.resolving import USABLE, session_at
from hearth.servers.http.answers import Trouble, trouble_of
from hearth.servers.http.asked import Declined, directory_of, origin_of
from hearth.servers.http.streams.routes import client_of, meant

MOST_REQUESTS: Final = 1000
"""So many of the newest requests are known by their client."""


class Clients:
    """Which client asked what, and which session each watches."""

    def __init__(self) -> None:
        self._asked: dict[InputId, str] = {}
        self._watches: dict[str, list[SessionId]] = {}

    def asked(self, request: InputId, client: str | None) -> None:
        """This request is this client's."""
        if client is None:
            return
        self._asked[request] = client
        if len(self._asked) > MOST_REQUESTS:
            del self._asked[next(iter(self._asked))]

    def who_asked(self, request: InputId) -> str | None:
        """Whose request it was; None if nobody said so."""
        return self._asked.get(request)

    def watches(self, client: str | None, session: SessionId) -> Callable[[], None]:
        """This client shows this session, until what this gives is called."""
        if client is None:
            return lambda: None
        self._watches.setdefault(client, []).append(session)

        def no_more() -> None:
            sessions = self._watches.get(client, [])
            if session in sessions:
                sessions.remove(session)
            if not sessions:
                self._watches.pop(client, None)

        return no_more

    def watched(self, client: str | None) -> SessionId | None:
        """The session that this client began to watch last."""
        sessions = self._watches.get(client or "")
        return sessions[-1] if sessions else None


class Choosing:
    """Finds the session."""

    def __init__(self, hearth: Hearth, clients: Clients) -> None:
        self._hearth = hearth
        self._clients = clients

    async def to_show(self, request: Request) -> SessionId:
        """The session to show; never a new one. Declined."""
        chosen = await self._chosen(request)
        if chosen is None:
            raise Declined(_none())
        return chosen

    async def to_ask(self, request: Request) -> SessionId:
        """The session to ask; a new one for the directory, if there is none. Declined."""
        if "directory" in request.query_params and "session" not in request.query_params:
            if (watched := self._clients.watched(client_of(request))) is not None:
                return watched
            found = await session_at(self._hearth, directory_of(request), origin_of(request))
            if isinstance(found, Refused):
                raise Declined(trouble_of(found))
            if not isinstance(found, str):
                raise Declined(_not_started(found))
            return found
        return await self.to_show(request)

    async def _chosen(self, request: Request) -> SessionId | None:
        said = request.query_params.get("session")
        if said is not None:
            session = await meant(self._hearth, SessionId(said))
            if isinstance(session, Refused):
                raise Declined(trouble_of(session))
            return session
        if (watched := self._clients.watched(client_of(request))) is not None:
            return watched
        rows = await self._usable()
        if "directory" in request.query_params:
            directory = directory_of(request)
            rows = [row for row in rows if directory in {row.directory, row.root}]
        return rows[0].session if rows else None

    async def _usable(self) -> list[SessionRow]:
        """Those that can be worked with, the most recently used first."""
        viewed = await self._hearth.view("sessions")
        if not isinstance(viewed, Viewed):
            raise Declined(trouble_of(viewed))
        rows = viewed.value.rows if isinstance(viewed.value, Sessions) else ()
        return [one for one in rows if not one.stopped and not one.trouble and one.state in USABLE]


def _none() -> Trouble:
    hint = "name one with ?session=, POST with ?directory=, or begin one: POST /sessions"
    return Trouble(404, "no_session", "no session is live that could be meant", hint)


def _not_started(failure: Failure) -> Trouble:
    told: dict[str, Any] = msgspec.to_builtins(failure)
    what = "the session of this directory could not be started"
    hint = "POST /sessions with the mode `bare` loads nothing of a project"
    return Trouble(409, "not_started", what, hint, {"failure": told})
