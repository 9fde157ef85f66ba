"""The state machine of an agent's turn, as tables. The one file that may change it.

ACCEPTS says in which phases a command is taken, FOLLOWS which phase an event leads to. Whatever
FOLLOWS does not list cannot be stored, and if it is found stored, the log is corrupt.
"""

from collections.abc import Mapping
from typing import Final

from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t

I: Final = TurnPhase.IDLE  # noqa: E741 - the letter stands for the phase in the tables below
P: Final = TurnPhase.PREPARING
A: Final = TurnPhase.ASKING
C: Final = TurnPhase.CALLING
R: Final = TurnPhase.RETRYING
W: Final = TurnPhase.WAITING
K: Final = TurnPhase.COMPACTING
S: Final = TurnPhase.STOPPING
ANY: Final = frozenset(TurnPhase)
BUSY: Final = ANY - {I}

ACCEPTS: Final[Mapping[type[p.Prompt], frozenset[TurnPhase]]] = {
    p.SendMessage: ANY,  # a busy agent gets it at its next step
    p.WithdrawMessage: ANY,
    p.CancelTurn: BUSY,
    p.SetModel: ANY,
    p.SetServers: ANY,
    p.RegenerateTurn: frozenset({I}),
    p.ContinueTurn: frozenset({I}),
    p.CompactConversation: frozenset({I}),
    p.SwitchBranch: frozenset({I}),
    p.EditMessage: frozenset({I}),
    p.AnswerApproval: frozenset({W}),
    p.RewindFiles: frozenset({I}),
}

_STAYS: Final[Mapping[TurnPhase, TurnPhase]] = {phase: phase for phase in TurnPhase}

FOLLOWS: Final[Mapping[type[t.TurnEvent], Mapping[TurnPhase, TurnPhase]]] = {
    t.MessageQueued: _STAYS,  # while idle: a branch is being looked for
    t.MessageDelivered: {P: P, C: C},
    t.MessageWithdrawn: _STAYS,
    t.TurnStarted: {I: P},
    t.PrefixStarted: {P: P, C: C},
    t.TurnPrepared: {P: P, C: C},
    t.ModelAsked: {P: A, C: A, R: A, K: K},
    t.RetryScheduled: {A: R, K: K},
    t.BlockSealed: _STAYS,
    t.StepFinished: {A: C},
    # An agent that runs tools while a person is asked about some is WAITING: see `converse`.
    t.ToolStarted: {C: C, W: C},
    d.ToolRefused: {C: C, W: C},
    d.GrantRecorded: {phase: phase for phase in BUSY},  # its call may be over by then
    d.FilesKept: {C: C, W: C},
    d.FilesChanged: {C: C, W: C},
    d.TaskChanged: {C: C, W: C},
    t.ApprovalRequested: {C: W, W: W},
    t.ApprovalAnswered: {W: C},
    t.TurnCancelRequested: dict.fromkeys(BUSY, S),
    t.TurnFinished: {P: I, A: I, C: I, R: I, S: I, K: I},
    t.ModelChanged: _STAYS,
    t.ServersChosen: _STAYS,
    t.BranchRequested: {I: I},
    t.EditRequested: {I: I},
    t.BranchSwitched: {I: I},
    t.LookupFailed: {I: I},
    t.ConversationForked: {I: I},
    t.CompactionStarted: {P: K, C: K, A: K},
    t.ConversationCompacted: {K: P},
    t.CompactionFailed: {K: P},
    d.RewindRequested: {I: I},
    d.FilesCompared: {I: I},
    d.FilesRewound: {I: I},
    d.RewindFailed: {I: I},
}

SITUATIONS: Final[Mapping[TurnPhase, str]] = {
    I: "the agent is idle",
    P: "the agent is about to begin",
    A: "the model is answering",
    C: "the agent runs tools",
    R: "the agent waits to ask the model again",
    W: "the agent waits for a person's answer",
    K: "the conversation is being made shorter",
    S: "the agent is being stopped",
}
"""Each phase in words, for refusals."""

REMEDIES: Final[Mapping[TurnPhase, tuple[str, ...]]] = {
    I: ("send_message",),
    P: ("cancel_turn",),
    A: ("cancel_turn", "send_message"),
    C: ("cancel_turn", "send_message"),
    R: ("cancel_turn",),
    W: ("answer_approval", "cancel_turn"),
    K: ("cancel_turn",),
    S: ("cancel_turn",),
}
"""What helps when a phase refuses a command."""
