"""Which session is meant: by what somebody typed, or by the directory they are in.

Built on the three verbs, for every door. No client ever meets an empty session id.
"""

from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from hearth.api import Hearth, Viewed, settle
from hearth.core.rules.naming import Called, meant
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.commands import (
    CreateSession,
    SessionConfig,
    SessionMode,
    StopSession,
)
from hearth.core.vocabulary.events import SessionFaulted
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import Refusal, Refused, SessionExists

USABLE: Final = frozenset({PhaseName.WARMING_UP, PhaseName.READY, PhaseName.EVALUATING})
NOT_STARTED: Final = "it could not be started"


async def named(hearth: Hearth, said: str) -> SessionId | Refusal:
    """The session that is meant by an id, a name, or the unique beginning of either."""
    if said == DAEMON_STREAM:
        return DAEMON_STREAM
    viewed = await hearth.view("sessions")
    if not isinstance(viewed, Viewed):
        return viewed
    rows = viewed.value.rows if isinstance(viewed.value, Sessions) else ()
    return meant(said, (Called(row.session, row.name, row.stopped) for row in rows))


async def session_at(
    hearth: Hearth,
    directory: str,
    origin: Origin,
    mode: SessionMode = SessionMode.PROJECT,
) -> SessionId | Failure | Refusal:
    """The live session whose root holds this directory, else one that is created for it.

    A bare one, if that is wanted, is another than the project's and belongs to this very directory.

    However many ask at once, one is created. One that cannot be started is stopped again, and
    its failure is the answer.
    """
    viewed = await hearth.view("sessions")
    if not isinstance(viewed, Viewed):
        return viewed
    rows = viewed.value.rows if isinstance(viewed.value, Sessions) else ()
    config = SessionConfig(directory=directory, mode=mode)
    found = _of(rows, config)
    return found.session if found is not None else await _created(hearth, rows, config, origin)


def holds(row: SessionRow, directory: str, mode: SessionMode = SessionMode.PROJECT) -> bool:
    """Whether this session is the one of that directory, if it is usable."""
    if row.mode is not mode:
        return False
    if row.directory == directory:
        return True
    # Of a folder that belongs to no project, the folders below are not meant.
    root = row.root if row.source != "directory" and mode is SessionMode.PROJECT else ""
    return bool(root) and PurePosixPath(directory).is_relative_to(root)


def is_usable(row: SessionRow) -> bool:
    """Whether code can be given to it."""
    return not row.stopped and not row.trouble and row.state in USABLE


async def _created(
    hearth: Hearth, rows: tuple[SessionRow, ...], config: SessionConfig, origin: Origin
) -> SessionId | Failure | Refusal:
    session = _name(rows, config)
    settled = await settle(hearth, session, CreateSession(config), origin)
    if isinstance(settled, SessionExists):
        return session  # somebody else who asked just now has created it
    if isinstance(settled, Refused):
        return settled
    outcome = settled.outcome.event
    if isinstance(outcome, SessionFaulted):
        await hearth.submit(session, StopSession(NOT_STARTED), origin)
        return outcome.failure
    return session


def _of(rows: tuple[SessionRow, ...], wanted: SessionConfig) -> SessionRow | None:
    """The session nearest to the directory; of several the one that was used last."""
    near = [row for row in rows if is_usable(row) and holds(row, wanted.directory, wanted.mode)]
    return max(near, key=lambda row: len(row.root or row.directory), default=None)


def _name(rows: tuple[SessionRow, ...], wanted: SessionConfig) -> SessionId:
    """The same for all who ask now, and another one once that session has ended."""
    taken = {row.session for row in rows}
    prefix = "bare" if wanted.mode is SessionMode.BARE else "session"
    for attempt in range(len(rows) + 1):
        digest = sha256(f"{attempt}\0{wanted.directory}".encode(errors="replace")).hexdigest()
        session = SessionId(f"{prefix}-{digest[:6]}")
        if session not in taken:
            return session
    raise AssertionError("more names are taken than there are sessions")
