"""The log's own streams over HTTP: of one session, of all, and who listens."""

import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hearth.api import Hearth
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownSession
from hearth.resolving import named
from hearth.servers.http import telling
from hearth.servers.http.answers import answer, malformed, refused
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, number, origin_of, said_session
from hearth.servers.http.editors.history import MOST, USUAL, History
from hearth.servers.http.streams.attendance import Attendance
from hearth.servers.http.streams.channels import Channels
from hearth.servers.http.streams.sending import EventStream
from hearth.servers.http.streams.subscription import Subscription

_CLIENT = re.compile(r"[A-Za-z0-9._-]{1,64}")


def routes(around: Around, channels: Channels) -> list[Route]:
    """What answers the routes of `OPERATIONS`."""
    streaming = Streaming(around.hearth, channels, around.attendance)
    return [
        Route("/events", streaming.of_all),
        Route("/sessions/{id}/events", streaming.of_one),
        Route("/sessions/{id}/who", streaming.who),
    ]


class Streaming:
    """The routes of the log's own streams."""

    def __init__(self, hearth: Hearth, channels: Channels, attendance: Attendance) -> None:
        self._hearth = hearth
        self._channels = channels
        self._attendance = attendance

    async def of_all(self, request: Request) -> Response:
        """The log of all sessions, or of the one that the query names."""
        said = request.query_params.get("session")
        if said is None:
            return await self._stream(request, None)
        session = await meant(self._hearth, SessionId(said))
        return (
            refused(session)
            if isinstance(session, Refused)
            else await self._stream(request, session)
        )

    async def of_one(self, request: Request) -> Response:
        """The log of one session."""
        expects = request.query_params.get("expect")
        if expects not in {None, "new"}:
            raise Declined(malformed("expect is `new`, or left out", "query.expect"))
        said = said_session(request)
        # Literally: whoever waits for a session does not mean another one of a similar name.
        session = said if expects else await meant(self._hearth, said)
        return (
            refused(session)
            if isinstance(session, Refused)
            else await self._stream(request, session)
        )

    async def who(self, request: Request) -> Response:
        """Who is connected to a session."""
        session = await meant(self._hearth, said_session(request))
        if isinstance(session, Refused):
            return refused(session)
        return answer(self._attendance.listed(session))

    async def _stream(self, request: Request, session: SessionId | None) -> Response:
        after = cursor_of(request)
        telling.on(session or "")
        leave = self._attendance.enter(session, origin_of(request), client_of(request))
        try:
            if request.headers.get("datastar-request") == "true":
                return await self._signals(request, session, after, leave)
            return EventStream(await Subscription.to(self._channels, session, after), leave)
        except BaseException:
            leave()
            raise

    async def _signals(
        self,
        request: Request,
        session: SessionId | None,
        after: int | None,
        leave: Callable[[], None],
    ) -> Response:
        history = await History.of(self._hearth, session, after, limit_of(request))
        forget = self._channels.end_too(history.end)

        def left() -> None:
            forget()
            leave()

        return EventStream(history, left)


async def meant(hearth: Hearth, said: SessionId) -> SessionId | Refusal:
    """The session of exactly this id, else the one that is meant by it."""
    if said == DAEMON_STREAM:
        return said
    viewed = await hearth.view("status", said)
    # One that cannot be looked at now (set aside, its store down) is there all the same.
    return await named(hearth, said) if isinstance(viewed, UnknownSession) else said


def limit_of(request: Request) -> int:
    """How much of the past is shown. Declined."""
    limit = number(request, "limit")
    if limit is not None and limit > MOST:
        raise Declined(malformed(f"limit is at most {MOST}", "query.limit"))
    return USUAL if limit is None else limit


def cursor_of(request: Request) -> int | None:
    """Where to go on from; what a client says after an outage beats the address. Declined."""
    last = request.headers.get("last-event-id")
    if not last:
        return number(request, "after")
    if not (last.isascii() and last.isdigit() and len(last) <= 15):
        hint = "send the id of the newest event that you have"
        raise Declined(malformed("a cursor is a whole number", "Last-Event-ID", hint))
    return int(last)


def client_of(request: Request) -> str | None:
    """The name that a client gives itself. Declined."""
    said = request.query_params.get("client")
    if said is not None and not _CLIENT.fullmatch(said):
        hint = "up to 64 letters, digits, dots, dashes or underscores"
        raise Declined(malformed("this is no name for a client", "query.client", hint))
    return said
