"""Why not now, what is allowed instead, what would help. A refusal changes nothing.

Refusal
├── NotNow             the session's state does not allow it
├── NotAllowed         it is not for whoever asks
├── UnknownSession     no session has this id
├── AmbiguousSession   several sessions are called so
├── SessionExists      the id is taken
├── TooManySessions    the limit of live sessions is reached
├── DuplicateCommand   this command id was accepted before
├── Malformed          the words do not parse
├── TooLarge           more bytes than are taken at once
├── UnknownView        no view has this name
├── Quarantined        the session's log or rules are broken; it is kept as it is
├── OwnedElsewhere     another daemon runs this session
├── StoreUnavailable   it could not be made durable
└── ShuttingDown       the daemon is on its way out
"""

from typing import TypeAlias

from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.wire import Word


class Refused(Word, frozen=True, kw_only=True):
    """What every refusal says: the reason, what is possible now, and what would help."""

    why: str
    available: tuple[Affordance, ...] = ()
    remedy: tuple[str, ...] = ()
    """Names of affordances, or a sentence where no affordance helps."""


class NotNow(Refused, frozen=True, kw_only=True):
    """The session's state does not allow this command."""

    command: str
    state: PhaseName


class NotAllowed(Refused, frozen=True, kw_only=True):
    """It is not for whoever asks, through whatever door: a person alone may have it done."""

    command: str


class UnknownSession(Refused, frozen=True, kw_only=True):
    """No session has this id."""

    session: SessionId


class AmbiguousSession(Refused, frozen=True, kw_only=True):
    """Several sessions have this name, or ids or names that begin with it."""

    name: str
    sessions: tuple[SessionId, ...]


class SessionExists(Refused, frozen=True, kw_only=True):
    """A session with this id was begun before."""

    session: SessionId


class TooManySessions(Refused, frozen=True, kw_only=True):
    """As many sessions live as are allowed."""

    limit: int


class DuplicateCommand(Refused, frozen=True, kw_only=True):
    """A command with this id was accepted before; `seq` is where its consequences begin."""

    id: InputId
    seq: int


class Malformed(Refused, frozen=True, kw_only=True):
    """The words do not parse; `path` is the offending field, `$` the whole."""

    path: str


class TooLarge(Refused, frozen=True, kw_only=True):
    """More bytes than are taken at once."""

    size: int
    limit: int


class UnknownView(Refused, frozen=True, kw_only=True):
    """No view has this name."""

    name: str


class Quarantined(Refused, frozen=True, kw_only=True):
    """The session is set aside as it is, because something in it is broken."""

    session: SessionId


class OwnedElsewhere(Refused, frozen=True, kw_only=True):
    """Another daemon runs this session."""

    session: SessionId
    owner: str


class StoreUnavailable(Refused, frozen=True, kw_only=True):
    """It could not be made durable, so it was not done."""


class ShuttingDown(Refused, frozen=True, kw_only=True):
    """The daemon takes no more commands."""


Refusal: TypeAlias = (
    NotNow
    | NotAllowed
    | UnknownSession
    | AmbiguousSession
    | SessionExists
    | TooManySessions
    | DuplicateCommand
    | Malformed
    | TooLarge
    | UnknownView
    | Quarantined
    | OwnedElsewhere
    | StoreUnavailable
    | ShuttingDown
)
