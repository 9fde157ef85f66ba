"""What agents wait for people to allow: in all sessions, and what was decided in one."""

from collections.abc import Iterable
from datetime import datetime

from hearth.core.views.decisions import Decided
from hearth.core.views.session_fold import SessionFold
from hearth.core.views.status import status
from hearth.core.views.talk import Approval
from hearth.core.vocabulary.ids import ApprovalId, SessionId
from hearth.core.vocabulary.permitting import Grant
from hearth.core.vocabulary.wire import Part


class Pending(Part, frozen=True):
    """Something that waits for a person, and where."""

    session: SessionId
    name: str
    """Of the session."""
    root: str
    approval: Approval


class Approvals(Part, frozen=True):
    """All that waits for a person, the oldest first."""

    rows: tuple[Pending, ...] = ()


class Permissions(Part, frozen=True):
    """What is asked in a session, what holds for as long as it lives, and what was decided."""

    asked: tuple[Approval, ...] = ()
    grants: tuple[Grant, ...] = ()
    decided: tuple[Decided, ...] = ()


def approvals(sessions: Iterable[SessionFold]) -> Approvals:
    """What is asked in all of these sessions."""
    rows = [row for one in sessions for row in _pending(one)]
    return Approvals(tuple(sorted(rows, key=_oldest_first)))


def permissions(session: SessionFold) -> Permissions:
    """What an agent may do in one session beyond the rules, and how that came about."""
    grants = session.state.talk.grants
    return Permissions(session.talk.approvals, grants, session.decisions.decided)


def _pending(session: SessionFold) -> list[Pending]:
    if not session.talk.approvals:
        return []
    now = status(session)
    return [
        Pending(now.session, now.name, now.root or now.directory, one)
        for one in session.talk.approvals
    ]


def _oldest_first(row: Pending) -> tuple[float, SessionId, int, ApprovalId]:
    at: datetime | None = row.approval.at
    name = row.approval.approval
    return (at.timestamp() if at else 0.0, row.session, len(name), name)
