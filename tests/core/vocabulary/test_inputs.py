"""What enters a mailbox carries its own id and time."""

from datetime import datetime

import msgspec
import pytest
from hypothesis import given
from tests.contracts.words import strategy_for

from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.inputs import Asked, Told


@pytest.mark.promise("SF-LOG-09")
@given(strategy_for(Asked))
def test_a_question_comes_back_from_json_as_it_went(asked: Asked) -> None:
    assert msgspec.json.decode(encode(asked), type=Asked) == asked


@pytest.mark.promise("SF-LOG-09")
@given(strategy_for(Told))
def test_an_answer_comes_back_from_json_as_it_went(told: Told) -> None:
    assert msgspec.json.decode(encode(told), type=Told) == told


def test_an_input_brings_its_id_and_its_time() -> None:
    for one in (Asked, Told):
        fields = {field.name: field for field in msgspec.structs.fields(one)}
        assert fields["id"].required
        assert fields["at"].required
        assert fields["at"].type is datetime
