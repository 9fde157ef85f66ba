"""What a model wrote comes back to it in a shape that no provider refuses."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.language_model.sent_back import (
    LONGEST_ID,
    arguments_sent,
    native_item,
    plain_id,
)


def test_ids_that_everyone_takes_are_left_alone() -> None:
    assert plain_id("call_00-aB", 12) == "call_00-aB"


@given(st.text(max_size=100), st.text(max_size=100), st.sampled_from([12, 16]))
def test_ids_become_plain_and_different_ones_stay_different(
    one: str, other: str, digits: int
) -> None:
    plain = plain_id(one, digits)
    assert 0 < len(plain) <= LONGEST_ID
    assert set(plain) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert (plain == plain_id(other, digits)) == (one == other)


@pytest.mark.parametrize("arguments", ["{}", '{"a": 1}', '{ "b":"ü" }\n'])
def test_arguments_are_sent_exactly_as_the_model_wrote_them(arguments: str) -> None:
    assert arguments_sent(arguments) == arguments


@pytest.mark.parametrize("arguments", ['{"a":', "[1]", "print(1)", '"x"', "[" * 100_000])
def test_arguments_that_are_no_object_are_wrapped_into_one(arguments: str) -> None:
    assert msgspec.json.decode(arguments_sent(arguments)) == {"_unparsed": arguments}


def test_missing_arguments_are_an_empty_object() -> None:
    assert arguments_sent("") == arguments_sent(" ") == "{}"


@pytest.mark.parametrize("native", ["", "no JSON", "[]", '"x"', "{"])
def test_what_is_no_item_of_the_provider_is_not_sent_back(native: str) -> None:
    assert native_item(native) is None
