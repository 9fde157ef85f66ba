"""The commands of editors: taken at once; what comes of them is on the streams."""

from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Hearth, Settled
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import InputId
from hearth.servers.http.answers import answer, refused
from hearth.servers.http.asked import Nothing, body_of, key_of
from hearth.servers.http.commanding import WAITED, ask
from hearth.servers.http.editors.choosing import Choosing, Clients
from hearth.servers.http.editors.shapes import (
    Cancel,
    Check,
    Complete,
    Exec,
    HardReset,
    Outcome,
    Taken,
)
from hearth.servers.http.streams.routes import client_of


class Asking:
    """The routes that send commands to the session that is meant."""

    def __init__(self, hearth: Hearth, choosing: Choosing, clients: Clients) -> None:
        self._hearth = hearth
        self._choosing = choosing
        self._clients = clients

    async def run(self, request: Request) -> Response:
        """Run code."""
        said = await body_of(request, Exec)
        command = c.RunCell(
            said.code,
            background=said.background,
            time_limit=said.time_limit,
            if_busy=said.if_busy,
            may_ask=said.may_ask,
            on_error=said.on_error,
        )
        return await self._send(request, command)

    async def cancel(self, request: Request) -> Response:
        """Stop a cell."""
        return await self._send(request, c.CancelCell((await body_of(request, Cancel)).cell))

    async def reset(self, request: Request) -> Response:
        """Drop all variables."""
        await body_of(request, Nothing)
        return await self._send(request, c.ResetSession())

    async def hard_reset(self, request: Request) -> Response:
        """Replace the interpreter."""
        said = await body_of(request, HardReset)
        return await self._send(request, c.HardResetSession(said.rebuild))

    async def check(self, request: Request) -> Response:
        """Look for errors."""
        said = await body_of(request, Check)
        return await self._send(request, c.CheckCode(said.code, said.file, said.full))

    async def complete(self, request: Request) -> Response:
        """Ask what could stand at the cursor."""
        said = await body_of(request, Complete)
        return await self._send(request, c.CompleteCode(said.code, said.cursor))

    async def _send(self, request: Request, command: c.Command) -> Response:
        session = await self._choosing.to_ask(request)
        keyed, key = _with_key(request)
        # Before it is asked: a stream may show the answer before we hear that it was taken.
        self._clients.asked(key, client_of(request))
        answered = await ask(self._hearth, keyed, session, command)
        match answered:
            case Settled():
                accepted = answered.accepted
                outcome = Outcome(accepted.id, accepted.session, answered.envelopes)
                return answer(outcome, 200, WAITED)
            case Accepted(id=taken, session=where, seq=seq, warning=warning):
                return answer(Taken(taken, where, seq, warning), 202)
            case _:
                return refused(answered)


def _with_key(request: Request) -> tuple[Request, InputId]:
    """The request with an id for its command, which it may have brought itself."""
    if (brought := key_of(request)) is not None:
        return request, brought
    key = uuid4().hex
    headers = [*request.scope["headers"], (b"idempotency-key", key.encode())]
    return Request({**request.scope, "headers": headers}, request.receive), InputId(key)
