"""The events of a session as a whole: its name, its interpreters one after the other, its states.

Each is also found in `events`, with all the others.
"""

import msgspec

from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.wire import Word


class SessionStarted(Word, frozen=True):
    """A session began. The first event of every session."""

    config: SessionConfig


class SessionRenamed(Word, frozen=True):
    """The session has another display name."""

    name: str


class SessionSwitched(Word, frozen=True):
    """New connections begin with this session. In the daemon's own stream."""

    to: SessionId


class SettingsReloaded(Word, frozen=True):
    """Settings files were read again; in the daemon's own stream."""

    sources: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class SessionWarmUpStarted(Word, frozen=True):
    """An interpreter of this generation is being prepared."""

    generation: int
    projects: tuple[str, ...] = ()


class SessionWarmUpCompleted(Word, frozen=True):
    """The preparation ended; `errors` did not prevent it."""

    duration: float
    errors: tuple[str, ...] = ()
    surroundings: Surroundings | None = None


class SessionWarmUpAbandoned(Word, frozen=True):
    """The preparation was cut off by a reset or a stop; whoever waited for it is told so."""

    reason: str


class SessionReady(Word, frozen=True):
    """The interpreter waits for code."""


class SessionFaulted(Word, frozen=True):
    """The interpreter is dead or broken."""

    failure: Failure


class SessionReset(Word, frozen=True):
    """All variables were dropped on request."""


class SessionHardReset(Word, frozen=True):
    """The interpreter was replaced on request, whatever it was doing."""

    rebuild: bool = False


class SessionStopped(Word, frozen=True):
    """The session's interpreter was ended on request."""

    reason: str = ""


class RestartScheduled(Word, frozen=True):
    """A lost interpreter will be replaced after a pause."""

    attempt: int
    delay: float


class StateTransitioned(Word, frozen=True):
    """The session went from one state to another. Always the last event of its batch."""

    before: PhaseName = msgspec.field(name="from")
    after: PhaseName = msgspec.field(name="to")
    reason: str = ""


class EnvironmentChanged(Word, frozen=True):
    """What the interpreter has loaded is another; a removed part has an empty hash."""

    new: str
    changed: dict[str, str]
    old: str = ""
    stale: int = 0
    """How many recorded cells no longer hold, now that this is so."""
