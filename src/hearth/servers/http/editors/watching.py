"""The streams of signals: what a session runs, how it stands, what was found and proposed."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Hearth
from hearth.core.views.approvals import Permissions
from hearth.core.views.diagnostics import Diagnostics
from hearth.core.views.status import Status
from hearth.core.views.transcript import Transcript
from hearth.core.views.validity import Environment
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.http import telling
from hearth.servers.http.agents.waiting import Waiting
from hearth.servers.http.asked import origin_of
from hearth.servers.http.editors.choosing import Choosing, Clients
from hearth.servers.http.editors.completing import Completed
from hearth.servers.http.editors.diagnosing import Diagnosed
from hearth.servers.http.editors.evaluation import Evaluation
from hearth.servers.http.editors.standing import Standing
from hearth.servers.http.editors.stream import Shape, SignalStream
from hearth.servers.http.seeing import seen
from hearth.servers.http.streams.attendance import Attendance
from hearth.servers.http.streams.channels import Channels
from hearth.servers.http.streams.routes import client_of
from hearth.servers.http.streams.sending import EventStream

_T = TypeVar("_T", bound=msgspec.Struct)
Watch: TypeAlias = Callable[[Callable[[], None]], Callable[[], None]]
"""Calls what it is given whenever something changes, until what it gives is called."""


class Watching:
    """The routes that show signals."""

    def __init__(
        self,
        channels: Channels,
        attendance: Attendance,
        choosing: Choosing,
        clients: Clients,
        waiting: Waiting,
    ) -> None:
        self._hearth: Hearth = channels.hearth
        self._channels = channels
        self._attendance = attendance
        self._choosing = choosing
        self._clients = clients
        self._waiting = waiting

    async def evaluation(self, request: Request) -> Response:
        """The cell that runs, or ran last."""
        session = await self._choosing.to_show(request)
        transcript, seq = await self._seen("transcript", session, Transcript)
        status, _ = await self._seen("status", session, Status)
        return self._stream(request, session, Evaluation(session, transcript, status), seq)

    async def status(self, request: Request) -> Response:
        """How the session stands."""
        session = await self._choosing.to_show(request)
        transcript, seq = await self._seen("transcript", session, Transcript)
        environment, _ = await self._seen("environment", session, Environment)
        status, _ = await self._seen("status", session, Status)

        def connections() -> dict[str, int]:
            return self._attendance.counts(session)

        permissions, _ = await self._seen("permissions", session, Permissions)
        waiting = self._waiting
        await waiting.look()
        asked = (len(permissions.asked), lambda: waiting.count)
        shape = Standing(self._hearth, (status, transcript, environment), connections, asked)
        return self._stream(request, session, shape, seq, waiting.watch)

    async def diagnostics(self, request: Request) -> Response:
        """What was found in code."""
        session = await self._choosing.to_show(request)
        found, seq = await self._seen("diagnostics", session, Diagnostics)
        return self._stream(request, session, Diagnosed(session, found), seq)

    async def completions(self, request: Request) -> Response:
        """What was proposed to this client."""
        session = await self._choosing.to_show(request)
        _, seq = await self._seen("status", session, Status)
        client, clients = client_of(request), self._clients
        shape = Completed(session, lambda cause: clients.who_asked(cause) == client)
        return self._stream(request, session, shape, seq)

    def _stream(
        self, request: Request, session: SessionId, shape: Shape, seq: int, *watched: Watch
    ) -> Response:
        """`watched`: what else the shape shows, and pokes when it changes."""
        telling.on(session)
        client = client_of(request)
        # First those who are connected, then what is shown: this one is among them.
        leaving = [
            self._attendance.enter(session, origin_of(request), client),
            self._clients.watches(client, session),
        ]
        stream = SignalStream(shape, self._hearth.follow(session, after=seq))
        leaving += [self._channels.end_too(stream.end), self._attendance.watch(stream.poke)]
        leaving += [watch(stream.poke) for watch in watched]
        return EventStream(stream, lambda: _all(leaving))

    async def _seen(self, name: str, session: SessionId, kind: type[_T]) -> tuple[_T, int]:
        return await seen(self._hearth, name, kind, session)


def _all(leaving: list[Callable[[], None]]) -> None:
    for leave in leaving:
        leave()
