"""What happened. Stored for ever, in past tense; never renamed or removed, only deprecated."""

from typing import Final, TypeAlias

import msgspec

from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.cells import (
    CellCancelled,
    CellCancelRequested,
    CellFailed,
    CellFinished,
    CellOutputAdded,
    CellQueued,
    CellStarted,
    CellStopTried,
    CellWithdrawn,
    InputAnswered,
    InputRequested,
    ScriptLoaded,
    ScriptLoadFailed,
)
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.questions import (
    CheckRequested,
    CompletionsRequested,
    CompletionsReturned,
    DiagnosticsChecked,
    DiagnosticsCleared,
    ExplorationRequested,
    ExplorationReturned,
    InspectionRequested,
    InspectionReturned,
    QuestionAbandoned,
    ReloadRequested,
    ReplayStarted,
    SessionReplayed,
    SourcesReloaded,
    VariablesRequested,
    VariablesReturned,
)
from hearth.core.vocabulary.turns import (
    ApprovalAnswered,
    ApprovalRequested,
    BlockSealed,
    BranchRequested,
    BranchSwitched,
    CompactionFailed,
    CompactionStarted,
    ConversationCompacted,
    ConversationForked,
    EditRequested,
    LookupFailed,
    MessageDelivered,
    MessageQueued,
    MessageWithdrawn,
    ModelAsked,
    ModelChanged,
    PrefixStarted,
    RetryScheduled,
    StepFinished,
    ToolStarted,
    TurnCancelRequested,
    TurnEvent,
    TurnFinished,
    TurnPrepared,
    TurnStarted,
)
from hearth.core.vocabulary.wire import Word

__all__ = [
    "SETTLING",
    "ApprovalAnswered",
    "ApprovalRequested",
    "BlockSealed",
    "BranchRequested",
    "BranchSwitched",
    "CellCancelRequested",
    "CellCancelled",
    "CellFailed",
    "CellFinished",
    "CellOutputAdded",
    "CellQueued",
    "CellStarted",
    "CellStopTried",
    "CellWithdrawn",
    "CheckRequested",
    "CompactionFailed",
    "CompactionStarted",
    "CompletionsRequested",
    "CompletionsReturned",
    "ConversationCompacted",
    "ConversationForked",
    "DiagnosticsChecked",
    "DiagnosticsCleared",
    "EditRequested",
    "EnvironmentChanged",
    "Event",
    "ExplorationRequested",
    "ExplorationReturned",
    "InputAnswered",
    "InputRequested",
    "InspectionRequested",
    "InspectionReturned",
    "LookupFailed",
    "MessageDelivered",
    "MessageQueued",
    "MessageWithdrawn",
    "ModelAsked",
    "ModelChanged",
    "OfInterpreter",
    "PrefixStarted",
    "QuestionAbandoned",
    "ReloadRequested",
    "ReplayStarted",
    "RestartScheduled",
    "RetryScheduled",
    "ScriptLoadFailed",
    "ScriptLoaded",
    "SessionFaulted",
    "SessionHardReset",
    "SessionReady",
    "SessionRenamed",
    "SessionReplayed",
    "SessionReset",
    "SessionStarted",
    "SessionStopped",
    "SessionSwitched",
    "SessionWarmUpAbandoned",
    "SessionWarmUpCompleted",
    "SessionWarmUpStarted",
    "SettingsReloaded",
    "SourcesReloaded",
    "StateTransitioned",
    "StepFinished",
    "ToolStarted",
    "TurnCancelRequested",
    "TurnEvent",
    "TurnFinished",
    "TurnPrepared",
    "TurnStarted",
    "VariablesRequested",
    "VariablesReturned",
]


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


OfInterpreter: TypeAlias = (
    SessionStarted
    | SessionRenamed
    | SessionSwitched
    | SettingsReloaded
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
    | CellStopTried
    | InputRequested
    | InputAnswered
    | CellOutputAdded
    | InspectionRequested
    | InspectionReturned
    | VariablesRequested
    | VariablesReturned
    | ExplorationRequested
    | ExplorationReturned
    | ReloadRequested
    | SourcesReloaded
    | ReplayStarted
    | SessionReplayed
    | EnvironmentChanged
)
"""What happens to a session's interpreter, or to the session as a whole."""

Event: TypeAlias = OfInterpreter | TurnEvent

SETTLING: Final[frozenset[type[Event]]] = frozenset(
    {
        SessionRenamed,
        SessionSwitched,
        SettingsReloaded,
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
        InputAnswered,
        InspectionReturned,
        VariablesReturned,
        ExplorationReturned,
        SourcesReloaded,
        SessionReplayed,
        TurnFinished,
        TurnCancelRequested,
        MessageDelivered,
        MessageWithdrawn,
        ModelChanged,
        BranchSwitched,
        LookupFailed,
        ApprovalAnswered,
    }
)
"""The events that end what their cause set off: whoever waits for that cause is answered."""
