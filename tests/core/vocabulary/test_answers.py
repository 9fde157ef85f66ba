"""What an interpreter says about itself survives the wire, and says nothing by itself."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import strategy_for

from hearth.core.vocabulary import answers
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.wire import Part

PARTS = [
    one
    for one in vars(answers).values()
    if isinstance(one, type) and one.__module__ == answers.__name__ and issubclass(one, Part)
]


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("part", PARTS)
@given(data=st.data())
def test_an_answer_comes_back_from_json_as_it_went(
    part: type[msgspec.Struct], data: st.DataObject
) -> None:
    value = data.draw(strategy_for(part))
    assert msgspec.json.decode(encode(value), type=part) == value


def test_nothing_is_found_unless_it_is_said() -> None:
    assert not answers.Inspection().found
    assert not answers.Exploration().found
    assert encode(answers.Inspection()) == encode(answers.Surroundings()) == b"{}"


@pytest.mark.promise("SF-STATE-08")
def test_what_can_be_explored_is_a_closed_set() -> None:
    assert [str(kind) for kind in answers.ExploredKind] == ["module", "type"]
