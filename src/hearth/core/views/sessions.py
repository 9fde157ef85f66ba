"""All sessions, as a list for people and tools."""

from collections.abc import Iterable
from datetime import datetime

from hearth.core.views.session_fold import SessionFold
from hearth.core.views.status import status
from hearth.core.vocabulary.commands import SessionMode
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
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


class Sessions(Part, frozen=True):
    """All sessions, the most recently used first."""

    rows: tuple[SessionRow, ...] = ()


def session_row(session: SessionFold, trouble: str = "", *, resuming: bool = False) -> SessionRow:
    """The row of one session."""
    now = status(session)
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
        mode=config.mode if (config := session.state.config) else SessionMode.PROJECT,
        resuming=resuming,
    )


def sessions(rows: Iterable[SessionRow]) -> Sessions:
    """The list, ordered."""
    return Sessions(tuple(sorted(rows, key=_recent_first)))


def _recent_first(row: SessionRow) -> tuple[float, str]:
    used = row.last_activity
    return (-used.timestamp() if used else 0.0, row.session)
