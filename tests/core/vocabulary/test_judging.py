"""What is judged and rewound, on its way out and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.judging import JudgingEffect, JudgingReport
from hearth.core.vocabulary.modelling import AgentEffect, AgentReport
from hearth.core.vocabulary.reports import Report
from hearth.core.vocabulary.wire import Word


@pytest.mark.parametrize("word", members(JudgingEffect), ids=tag_of)
@given(data=st.data())
def test_an_effect_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Effect)


@pytest.mark.parametrize("word", members(JudgingReport), ids=tag_of)
@given(data=st.data())
def test_a_report_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Report)


def test_they_are_among_what_agents_need() -> None:
    assert set(members(JudgingEffect)) < set(members(AgentEffect))
    assert set(members(JudgingReport)) < set(members(AgentReport))
