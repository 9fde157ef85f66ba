"""All sessions, as a list for people and tools."""

from collections.abc import Iterable
from datetime import datetime

from hearth.core.views.session_fold import SessionFold
from hearth.core.views.status import status
from hearth.core.views.usage import sums
from hearth.core.vocabulary.commands import SessionMode
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import ForkHow
from hearth.core.vocabulary.wire import Part


class SessionRow(Part, frozen=True, kw_only=True):
    """One session in the list."""

    session: SessionId
    name: str
    directory: str
    state: PhaseName
    projects: tuple[str, ...] = ()
    started_at: datetime | None = None
    last_activity: datetime | None = None
    stopped: bool = False
    root: str = ""
    source: str = ""
    """The folder it works in, and how that was found."""
    trouble: str = ""
    """Why it is set aside, if it is."""
    mode: SessionMode = SessionMode.PROJECT
    resuming: bool = False
    """A daemon that was just started has not brought it up yet."""
    messages: int = 0
    """Of its conversation: of people, models and tools."""
    preview: str = ""
    """How its first message begins."""
    replied: bool = False
    """Whether a model ever answered in it."""
    model: str = ""
    cost: float | None = None
    """In US dollars, as far as prices are known."""
    talked: datetime | None = None
    """When its conversation last went on."""
    forked_from: SessionId = SessionId("")
    forked_how: ForkHow | None = None
    """What its interpreter was made of, if it was forked: a copy, a replay, or nothing."""


class Sessions(Part, frozen=True):
    """All sessions, the most recently used first."""

    rows: tuple[SessionRow, ...] = ()


def session_row(session: SessionFold, trouble: str = "", *, resuming: bool = False) -> SessionRow:
    """The row of one session."""
    now, talk, spent = status(session), session.talk, session.spending.spent
    config = session.state.config
    fork = config.forked_from if config else None
    return SessionRow(
        session=now.session,
        name=now.name,
        directory=now.directory,
        state=now.state,
        projects=now.projects,
        started_at=now.started_at,
        last_activity=now.last_activity,
        stopped=now.stopped,
        root=now.root,
        source=now.source,
        trouble=trouble,
        mode=config.mode if config else SessionMode.PROJECT,
        resuming=resuming,
        messages=talk.messages,
        preview=talk.preview,
        replied=talk.replied,
        model=talk.model,
        cost=sums(spent).cost,
        talked=talk.modified,
        forked_from=fork.session if fork else SessionId(""),
        forked_how=fork.how if fork else None,
    )


def sessions(rows: Iterable[SessionRow]) -> Sessions:
    """The list, ordered."""
    return Sessions(tuple(sorted(rows, key=_recent_first)))


def _recent_first(row: SessionRow) -> tuple[float, str]:
    used = row.last_activity
    return (-used.timestamp() if used else 0.0, row.session)
