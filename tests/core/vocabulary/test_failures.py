"""Failures: one closed family, and no bare text among them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary import failures
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Failure), ids=tag_of)
@given(data=st.data())
def test_a_failure_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Failure)


@pytest.mark.promise("SF-STATE-07")
def test_no_failure_is_a_bare_text() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'"it broke"', type=Failure)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type":"something_new","message":"it broke"}', type=Failure)


@pytest.mark.promise("SF-STATE-07")
def test_the_tree_in_the_docstring_names_every_failure() -> None:
    drawn = [line.split()[1] for line in (failures.__doc__ or "").splitlines() if "── " in line]
    assert sorted(drawn) == sorted(word.__name__ for word in members(Failure))
