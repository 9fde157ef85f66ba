"""What an agent needs of the outside, and what comes back, survives the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.effects import INTERPRETING, Effect
from hearth.core.vocabulary.modelling import AgentEffect, AgentReport
from hearth.core.vocabulary.reports import Report
from hearth.core.vocabulary.wire import Word


@pytest.mark.parametrize("word", members(AgentEffect), ids=tag_of)
@given(data=st.data())
def test_an_effect_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Effect)


@pytest.mark.parametrize("word", members(AgentReport), ids=tag_of)
@given(data=st.data())
def test_a_report_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Report)


def test_no_interpreter_is_asked_for_any_of_it() -> None:
    assert not INTERPRETING & set(members(AgentEffect))


@pytest.mark.parametrize("word", members(AgentReport), ids=tag_of)
def test_a_report_names_what_it_answers(word: type[Word]) -> None:
    # A late one must be told from the one that is waited for.
    assert {"turn", "request", "call", "question", "approval"} & set(word.__struct_fields__)
