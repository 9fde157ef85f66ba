"""What is remembered of a conversation is plain data, and comes back from a snapshot."""

import pytest
from tests.contracts.given import comes_back, given
from tests.contracts.talks import AGENT, TALK_WAYS

from hearth.core.rules.conversation_state import (
    Conversation,
    OpenCall,
    OpenTurn,
    TurnPhase,
    call_key,
    calls_digest,
)
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import CallId, InputId, TurnId
from hearth.core.vocabulary.origin import SYSTEM


@pytest.mark.parametrize("phase", TurnPhase)
def test_in_every_phase_it_survives_a_snapshot(phase: TurnPhase) -> None:
    assert comes_back(given(*TALK_WAYS[phase]).state)


@pytest.mark.promise("DP-TURN-07")
def test_a_new_conversation_is_idle() -> None:
    assert Conversation().phase is TurnPhase.IDLE


def test_the_agent_is_known_by_its_model() -> None:
    assert given(*TALK_WAYS[TurnPhase.ASKING]).state.talk.agent == AGENT


def test_what_a_call_sets_off_carries_a_cause_of_its_own() -> None:
    turn = OpenTurn(TurnId("t1"), InputId("i3"), SYSTEM)
    assert turn.cause_of(CallId("k7")) == "i3.k7"
    assert turn.step == 0


def test_calls_are_alike_by_name_and_arguments_alone() -> None:
    one = OpenCall(CallId("k1"), "look", "{}")
    other = OpenCall(CallId("k2"), "look", "{}", is_started=True)
    assert call_key(one) == call_key(other)
    assert calls_digest([one]) == calls_digest([other]) != calls_digest([one, other])
    assert calls_digest([]) == ""
    large = OpenCall(CallId("k3"), "look", Blob("a" * 64, 70_000))
    assert call_key(large) == "look " + "a" * 64
