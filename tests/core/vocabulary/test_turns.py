"""The events of conversations: each survives the wire, in the past tense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.events import SETTLING, Event
from hearth.core.vocabulary.turns import (
    BlockSealed,
    ConversationForked,
    MessageDelivered,
    TurnEvent,
    TurnFinished,
)
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("DL-EVT-04", "SF-LOG-09")
@pytest.mark.parametrize("word", members(TurnEvent), ids=tag_of)
@given(data=st.data())
def test_an_event_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Event)


def test_every_one_is_an_event_of_the_log() -> None:
    assert set(members(TurnEvent)) < set(members(Event))


def test_whoever_asked_waits_for_the_end_of_the_turn_and_not_for_its_blocks() -> None:
    assert {TurnFinished, MessageDelivered} <= SETTLING
    assert not {BlockSealed, ConversationForked} & SETTLING
