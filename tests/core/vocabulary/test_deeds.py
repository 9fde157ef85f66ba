"""What agents did, as it is stored: it comes back as it went."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.deeds import DeedEvent
from hearth.core.vocabulary.events import SETTLING, Event, FilesCompared, FilesRewound, RewindFailed
from hearth.core.vocabulary.turns import TurnEvent
from hearth.core.vocabulary.wire import Word


@pytest.mark.parametrize("word", members(DeedEvent), ids=tag_of)
@given(data=st.data())
def test_a_deed_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Event)


def test_deeds_are_events_of_turns() -> None:
    assert set(members(DeedEvent)) < set(members(TurnEvent))


def test_whoever_asks_for_files_back_is_answered_by_one_of_three() -> None:
    assert set(members(DeedEvent)) & SETTLING == {FilesCompared, FilesRewound, RewindFailed}
