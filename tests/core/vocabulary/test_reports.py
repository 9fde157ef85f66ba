"""Reports: what performers bring back survives the wire."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.modelling import AgentReport
from hearth.core.vocabulary.reports import Ending, Report
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Report), ids=tag_of)
@given(data=st.data())
def test_a_report_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Report)


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Ending), ids=tag_of)
@given(data=st.data())
def test_an_ending_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Ending)


@pytest.mark.promise("SF-STATE-08")
def test_how_an_interpreter_ended_is_a_closed_set() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.exit"):
        msgspec.json.decode(
            b'{"type":"worker_lost","generation":1,"exit":"tired","message":""}', type=Report
        )


def test_a_report_about_an_interpreter_says_about_which() -> None:
    # A report of an older generation is ignored, so each must be told from the next.
    others = members(AgentReport)
    about = [
        word
        for word in members(Report)
        if "question" not in word.__struct_fields__ and word not in others
    ]
    for word in about:
        assert {"generation", "effect"} & set(word.__struct_fields__), word
    assert len(about) < len(members(Report))
