"""Asking sessions for something, at once or with the outcome.

Whether the client waits, hangs up or loses patience: what was accepted is done.
"""

import asyncio
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Following, Hearth, Settled, Viewed, settle
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import Command, CreateSession, StopSession
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownSession
from hearth.credentials.standing import act_of, may
from hearth.resolving import named
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, answer, refused
from hearth.servers.http.asked import (
    Declined,
    credential_of,
    key_of,
    origin_of,
    said_session,
    wait_of,
)
from hearth.servers.http.conversation import GONE
from hearth.servers.http.declining import NEEDS_PERSON
from hearth.servers.http.naming import fit_id
from hearth.servers.http.routing import Endpoint, Key

WAITED = {"Preference-Applied": "wait"}


class Commanding:
    """The routes that send commands."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("POST", "/sessions/{id}/commands"): self.command,
            ("DELETE", "/sessions/{id}"): self.stop,
        }

    async def command(self, request: Request) -> Response:
        """Any command, to a session by its id, name or the beginning of either."""
        command = codec.decode_command(await request.body())
        if isinstance(command, Refused):
            return refused(command)
        if not may(credential_of(request).standing, act_of(command)):
            what = "this command is for the daemon itself, or its person"
            raise Declined(Trouble(403, "not_allowed", what, NEEDS_PERSON))
        session = said_session(request)
        if isinstance(command, CreateSession):
            session = fit_id(session)
        return await self._send(request, session, command)

    async def stop(self, request: Request) -> Response:
        """Stop a session."""
        return await self._send(request, said_session(request), StopSession())

    async def _send(self, request: Request, said: SessionId, command: Command) -> Response:
        """To the session of exactly this id; only if there is none, to the one that is meant.

        A refusal changes nothing, so it can be tried again; and looking at the list of all
        sessions would cost every cell more than the door does.
        """
        answered = await ask(self._hearth, request, said, command)
        if isinstance(answered, UnknownSession) and not isinstance(command, CreateSession):
            session = await named(self._hearth, said)
            if isinstance(session, Refused):
                return refused(session)
            answered = await ask(self._hearth, request, session, command)
        match answered:
            case Settled():
                return answer(answered, 200, WAITED)
            case Accepted():
                return answer(answered, 202)
            case _:
                return refused(answered)


async def ask(
    hearth: Hearth,
    request: Request,
    session: SessionId,
    command: Command,
    *,
    usual: float | None = None,
) -> Settled | Accepted | Refusal:
    """Submit, and wait for the outcome as long as the client wants to and is there.

    `usual`: so many seconds, if it does not say. None: not at all.
    """
    telling.on(session)
    origin, key, seconds = origin_of(request), key_of(request), wait_of(request) or usual
    if seconds is None:
        return await hearth.submit(session, command, origin, input_id=key)
    following = hearth.follow(session)
    try:
        # Outside of the limit: a command must not be left in doubt.
        accepted = await hearth.submit(session, command, origin, input_id=key)
        if isinstance(accepted, Refused):
            return accepted
        begun = _Begun(following, accepted)
        try:
            async with asyncio.timeout(seconds) as limit:
                forget = _when_gone(request, limit)
                try:
                    return await settle(begun, session, command, origin)
                finally:
                    forget()
        except TimeoutError:
            return accepted
    finally:
        following.close()


def _when_gone(request: Request, limit: asyncio.Timeout) -> Callable[[], None]:
    """Let the time be up when the client hangs up; the answer takes that back."""

    def up() -> None:
        if not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time())

    tell: Callable[[Callable[[], object]], Callable[[], None]]
    tell = request.scope["extensions"][GONE]["tell"]
    return tell(up)


class _Begun:
    """A hearth that was asked already: `settle` on it does the waiting alone."""

    def __init__(self, following: Following, accepted: Accepted) -> None:
        self._following = following
        self._accepted = accepted

    async def submit(
        self,
        session: SessionId,  # noqa: ARG002 - as the Protocol has it
        command: Command,  # noqa: ARG002 - as the Protocol has it
        origin: Origin,  # noqa: ARG002 - as the Protocol has it
        *,
        input_id: InputId | None = None,  # noqa: ARG002 - as the Protocol has it
    ) -> Accepted | Refusal:
        return self._accepted

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        raise AssertionError(f"nobody looks at {name} of {session} here")

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        del session, after
        return self._following
