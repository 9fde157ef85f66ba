"""What both of OpenAI's wires send alike."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.messages import Returned
from hearth.performers.language_model.openai_parts import (
    LONGEST_ID,
    arguments_sent,
    declared,
    headers,
    native_item,
    plain_id,
    result_sent,
)


def test_a_key_is_sent_and_without_one_no_header_pretends_there_is() -> None:
    assert headers("k") == headers("") | {"authorization": "Bearer k"}
    assert "authorization" not in headers("")
    assert headers("")["content-type"] == "application/json"


def test_ids_that_everyone_takes_are_left_alone() -> None:
    assert plain_id("call_00-aB") == "call_00-aB"


@given(st.text(max_size=100), st.text(max_size=100))
def test_ids_become_plain_and_different_ones_stay_different(one: str, other: str) -> None:
    plain = plain_id(one)
    assert 0 < len(plain) <= LONGEST_ID
    assert set(plain) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert (plain == plain_id(other)) == (one == other)


@pytest.mark.parametrize("arguments", ["{}", '{"a": 1}', '{ "b":"ü" }\n'])
def test_arguments_are_sent_exactly_as_the_model_wrote_them(arguments: str) -> None:
    assert arguments_sent(arguments) == arguments


@pytest.mark.parametrize("arguments", ['{"a":', "[1]", "print(1)", '"x"', "[" * 100_000])
def test_arguments_that_are_no_object_are_wrapped_into_one(arguments: str) -> None:
    assert msgspec.json.decode(arguments_sent(arguments)) == {"_unparsed": arguments}


def test_missing_arguments_are_an_empty_object() -> None:
    assert arguments_sent("") == arguments_sent(" ") == "{}"


def test_the_text_of_a_result_says_that_it_is_an_error() -> None:
    assert result_sent(Returned("c", "f", "4")) == "4"
    assert result_sent(Returned("c", "f", "no such name", is_error=True)) == "Error: no such name"


def test_tools_keep_their_order_and_their_schema_byte_for_byte() -> None:
    schema = '{"type":"object",  "properties":{}}'
    tools = declared(
        '[{"name":"b","description":"B","input_schema":' + schema + "},"
        '{"name":"a","description":"A","input_schema":{}}]'
    )
    assert [tool.name for tool in tools] == ["b", "a"]
    assert bytes(tools[0].input_schema).decode() == schema
    assert declared("") == declared("[]") == []


@pytest.mark.parametrize("native", ["", "no JSON", "[]", '"x"', "{"])
def test_what_is_no_item_of_the_provider_is_not_sent_back(native: str) -> None:
    assert native_item(native) is None
