import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.mcp_client.definitions import (
    LARGEST_SCHEMA,
    LONGEST_DESCRIPTION,
    MOST_TOOLS,
    Listed,
    defined,
    full_name,
)
from hearth.performers.tools.arguments import NotValid, parsed

FIT = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def _words() -> st.SearchStrategy[str]:
    known = ["type", "properties", "items", "enum", "required", "minimum", "maxLength", "x"]
    return st.sampled_from([*known, "additionalProperties", "anyOf", "$ref", "minItems"])


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words(), inner, max_size=4),
    max_leaves=20,
)


def one(**said: Any) -> Listed:
    return Listed(**{"name": "t", **said})


def test_a_tool_is_called_by_its_server_and_its_own_name() -> None:
    (found,) = defined("git-hub", [one(name="search", description="Finds.")])
    assert found.full_name == "git-hub__search"
    assert (found.name, found.description) == ("search", "Finds.")
    assert found.input_schema == {"type": "object"}
    assert not found.read_only
    (hinted,) = defined("a", [one(annotations={"readOnlyHint": True})])
    assert hinted.read_only


@given(st.text(max_size=200), st.text(max_size=200))
def test_names_are_fit_for_every_provider_and_never_meet(first: str, second: str) -> None:
    names = [full_name("s" * 40, one) for one in (first, second)]
    assert all(map(FIT.fullmatch, names))
    assert (names[0] == names[1]) == (first == second)
    assert names[0] == full_name("s" * 40, first), "always the same"


def test_of_two_tools_with_one_name_the_first_counts_and_there_are_not_too_many() -> None:
    twice = [one(description="first"), one(description="second")]
    assert [tool.description for tool in defined("a", twice)] == ["first"]
    many = (one(name=f"t{number}") for number in range(MOST_TOOLS + 50))
    found = defined("a", many)
    assert len(found) == MOST_TOOLS
    assert list(found) == sorted(found, key=lambda tool: tool.full_name)


def test_what_nobody_sees_is_not_told_to_a_model() -> None:
    hidden = "Adds.\u202e\u200b\x1b[2K\U000e0041 And\nmore."
    schema = {"properties": {"a\u200b": {"description": "x\u2066y", "enum": ["\x07z"]}}}
    (found,) = defined("a", [one(description=hidden, input_schema=schema)])
    assert found.description == "Adds.[2K And\nmore."
    assert found.input_schema["properties"] == {"a": {"description": "xy", "enum": ["z"]}}


def test_long_descriptions_and_schemas_are_bounded() -> None:
    deep: Any = {}
    for _ in range(500):
        deep = {"properties": {"x": deep}}
    large = {"properties": {f"p{one}": {"description": "x" * 100} for one in range(1000)}}
    for schema in (deep, large):
        (found,) = defined("a", [one(description="x" * 99_999, input_schema=schema)])
        assert len(found.description) == LONGEST_DESCRIPTION
        assert len(str(found.input_schema)) < 2 * LARGEST_SCHEMA
        assert found.input_schema["type"] == "object"


@pytest.mark.parametrize(
    "other",
    [
        one(description="Adds, and more."),
        one(input_schema={"type": "object", "properties": {"a": {}}}),
        one(annotations={"readOnlyHint": True}),
        one(description="Adds\u200b."),
    ],
)
def test_any_change_of_what_is_said_is_another_digest(other: Listed) -> None:
    base = one(description="Adds.", input_schema={"type": "object"})
    assert defined("a", [base])[0].digest != defined("a", [other])[0].digest
    turned = one(input_schema={"b": 1, "a": 2})
    assert (
        defined("a", [turned])[0].digest
        == defined("a", [one(input_schema={"a": 2, "b": 1})])[0].digest
    )


@given(
    st.dictionaries(_words(), anything, max_size=6), st.dictionaries(st.text(max_size=3), anything)
)
def test_no_schema_breaks_what_checks_arguments(
    schema: dict[str, Any], given_: dict[str, Any]
) -> None:
    (found,) = defined("a", [one(input_schema=schema)])
    text = msgspec.json.encode(given_ | {"x": [1, "a", {}], "type": 5}).decode()
    try:
        parsed(text, found.input_schema)
    except NotValid:
        return


def test_a_sound_schema_stays_what_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"], "maxLength": 5},
            "items": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        },
        "required": ["type"],
        "additionalProperties": False,
    }
    (found,) = defined("a", [one(input_schema=schema)])
    assert found.input_schema == schema
