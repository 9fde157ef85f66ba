"""What happened. Stored for ever, in past tense; never renamed or removed, only deprecated."""

from typing import Final, TypeAlias

from hearth.core.vocabulary.cells import (
    CellCancelled,
    CellCancelRequested,
    CellFailed,
    CellFinished,
    CellOutputAdded,
    CellQueued,
    CellStarted,
    CellStopTried,
    CellToolCalled,
    CellWithdrawn,
    InputAnswered,
    InputRequested,
    ScriptLoaded,
    ScriptLoadFailed,
)
from hearth.core.vocabulary.deeds import (
    FilesChanged,
    FilesCompared,
    FilesKept,
    FilesRewound,
    GrantRecorded,
    RewindFailed,
    RewindRequested,
    TaskChanged,
    ToolRefused,
)
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
from hearth.core.vocabulary.sessions import (
    EnvironmentChanged,
    RestartScheduled,
    SessionFaulted,
    SessionHardReset,
    SessionReady,
    SessionRenamed,
    SessionReset,
    SessionStarted,
    SessionStopped,
    SessionSwitched,
    SessionWarmUpAbandoned,
    SessionWarmUpCompleted,
    SessionWarmUpStarted,
    SettingsReloaded,
    StateTransitioned,
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
    ServersChosen,
    StepFinished,
    ToolStarted,
    TurnCancelRequested,
    TurnEvent,
    TurnFinished,
    TurnPrepared,
    TurnStarted,
)
from hearth.core.vocabulary.undoing import (
    CellNotKept,
    CellsRedone,
    CellsUndone,
    CopiesDropped,
    ForkFailed,
    ForkRequested,
    ReturnFailed,
    ReturnPreviewed,
    ReturnRequested,
    SessionForked,
    SessionReturned,
    TrialEnded,
    TrialStarted,
    UndoChosen,
    UndoEvent,
    UndoFailed,
    UndoRequested,
    VariantKept,
    VariantsDropped,
)

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
    "CellNotKept",
    "CellOutputAdded",
    "CellQueued",
    "CellStarted",
    "CellStopTried",
    "CellToolCalled",
    "CellWithdrawn",
    "CellsRedone",
    "CellsUndone",
    "CheckRequested",
    "CompactionFailed",
    "CompactionStarted",
    "CompletionsRequested",
    "CompletionsReturned",
    "ConversationCompacted",
    "ConversationForked",
    "CopiesDropped",
    "DiagnosticsChecked",
    "DiagnosticsCleared",
    "EditRequested",
    "EnvironmentChanged",
    "Event",
    "ExplorationRequested",
    "ExplorationReturned",
    "FilesChanged",
    "FilesCompared",
    "FilesKept",
    "FilesRewound",
    "ForkFailed",
    "ForkRequested",
    "GrantRecorded",
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
    "OfLife",
    "PrefixStarted",
    "QuestionAbandoned",
    "ReloadRequested",
    "ReplayStarted",
    "RestartScheduled",
    "RetryScheduled",
    "ReturnFailed",
    "ReturnPreviewed",
    "ReturnRequested",
    "RewindFailed",
    "RewindRequested",
    "ScriptLoadFailed",
    "ScriptLoaded",
    "ServersChosen",
    "SessionFaulted",
    "SessionForked",
    "SessionHardReset",
    "SessionReady",
    "SessionRenamed",
    "SessionReplayed",
    "SessionReset",
    "SessionReturned",
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
    "TaskChanged",
    "ToolRefused",
    "ToolStarted",
    "TrialEnded",
    "TrialStarted",
    "TurnCancelRequested",
    "TurnEvent",
    "TurnFinished",
    "TurnPrepared",
    "TurnStarted",
    "UndoChosen",
    "UndoEvent",
    "UndoFailed",
    "UndoRequested",
    "VariablesRequested",
    "VariablesReturned",
    "VariantKept",
    "VariantsDropped",
]


OfLife: TypeAlias = (
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
    | CellToolCalled
)
"""What happens to a session's interpreter, or to the session as a whole, one after the other."""

OfInterpreter: TypeAlias = OfLife | UndoEvent
"""The same, and what is taken back, tried and forked of it."""

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
        ServersChosen,
        BranchSwitched,
        LookupFailed,
        ApprovalAnswered,
        FilesCompared,
        FilesRewound,
        RewindFailed,
        UndoChosen,
        CellsUndone,
        CellsRedone,
        UndoFailed,
        TrialEnded,
        VariantsDropped,
        SessionForked,
        ForkFailed,
        ReturnPreviewed,
        SessionReturned,
        ReturnFailed,
    }
)
"""The events that end what their cause set off: whoever waits for that cause is answered."""
