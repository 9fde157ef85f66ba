"""What agents wait for people to allow: listed, and answered once, by a person."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Hearth, Settled
from hearth.core.views.approvals import Approvals, Pending, Permissions
from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import ApprovalId, SessionId
from hearth.core.vocabulary.prompting import AnswerApproval
from hearth.core.vocabulary.refusals import NotNow, Refused
from hearth.servers.http import telling
from hearth.servers.http.agents.shapes import Answer, ApprovalsSeen, approval_shown
from hearth.servers.http.answers import Trouble, answer, malformed, refused, trouble_of
from hearth.servers.http.asked import Declined, body_of, number, said_session
from hearth.servers.http.commanding import WAITED, ask
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.seeing import seen
from hearth.servers.http.streams.routes import meant

USUAL: Final = 100
MOST: Final = 1000
"""Approvals of one answer."""

_ID = re.compile(r"a[0-9]{1,15}")


class Approving:
    """The routes by which people decide."""

    def __init__(
        self, hearth: Hearth, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._hearth = hearth
        self._clock = clock

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/approvals"): self.of_all,
            ("GET", "/sessions/{id}/approvals"): self.of_one,
            ("POST", "/sessions/{id}/approvals/{approval}"): self.answer,
        }

    async def of_all(self, request: Request) -> Response:
        """What is asked in all sessions."""
        limit = _limit(request)
        found, seq = await seen(self._hearth, "approvals", Approvals)
        return self._listed(found.rows, seq, limit)

    async def of_one(self, request: Request) -> Response:
        """What is asked in one session."""
        limit = _limit(request)
        session = await self._session(request)
        found, seq = await seen(self._hearth, "permissions", Permissions, session)
        status, _ = await seen(self._hearth, "status", Status, session)
        root = status.root or status.directory
        rows = [Pending(session, status.name, root, one) for one in found.asked]
        return self._listed(rows, seq, limit)

    async def answer(self, request: Request) -> Response:
        """Let an agent do what it asks for, or not."""
        said = await body_of(request, Answer)
        approval = _approval(request)
        session = await self._session(request)
        command = AnswerApproval(approval, said.answer, said.text, said.patterns)
        answered = await ask(self._hearth, request, session, command)
        match answered:
            case Settled():
                return answer(answered, 200, WAITED)
            case Accepted():
                return answer(answered, 202)
            case NotNow():
                raise Declined(await self._why_not(session, approval, answered))
            case _:
                return refused(answered)

    def _listed(self, rows: Iterable[Pending], seq: int, limit: int) -> Response:
        now, waiting = self._clock(), tuple(rows)
        shown = tuple(approval_shown(one, now) for one in waiting[:limit])
        return answer(ApprovalsSeen(shown, len(waiting), seq))

    async def _session(self, request: Request) -> SessionId:
        """The session that is meant. Declined."""
        session = await meant(self._hearth, said_session(request))
        if isinstance(session, Refused):
            raise Declined(trouble_of(session))
        telling.on(session)
        return session

    async def _why_not(self, session: SessionId, approval: ApprovalId, refusal: NotNow) -> Trouble:
        """Who was faster, if somebody was."""
        found, _ = await seen(self._hearth, "permissions", Permissions, session)
        for one in reversed(found.decided):
            if one.approval == approval:
                who = one.by.name or one.by.actor
                return Trouble(
                    409,
                    "already_answered",
                    f"{approval} was answered already: {one.answer}, by {who}",
                    "GET /approvals lists what still waits",
                    {
                        "approval": approval,
                        "answer": one.answer,
                        "by": msgspec.to_builtins(one.by),
                        "at": one.at,
                    },
                )
        if any(one.approval == approval for one in found.asked):
            return trouble_of(refusal)
        return _unknown(approval)


def _limit(request: Request) -> int:
    limit = number(request, "limit")
    if limit is not None and not 0 < limit <= MOST:
        raise Declined(malformed(f"limit is a number of 1 to {MOST}", "query.limit"))
    return USUAL if limit is None else limit


def _approval(request: Request) -> ApprovalId:
    said = request.path_params["approval"]
    if not _ID.fullmatch(said):
        raise Declined(_unknown(said))
    return ApprovalId(said)


def _unknown(said: str) -> Trouble:
    what = f"{said[:64]!r} is not asked in this session; if it was, its turn ended long ago"
    return Trouble(404, "unknown_approval", what, "GET /approvals lists what waits")
