"""The state machine of a session's interpreter, as tables. The one file that may change it.

ACCEPTS says in which states a command is taken, FOLLOWS which state an event leads to,
ADVERTISED what is offered. Whatever FOLLOWS does not list cannot be stored, and if it is found
stored, the log is corrupt. Invariant: advertised ⊆ accepted.
"""

from collections.abc import Mapping
from typing import Final

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.phases import Affordance, PhaseName

U: Final = PhaseName.UNINITIALIZED
W: Final = PhaseName.WARMING_UP
R: Final = PhaseName.READY
E: Final = PhaseName.EVALUATING
F: Final = PhaseName.FAULTED
ANY: Final = frozenset(PhaseName)

ACCEPTS: Final[Mapping[type[c.OfSession], frozenset[PhaseName]]] = {
    c.CreateSession: frozenset({U}),
    c.StopSession: ANY,
    c.RenameSession: ANY,
    c.SwitchSession: frozenset({U}),  # in the daemon's own stream, which never leaves this state
    c.NoteSettings: frozenset({U}),  # the same
    c.RunCell: frozenset({R}),
    c.LoadScript: frozenset({R}),
    c.CancelCell: frozenset({E}),
    c.ResetSession: frozenset({R, F}),
    c.HardResetSession: ANY,  # the way out of every trouble
    c.CheckCode: frozenset({R, E}),
    c.CompleteCode: frozenset({R, E}),
    c.InspectCode: frozenset({R, E}),
    c.ListVariables: frozenset({R, E}),
    c.ExploreModule: frozenset({R, E}),
    c.ExploreType: frozenset({R, E}),
    c.ReloadSources: frozenset({R, E}),
    c.AnswerInput: frozenset({E}),
    c.ReplaySession: frozenset({R}),
    c.UndoCells: frozenset({R}),
    c.RedoCells: frozenset({R}),
    c.ChooseUndo: ANY,
    c.TryVariants: frozenset({R}),
    c.KeepVariant: frozenset({R}),
    c.ForkSession: ANY,  # a copy needs an idle interpreter, a replay needs none
    c.ReturnTo: ANY,  # what of it the interpreter would have to be idle for, is said
}

QUEUES: Final = frozenset({W, E})
"""Where a cell that may wait is taken although it cannot run yet, and can be withdrawn again."""

_STAYS: Final[Mapping[PhaseName, PhaseName]] = {phase: phase for phase in PhaseName}

FOLLOWS: Final[Mapping[type[e.OfInterpreter], Mapping[PhaseName, PhaseName]]] = {
    e.SessionStarted: {U: U},
    e.SessionRenamed: _STAYS,
    e.SessionSwitched: {U: U},
    e.SettingsReloaded: {U: U},
    e.SessionWarmUpStarted: {U: W, W: W, F: W},
    e.SessionWarmUpCompleted: {W: W},
    e.SessionWarmUpAbandoned: {W: W},
    e.SessionReady: {W: R},
    e.SessionFaulted: {W: F, R: F},  # a running cell is closed first
    e.SessionReset: {R: W, F: W},
    e.SessionHardReset: {U: W, W: W, R: W, F: W},  # a running cell is closed first
    e.SessionStopped: {U: U, W: U, R: U, F: U},  # a running cell is closed first
    e.RestartScheduled: {F: F},
    e.StateTransitioned: _STAYS,  # a record of what the events before it did
    e.CellQueued: {W: W, E: E},
    e.CellWithdrawn: _STAYS,
    e.CellStarted: {R: E},
    e.CellCancelRequested: {W: W, E: E},  # of the running cell, or of one that waits
    e.CellFinished: {E: R},
    e.CellFailed: {E: R},
    e.CellCancelled: {E: R},
    e.ScriptLoaded: {E: E},
    e.ScriptLoadFailed: {E: E},
    e.CheckRequested: {R: R, E: E},
    e.DiagnosticsChecked: {R: R, E: E},
    e.DiagnosticsCleared: {W: W},
    e.CompletionsRequested: {R: R, E: E},
    e.CompletionsReturned: {R: R, E: E},
    e.QuestionAbandoned: {R: R, E: E},
    e.CellStopTried: {E: E},
    e.InputRequested: {E: E},
    e.InputAnswered: {E: E},
    e.CellOutputAdded: {R: R, E: E},
    e.InspectionRequested: {R: R, E: E},
    e.InspectionReturned: {R: R, E: E},
    e.VariablesRequested: {R: R, E: E},
    e.VariablesReturned: {R: R, E: E},
    e.ExplorationRequested: {R: R, E: E},
    e.ExplorationReturned: {R: R, E: E},
    e.ReloadRequested: {R: R, E: E},
    e.SourcesReloaded: {R: R, E: E},
    e.ReplayStarted: {R: R},
    e.SessionReplayed: {R: R, E: E},
    e.EnvironmentChanged: {W: W, R: R, E: E},
    e.CellToolCalled: {W: W, R: R, E: E},
    e.UndoChosen: _STAYS,
    e.CellNotKept: {E: E},
    e.CopiesDropped: {W: W, R: R, E: E},  # also while one of them is to take its place
    e.UndoRequested: {R: W},  # the interpreter is away for a moment
    e.CellsUndone: {W: R},
    e.CellsRedone: {W: R},
    e.UndoFailed: {W: R},
    e.TrialStarted: {R: E},
    e.TrialEnded: {E: R},
    e.VariantKept: {R: W},
    e.VariantsDropped: {R: R, W: R},  # also one that was to be kept, and has ended
    e.ForkRequested: _STAYS,
    e.SessionForked: _STAYS,
    e.ForkFailed: _STAYS,
    e.ReturnRequested: _STAYS,
    e.ReturnPreviewed: _STAYS,
    e.SessionReturned: _STAYS,
    e.ReturnFailed: _STAYS,
}

ALWAYS: Final = (
    Affordance.CREATE_SESSION,
    Affordance.LIST_SESSIONS,
    Affordance.STOP_SESSION,
    Affordance.SWITCH_SESSION,
    Affordance.FORK_SESSION,
    Affordance.EXPORT_SESSION,
    Affordance.IMPORT_SESSION,
    Affordance.GET_UI_STATE,
)
"""What the daemon offers whatever a session does, so that nobody is left without a way on."""

ADVERTISED: Final[Mapping[PhaseName, tuple[Affordance, ...]]] = {
    U: (Affordance.GET_STATUS, *ALWAYS),
    W: (Affordance.GET_STATUS, *ALWAYS),
    R: (
        Affordance.RUN_CODE,
        Affordance.CHECK_CODE,
        Affordance.GET_COMPLETIONS,
        Affordance.LOAD_SCRIPT,
        Affordance.GET_RECENT_EVENTS,
        Affordance.GET_STATUS,
        Affordance.GET_AVAILABLE_PROJECTS,
        Affordance.RESET_SESSION,
        Affordance.HARD_RESET_SESSION,
        Affordance.EXPLORE_MODULE,
        Affordance.EXPLORE_TYPE,
        Affordance.INSPECT,
        Affordance.LIST_VARIABLES,
        Affordance.REPLAY_SESSION,
        Affordance.UNDO_CODE,
        Affordance.REDO_CODE,
        Affordance.TRY_CODE,
        Affordance.KEEP_VARIANT,
        *ALWAYS,
    ),
    E: (
        Affordance.CANCEL_EVAL,  # first: the one thing that is wanted when a cell hangs
        Affordance.GET_STATUS,
        Affordance.GET_RECENT_EVENTS,
        Affordance.CHECK_CODE,
        Affordance.GET_COMPLETIONS,
        Affordance.EXPLORE_MODULE,
        Affordance.EXPLORE_TYPE,
        Affordance.INSPECT,
        Affordance.LIST_VARIABLES,
        *ALWAYS,
    ),
    F: (
        Affordance.RESET_SESSION,
        Affordance.HARD_RESET_SESSION,
        Affordance.GET_STATUS,
        Affordance.GET_RECENT_EVENTS,
        *ALWAYS,
    ),
}

WHERE_THERE_IS: Final = frozenset(
    {Affordance.UNDO_CODE, Affordance.REDO_CODE, Affordance.KEEP_VARIANT}
)
"""What is offered only where there is something that it is about."""

WAIT_FOR_RETURN: Final[frozenset[type[c.Command]]] = frozenset(
    {
        c.RunCell,
        c.LoadScript,
        c.TryVariants,
        c.KeepVariant,
        c.UndoCells,
        c.RedoCells,
        c.ResetSession,
        c.ReplaySession,
        c.ForkSession,
        p.SendMessage,
        p.RegenerateTurn,
        p.ContinueTurn,
        p.CompactConversation,
        p.SwitchBranch,
        p.EditMessage,
        p.RewindFiles,
    }
)
"""What would go on from what a return is about to replace; the ways out of trouble are not here."""

COMMAND_OF: Final[Mapping[Affordance, type[c.OfSession]]] = {
    Affordance.RUN_CODE: c.RunCell,
    Affordance.CHECK_CODE: c.CheckCode,
    Affordance.GET_COMPLETIONS: c.CompleteCode,
    Affordance.LOAD_SCRIPT: c.LoadScript,
    Affordance.RESET_SESSION: c.ResetSession,
    Affordance.HARD_RESET_SESSION: c.HardResetSession,
    Affordance.CANCEL_EVAL: c.CancelCell,
    Affordance.STOP_SESSION: c.StopSession,
    Affordance.EXPLORE_MODULE: c.ExploreModule,
    Affordance.EXPLORE_TYPE: c.ExploreType,
    Affordance.INSPECT: c.InspectCode,
    Affordance.LIST_VARIABLES: c.ListVariables,
    Affordance.ANSWER_INPUT: c.AnswerInput,
    Affordance.REPLAY_SESSION: c.ReplaySession,
    Affordance.UNDO_CODE: c.UndoCells,
    Affordance.REDO_CODE: c.RedoCells,
    Affordance.TRY_CODE: c.TryVariants,
    Affordance.KEEP_VARIANT: c.KeepVariant,
    Affordance.FORK_SESSION: c.ForkSession,
}
"""The command behind an offer; offers that are not listed only read."""

REMEDIES: Final[Mapping[PhaseName, tuple[Affordance, ...]]] = {
    U: (Affordance.HARD_RESET_SESSION,),
    W: (Affordance.GET_STATUS,),
    R: (Affordance.RUN_CODE,),
    E: (Affordance.CANCEL_EVAL, Affordance.HARD_RESET_SESSION),
    F: (Affordance.RESET_SESSION, Affordance.HARD_RESET_SESSION),
}
"""What helps when a state refuses a command."""

SITUATIONS: Final[Mapping[PhaseName, str]] = {
    U: "the session has no interpreter",
    W: "the interpreter is still warming up",
    R: "the interpreter is idle",
    E: "the interpreter is running a cell",
    F: "the interpreter is dead or broken",
}
"""Each state in words, for refusals."""
