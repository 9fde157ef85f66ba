"""Effects: every one survives the wire and says which interpreter it is meant for."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.modelling import AgentEffect
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Effect), ids=tag_of)
@given(data=st.data())
def test_an_effect_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Effect)


@pytest.mark.parametrize(
    "word", [one for one in members(Effect) if one not in members(AgentEffect)], ids=tag_of
)
def test_an_effect_names_the_generation_it_is_meant_for(word: type[Word]) -> None:
    # Without it, a late report of a dead interpreter would be taken for the living one's.
    assert "generation" in {field.name for field in msgspec.structs.fields(word) if field.required}
