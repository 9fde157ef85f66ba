"""The five states: a closed set, in which no illegal combination can be written down."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.events import StateTransitioned
from hearth.core.vocabulary.phases import (
    PHASE_NAMES,
    Evaluating,
    Faulted,
    OpenCell,
    Phase,
    PhaseName,
)
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Phase), ids=tag_of)
@given(data=st.data())
def test_a_state_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Phase)


@pytest.mark.promise("SF-STATE-01")
def test_there_are_five_states_and_each_has_its_name() -> None:
    assert list(PHASE_NAMES) == list(members(Phase))
    assert list(PHASE_NAMES.values()) == list(PhaseName)
    assert [tag_of(word) for word in members(Phase)] == list(PhaseName)
    assert len(PhaseName) == 5


@pytest.mark.promise("SF-STATE-09")
def test_only_a_running_session_has_a_cell_and_only_a_broken_one_a_failure() -> None:
    with_cell = {word for word in members(Phase) if "current" in word.__struct_fields__}
    with_failure = {word for word in members(Phase) if "failure" in word.__struct_fields__}
    assert with_cell == {Evaluating}
    assert with_failure == {Faulted}
    required = {field.name for field in msgspec.structs.fields(OpenCell) if field.required}
    assert {"cell", "started_at"} <= required


@pytest.mark.promise("SF-STATE-09")
@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"evaluating"}',
        b'{"type":"faulted"}',
        b'{"type":"ready","failure":{"type":"interrupted","message":"x"}}',
        b'{"type":"evaluating","failure":{"type":"interrupted","message":"x"}}',
        b'{"type":"dreaming"}',
    ],
)
def test_an_illegal_combination_cannot_be_read(raw: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(raw, type=Phase)


@pytest.mark.promise("SF-STATE-08")
def test_the_names_of_the_states_are_a_closed_set_in_the_published_schema() -> None:
    schema = msgspec.json.schema(StateTransitioned)
    assert schema["$defs"]["PhaseName"]["enum"] == sorted(PhaseName)
