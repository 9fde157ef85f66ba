"""Refusals: each says why, what is possible now, and what would help."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary import refusals
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import Refusal
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Refusal), ids=tag_of)
@given(data=st.data())
def test_a_refusal_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Refusal)


@pytest.mark.promise("SF-AFF-05", "SF-AFF-06")
@pytest.mark.parametrize("word", members(Refusal), ids=tag_of)
def test_a_refusal_has_room_for_why_what_else_and_what_would_help(word: type[Word]) -> None:
    fields = {field.name: field for field in msgspec.structs.fields(word)}
    assert fields["why"].required
    assert {"available", "remedy"} <= set(fields)


def test_the_tree_in_the_docstring_names_every_refusal() -> None:
    drawn = [line.split()[1] for line in (refusals.__doc__ or "").splitlines() if "── " in line]
    assert sorted(drawn) == sorted(word.__name__ for word in members(Refusal))


@pytest.mark.promise("SF-STATE-08")
def test_what_is_available_is_a_closed_set_in_the_published_schema() -> None:
    schema = msgspec.json.schema(Refusal)
    assert schema["$defs"]["Affordance"]["enum"] == sorted(Affordance)
    assert schema["$defs"]["PhaseName"]["enum"] == sorted(PhaseName)
