"""The forks around a session, and what two sessions hold otherwise."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Hearth, Settled
from hearth.core.views.differences import differing
from hearth.core.views.session_tree import branch_tree
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary.commands import ListVariables
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.questions import QuestionAbandoned, VariablesReturned
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownSession
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, answer, malformed, refused, trouble_of
from hearth.servers.http.asked import Declined, body_of, key_of, said_session
from hearth.servers.http.commanding import WAITED, ask
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.seeing import seen
from hearth.servers.http.shapes import Compare, Compared, TreeSeen
from hearth.servers.http.streams.routes import meant

USUAL_WAIT: Final = 30.0
"""So long is waited for both lists of variables, if the client does not say."""


class Branching:
    """The routes about what came of a session, beside it."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/sessions/{id}/tree"): self.tree,
            ("POST", "/sessions/{id}/compare"): self.compare,
        }

    async def tree(self, request: Request) -> Response:
        """The forks that a session belongs to."""
        session = await self._meant(said_session(request))
        telling.on(session)
        known, seq = await seen(self._hearth, "sessions", Sessions)
        found = branch_tree(known.rows, session)
        if not found.branches:
            why, remedy = f"{session} is no session", ("GET /sessions lists them",)
            return refused(UnknownSession(session=session, why=why, remedy=remedy))
        return answer(TreeSeen(found.branches, found.left_out, seq))

    async def compare(self, request: Request) -> Response:
        """The names that two sessions hold otherwise."""
        wanted = await body_of(request, Compare)
        if key_of(request) is not None:
            what = "comparing is safe to try again by itself; it takes no Idempotency-Key"
            raise Declined(malformed(what, "Idempotency-Key"))
        here = await self._meant(said_session(request))
        there = await self._meant(SessionId(wanted.other))
        if here == there:
            hint = f"GET /sessions/{here}/tree names others"
            raise Declined(malformed(f"{there} is the session itself", "$.other", hint))
        listing = ListVariables(modules=wanted.modules)
        asked = (
            ask(self._hearth, request, one, listing, usual=USUAL_WAIT) for one in (here, there)
        )
        left, right = await asyncio.gather(*asked)
        ours, theirs = _listed(left, here), _listed(right, there)
        compared = Compared(
            here=here,
            there=there,
            differing=differing(ours.variables, theirs.variables),
            not_listed=max(_left_out(ours), _left_out(theirs)),
        )
        return answer(compared, 200, WAITED)

    async def _meant(self, said: SessionId) -> SessionId:
        """The session of exactly this id, else the one that is meant. Declined."""
        session = await meant(self._hearth, said)
        if isinstance(session, Refused):
            raise Declined(trouble_of(session))
        return session


def _listed(answered: Settled | Accepted | Refusal, session: SessionId) -> VariablesReturned:
    """The variables of a session. Declined, with which of the two it was."""
    if isinstance(answered, Refused):
        trouble = trouble_of(answered)
        raise Declined(replace(trouble, more={**trouble.more, "session": session}))
    event = answered.outcome.event if isinstance(answered, Settled) else None
    if isinstance(event, VariablesReturned):
        return event
    why = event.reason if isinstance(event, QuestionAbandoned) else "it did not answer in time"
    what = f"{session} does not tell its variables: {why}"
    hint = "try again when it is ready, or with a longer `Prefer: wait=SECONDS`"
    raise Declined(Trouble(409, "not_compared", what, hint, {"session": session}))


def _left_out(found: VariablesReturned) -> int:
    return max(0, found.total - len(found.variables))
