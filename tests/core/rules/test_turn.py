"""The tables of a turn: complete, and what decide and evolve really do."""

from typing import get_args

import pytest
from tests.contracts.facts import NOON
from tests.contracts.given import Script, given
from tests.contracts.talks import TALK_WAYS
from tests.samples.examples import example

from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.session import Decision, IllegalEvent, evolve
from hearth.core.rules.turn import ACCEPTS, FOLLOWS, REMEDIES, SITUATIONS
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    EventId,
    InputId,
    MessageId,
)
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.refusals import NotNow

COMMANDS: tuple[type[p.Prompt], ...] = get_args(p.Prompt)
EVENTS: tuple[type[t.TurnEvent], ...] = get_args(t.TurnEvent)
IDLE = TurnPhase.IDLE
BUSY = set(TurnPhase) - {IDLE}

TAKEN: dict[type[p.Prompt], set[TurnPhase]] = {
    p.SendMessage: set(TurnPhase),
    p.WithdrawMessage: set(TurnPhase),
    p.CancelTurn: BUSY,
    p.SetModel: set(TurnPhase),
    p.SetServers: set(TurnPhase),
    p.RegenerateTurn: {IDLE},
    p.ContinueTurn: {IDLE},
    p.CompactConversation: {IDLE},
    p.SwitchBranch: {IDLE},
    p.EditMessage: {IDLE},
    p.AnswerApproval: {TurnPhase.WAITING},
    p.RewindFiles: {IDLE},
}
"""Written down a second time, so that a change of the table is a change of a test."""

FITTING: dict[type[p.Prompt], p.Prompt] = {
    p.SendMessage: p.SendMessage("more"),
    p.WithdrawMessage: p.WithdrawMessage(MessageId("m1")),
    p.CancelTurn: p.CancelTurn(),
    p.SetModel: p.SetModel("claude-test"),
    p.SetServers: p.SetServers(("docs",)),
    p.RegenerateTurn: p.RegenerateTurn(),
    p.ContinueTurn: p.ContinueTurn(),
    p.CompactConversation: p.CompactConversation(),
    p.SwitchBranch: p.SwitchBranch(BlockId("b8")),
    p.EditMessage: p.EditMessage(BlockId("b8"), "other"),
    p.AnswerApproval: p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.ONCE),
    p.RewindFiles: p.RewindFiles("b8"),
}


def at(phase: TurnPhase) -> Script:
    script = given(*TALK_WAYS[phase])
    assert script.state.talk.phase is phase
    return script


def test_every_command_and_every_event_has_its_row() -> None:
    assert set(ACCEPTS) == set(COMMANDS) == set(FITTING) == set(TAKEN)
    assert set(FOLLOWS) == set(EVENTS)


def test_every_phase_has_its_words_and_its_remedies() -> None:
    assert set(SITUATIONS) == set(REMEDIES) == set(TurnPhase) == set(TALK_WAYS)
    assert len(set(SITUATIONS.values())) == len(TurnPhase)
    assert all(REMEDIES.values())


@pytest.mark.parametrize("phase", TurnPhase)
@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_a_command_is_taken_where_the_table_says_and_refused_with_a_hint_elsewhere(
    kind: type[p.Prompt], phase: TurnPhase
) -> None:
    script = at(phase)
    if kind is p.WithdrawMessage:
        if phase is IDLE:
            return  # nothing can wait there
        script.happened(p.SendMessage("first"))
    outcome = script.when(FITTING[kind])
    if phase in TAKEN[kind]:
        assert isinstance(outcome.decision, Decision), outcome.decision
    else:
        refusal = outcome.refused(NotNow)
        assert refusal.why == SITUATIONS[phase]
        assert refusal.remedy == REMEDIES[phase]


@pytest.mark.parametrize("phase", TurnPhase)
@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_an_event_that_the_table_forbids_is_never_taken_from_a_log(
    kind: type[t.TurnEvent], phase: TurnPhase
) -> None:
    if phase in FOLLOWS[kind]:
        return
    word = example(kind)
    assert isinstance(word, EVENTS)
    fact = Fact(id=EventId("x.0"), at=NOON, origin=SYSTEM, cause=InputId("x"), event=word)
    with pytest.raises(IllegalEvent, match="cannot happen to an agent that is"):
        evolve(at(phase).state, fact)


def test_only_these_events_change_what_an_agent_does() -> None:
    moving = {
        kind
        for kind, row in FOLLOWS.items()
        if any(before is not to and before is not TurnPhase.WAITING for before, to in row.items())
    }
    assert moving == {
        t.TurnStarted,
        t.ModelAsked,
        t.RetryScheduled,
        t.StepFinished,
        t.ApprovalRequested,
        t.TurnCancelRequested,
        t.TurnFinished,
        t.CompactionStarted,
        t.ConversationCompacted,
        t.CompactionFailed,
    }


def test_from_every_phase_a_turn_can_be_stopped() -> None:
    assert set(FOLLOWS[t.TurnCancelRequested]) == BUSY
    assert set(FOLLOWS[t.TurnFinished]) == BUSY - {TurnPhase.WAITING}
