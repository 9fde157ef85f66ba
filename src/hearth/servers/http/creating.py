"""Beginning sessions, or finding the one that a directory has already."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Hearth, Settled, Viewed
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary.commands import CreateSession, ForkPoint, SessionConfig, SessionMode
from hearth.core.vocabulary.events import SessionFaulted
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, SessionExists
from hearth.resolving import name_of_fork, named, session_at
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, answer, malformed, refused, trouble_of, troubled
from hearth.servers.http.asked import Declined, body_of, key_of, origin_of, wait_of
from hearth.servers.http.commanding import WAITED, ask
from hearth.servers.http.naming import fit_id, fresh_id
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.shapes import Created, NewSession, Up

USUAL_WAIT = 60.0
"""So long is waited for a session that is to be reused, if the client does not say."""


class Creating:
    """The route by which sessions begin."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth
        self._under_way: set[asyncio.Task[SessionId | Failure | Refusal]] = set()

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("POST", "/sessions"): self.create}

    async def close(self) -> None:
        """Wait for nobody any more."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def create(self, request: Request) -> Response:
        """Begin a session, or find one."""
        wanted = await body_of(request, NewSession)
        if not wanted.reuse:
            return await self._begin(request, wanted)
        if not wanted.directory:
            raise Declined(malformed("reuse needs a directory", "$.directory"))
        if wanted != NewSession(directory=wanted.directory, mode=wanted.mode, reuse=True):
            what = "reuse takes a directory and a mode; of a session that lives no more is chosen"
            raise Declined(malformed(what, "$.reuse"))
        return await self._reuse(request, wanted.directory, wanted.mode)

    # -- a new one ----------------------------------------------------------------------------

    async def _begin(self, request: Request, wanted: NewSession) -> Response:
        fork = await self._forked(wanted.forked_from)
        name = wanted.name
        if fork is not None and not name:
            name = await name_of_fork(self._hearth, fork.session)
        config = SessionConfig(
            directory=wanted.directory,
            name=name,
            projects=wanted.projects,
            interpreter=wanted.interpreter,
            mode=wanted.mode,
            forked_from=fork,
            undo=wanted.undo,
        )
        command = CreateSession(config)
        session = fresh_id() if wanted.id is None else fit_id(wanted.id)
        answered = await ask(self._hearth, request, session, command)
        while wanted.id is None and isinstance(answered, SessionExists):
            session = fresh_id()
            answered = await ask(self._hearth, request, session, command)
        return await self._begun(session, answered)

    async def _forked(self, point: ForkPoint | None) -> ForkPoint | None:
        """Where the conversation branches off, with the id of the session. Declined."""
        if point is None:
            return None
        session = await named(self._hearth, point.session)
        if isinstance(session, Refused):
            raise Declined(trouble_of(session))
        return ForkPoint(session, point.block)

    async def _begun(self, session: SessionId, answered: Settled | Accepted | Refusal) -> Response:
        match answered:
            case Settled():
                outcome = answered.outcome.event
                if isinstance(outcome, SessionFaulted):
                    return troubled(_not_started(outcome.failure, session))
                return await self._up(session, 201)
            case Accepted():
                return answer(_created(answered), 202)
            case _:
                return refused(answered)

    # -- one that may be there ------------------------------------------------------------------

    async def _reuse(self, request: Request, directory: str, mode: SessionMode) -> Response:
        if key_of(request) is not None:
            what = "reuse is safe to try again by itself; it takes no Idempotency-Key"
            raise Declined(malformed(what, "Idempotency-Key"))
        before = await self._live()
        origin = origin_of(request)
        # A task of its own: whoever hangs up must not leave a session half begun.
        task = asyncio.create_task(session_at(self._hearth, directory, origin, mode))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.wait({task}, timeout=wait_of(request) or USUAL_WAIT)
        if not task.done():
            # It is warming up by now, so that it is found at once.
            found = await session_at(self._hearth, directory, origin, mode)
            if isinstance(found, str):
                return answer(Created(session=found), 202)
        else:
            found = task.result()
        if isinstance(found, Refused):
            return refused(found)
        if not isinstance(found, str):
            return troubled(_not_started(found, None))
        telling.on(found)
        return await self._up(found, 200 if found in before else 201)

    async def _live(self) -> frozenset[SessionId]:
        viewed = await self._hearth.view("sessions")
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Sessions):
            return frozenset(row.session for row in viewed.value.rows if not row.stopped)
        return frozenset()

    async def _up(self, session: SessionId, status: int) -> Response:
        viewed = await self._hearth.view("status", session)
        if isinstance(viewed, Refused):
            raise Declined(trouble_of(viewed))
        if not isinstance(viewed.value, Status):
            raise TypeError(f"the status of {session} is a {type(viewed.value).__name__}")
        return answer(Up(session, viewed.value), status, WAITED)


def _created(accepted: Accepted) -> Created:
    return Created(
        session=accepted.session, id=accepted.id, seq=accepted.seq, warning=accepted.warning
    )


def _not_started(failure: Failure, session: SessionId | None) -> Trouble:
    told: dict[str, Any] = msgspec.to_builtins(failure)
    said = told.get("message") or told.get("path") or ""
    message = said if isinstance(said, str) else "it could not be started"
    more = {"failure": told, **({} if session is None else {"session": session})}
    hint = "mend it and try again; `bare` mode loads nothing of a project"
    return Trouble(409, "not_started", f"the session could not be started: {message}", hint, more)
