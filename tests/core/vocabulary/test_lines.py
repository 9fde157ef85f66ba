"""Lines and models are plain data that comes back as it went."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import strategy_for

from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.lines import (
    Dialect,
    Instruction,
    Line,
    ModelChoice,
    Prefix,
    Segment,
    TurnLimits,
)
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.wire import Part


@pytest.mark.parametrize("part", [Line, Segment, ModelChoice, TurnLimits, Instruction, Prefix])
@given(data=st.data())
def test_it_comes_back_from_json_as_it_went(part: type[Part], data: st.DataObject) -> None:
    value = data.draw(strategy_for(part))
    assert msgspec.json.decode(encode(value), type=part) == value


def test_a_model_is_called_by_its_provider_and_its_name() -> None:
    chosen = ModelChoice("openai", "gpt-test", Dialect.RESPONSES, 1000, 100)
    assert chosen.name == "openai:gpt-test"


@pytest.mark.promise("DP-MODEL-09")
def test_unless_someone_says_otherwise_a_model_thinks_as_much_as_it_can() -> None:
    assert ModelChoice("p", "m", Dialect.CHAT, 1, 1).effort is Effort.MAX


def test_a_line_begins_with_the_first_event_of_its_session() -> None:
    assert Line() == Line((), 1)
