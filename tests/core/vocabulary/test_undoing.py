"""The words of taking back, trying and forking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.events import Event, OfInterpreter
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.undoing import UndoEvent, VariantResult
from hearth.core.vocabulary.wire import Word

EVENTS = members(UndoEvent)


@pytest.mark.parametrize("word", EVENTS, ids=tag_of)
def test_each_is_an_event_of_the_interpreter(word: type[Word]) -> None:
    assert word in members(Event)
    assert word in members(OfInterpreter)


@given(st.data())
def test_each_comes_back_from_the_log(data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(EVENTS))
    assert_comes_back(data.draw(strategy_for(word)), Event)


def test_a_variant_is_a_success_if_it_ran_to_its_end() -> None:
    assert VariantResult(0.1).is_ok
    assert not VariantResult(0.1, failure=Interrupted("")).is_ok
    assert not VariantResult(0.1, stopped=True).is_ok
