"""Which session is meant: by what somebody typed, or by the directory they are in.

Built on the three verbs, for every door. No client ever meets an empty session id.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from hearth.api import Hearth, Viewed, settle
from hearth.core.rules.naming import Called, fork_name, meant
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
from hearth.core.vocabulary.refusals import Refusal, Refused, SessionExists, UnknownSession

USABLE: Final = frozenset({PhaseName.WARMING_UP, PhaseName.READY, PhaseName.EVALUATING})
NOT_STARTED: Final = "it could not be started"


async def named(hearth: Hearth, said: str) -> SessionId | Refusal:
    """The session that is meant by an id, a name, or the unique beginning of either.

    A number that is none of them counts the conversations, as lists of them do: 1 is the newest.
    """
    if said == DAEMON_STREAM:
        return DAEMON_STREAM
    rows = await _rows(hearth)
    if isinstance(rows, Refused):
        return rows
    found = meant(said, (Called(row.session, row.name, row.stopped) for row in rows))
    if isinstance(found, UnknownSession) and said.isascii() and said.isdecimal():
        listed = conversations(rows)
        if 0 < int(said[:9]) <= len(listed):
            return listed[int(said) - 1].session
    return found


async def name_of_fork(hearth: Hearth, session: SessionId) -> str:
    """What a fork of this session is called if nobody says; empty if that cannot be found out."""
    rows = await _rows(hearth)
    if isinstance(rows, Refused):
        return ""
    taken = [name for row in rows for name in (row.session, row.name)]
    return fork_name(next((row.name for row in rows if row.session == session), ""), taken)


async def latest_conversation(hearth: Hearth, directory: str) -> SessionId | Refusal | None:
    """The session of this directory in which a conversation last went on; None if in none."""
    rows = await _rows(hearth)
    if isinstance(rows, Refused):
        return rows
    return next((row.session for row in conversations(rows, directory)), None)


def conversations(rows: Iterable[SessionRow], directory: str = "") -> tuple[SessionRow, ...]:
    """The sessions in which something was said, of a directory or of all; the newest first."""
    said = [
        row
        for row in rows
        if row.messages
        and not row.trouble
        and (not directory or row.directory == directory or holds(row, directory, row.mode))
    ]
    return tuple(sorted(said, key=_newest_first))


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
    rows = await _rows(hearth)
    if isinstance(rows, Refused):
        return rows
    config = SessionConfig(directory=directory, mode=mode)
    found = _of(rows, config)
    return found.session if found is not None else await _created(hearth, rows, config, origin)


async def found_at(
    hearth: Hearth, directory: str, mode: SessionMode = SessionMode.PROJECT
) -> SessionId | Refusal | None:
    """The one that `session_at` would find now; None if it would have to create one."""
    rows = await _rows(hearth)
    if isinstance(rows, Refused):
        return rows
    found = _of(rows, SessionConfig(directory=directory, mode=mode))
    return found.session if found is not None else None


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


async def _rows(hearth: Hearth) -> tuple[SessionRow, ...] | Refusal:
    viewed = await hearth.view("sessions")
    if not isinstance(viewed, Viewed):
        return viewed
    return viewed.value.rows if isinstance(viewed.value, Sessions) else ()


def _newest_first(row: SessionRow) -> tuple[float, str]:
    return (-row.talked.timestamp() if row.talked is not None else 0.0, row.session)


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
    """The session nearest to the directory; of several the one that was used last.

    Never a fork: whoever means one says so, and whoever made it may still be at work in it.
    """
    near = [
        row
        for row in rows
        if is_usable(row) and not row.forked_from and holds(row, wanted.directory, wanted.mode)
    ]
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
