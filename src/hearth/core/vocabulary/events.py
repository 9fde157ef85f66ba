"""What happened. Stored for ever, in past tense; never renamed or removed, only deprecated."""

from typing import Final, TypeAlias

import msgspec

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Completion, Diagnostic, Outputs, Text
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId, SessionId
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


class SessionWarmUpStarted(Word, frozen=True):
    """An interpreter of this generation is being prepared."""

    generation: int
    projects: tuple[str, ...] = ()


class SessionWarmUpCompleted(Word, frozen=True):
    """The preparation ended; `errors` did not prevent it."""

    duration: float
    errors: tuple[str, ...] = ()


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


class CellQueued(Word, frozen=True):
    """A cell was admitted and waits for those before it."""

    cell: CellId
    code: Text
    background: bool = False
    time_limit: float | None = None


class CellWithdrawn(Word, frozen=True):
    """A waiting cell left the queue without being run."""

    cell: CellId
    reason: str


class CellStarted(Word, frozen=True):
    """A cell is given to the interpreter. Written before the interpreter hears of it."""

    cell: CellId
    code: Text
    background: bool = False
    script: str = ""
    """The file it was read from, for a loaded script."""
    time_limit: float | None = None


class CellCancelRequested(Word, frozen=True):
    """Someone asked a cell to stop: the running one, or one that waits."""

    cell: CellId
    attempt: int


class CellFinished(Word, frozen=True):
    """A cell ran to its end."""

    cell: CellId
    duration: float
    value: Text = ""
    value_type: str = ""
    outputs: Outputs = ()
    names: tuple[str, ...] = ()


class CellFailed(Word, frozen=True):
    """A cell ended in a failure; names it bound before stay bound if the interpreter lives."""

    cell: CellId
    failure: Failure
    duration: float = 0.0
    outputs: Outputs = ()
    names: tuple[str, ...] = ()


class CellCancelled(Word, frozen=True):
    """The running cell was stopped on request."""

    cell: CellId
    duration: float = 0.0
    outputs: Outputs = ()
    names: tuple[str, ...] = ()


class ScriptLoaded(Word, frozen=True):
    """A file was run to its end."""

    path: str
    statements: int


class ScriptLoadFailed(Word, frozen=True):
    """A file could not be run to its end."""

    path: str
    failure: Failure


class CheckRequested(Word, frozen=True):
    """Someone asked for the errors in some code."""

    code: Text
    file: str = ""


class DiagnosticsChecked(Word, frozen=True):
    """The errors that were found; `key` is the file's path, else a hash of the code."""

    key: str
    diagnostics: tuple[Diagnostic, ...] = ()


class DiagnosticsCleared(Word, frozen=True):
    """Earlier diagnostics no longer hold."""


class CompletionsRequested(Word, frozen=True):
    """Someone asked what could stand at the cursor."""

    code: Text
    cursor: int


class CompletionsReturned(Word, frozen=True):
    """What could stand there."""

    items: tuple[Completion, ...] = ()


class QuestionAbandoned(Word, frozen=True):
    """A check or completion will not be answered."""

    reason: str


Event: TypeAlias = (
    SessionStarted
    | SessionRenamed
    | SessionSwitched
    | SessionWarmUpStarted
    | SessionWarmUpCompleted
    | SessionWarmUpAbandoned
    | SessionReady
    | SessionFaulted
    | SessionReset
    | SessionHardReset
    | SessionStopped
    | RestartScheduled
    | StateTransitioned
    | CellQueued
    | CellWithdrawn
    | CellStarted
    | CellCancelRequested
    | CellFinished
    | CellFailed
    | CellCancelled
    | ScriptLoaded
    | ScriptLoadFailed
    | CheckRequested
    | DiagnosticsChecked
    | DiagnosticsCleared
    | CompletionsRequested
    | CompletionsReturned
    | QuestionAbandoned
)

SETTLING: Final[frozenset[type[Event]]] = frozenset(
    {
        SessionRenamed,
        SessionSwitched,
        SessionWarmUpAbandoned,
        SessionReady,
        SessionFaulted,
        SessionStopped,
        CellWithdrawn,
        CellCancelRequested,
        CellFinished,
        CellFailed,
        CellCancelled,
        DiagnosticsChecked,
        CompletionsReturned,
        QuestionAbandoned,
    }
)
"""The events that end what their cause set off: whoever waits for that cause is answered."""
