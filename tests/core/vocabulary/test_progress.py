"""Progress: shown live, and never mistaken for what is stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Progress), ids=tag_of)
@given(data=st.data())
def test_a_piece_of_progress_comes_back_from_json_as_it_went(
    word: type[Word], data: st.DataObject
) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Progress)


def test_nothing_live_can_be_stored_and_nothing_stored_is_only_live() -> None:
    assert not set(members(Progress)) & set(members(Event))
    assert not set(map(tag_of, members(Progress))) & set(map(tag_of, members(Event)))
