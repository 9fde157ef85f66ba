"""How a tool looks to whoever reads about it."""

import inspect
from typing import Any, Literal

import pytest

from hearth.performers.interpreter.inside.tool_signatures import (
    annotation_of,
    python_name,
    signature_of,
    text_of,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "note": {"type": "string", "default": "none"},
        "wheels": {"type": "integer", "description": "how many"},
        "parts": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["wheels"],
}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("create_issue", "create_issue"),
        ("create-issue", "create_issue"),
        ("a.b/c", "a_b_c"),
        ("7zip", "n7zip"),
        ("import", "import_"),
        ("_hidden", "n_hidden"),
        ("größe", "gr__e"),
        ("", "n"),
    ],
)
def test_every_name_becomes_one_that_code_can_say(name: str, said: str) -> None:
    assert python_name(name) == said
    assert python_name(name).isidentifier()


def test_a_signature_says_what_must_be_given_first_and_all_by_name() -> None:
    found = signature_of(SCHEMA)
    assert str(found) == "(*, wheels: int, note: str = 'none', parts: list[str] = ...)"


def test_names_that_code_cannot_say_are_others() -> None:
    found = signature_of({"properties": {"from": {}, "a-b": {}, "others": {}, "fine": {}}})
    assert list(found.parameters) == ["fine", "others"]
    assert found.parameters["others"].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize("schema", [None, 7, {}, {"properties": []}, {"properties": {"a": 1}}])
def test_a_schema_that_says_nothing_is_no_trouble(schema: Any) -> None:
    assert isinstance(signature_of(schema), inspect.Signature)
    assert text_of("", schema).startswith("A tool without")


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "number"}, float),
        ({"type": ["string", "null"]}, str | None),
        ({"enum": ["red", "blue"]}, Literal["red", "blue"]),
        ({"enum": []}, Any),
        ({"enum": [{}]}, Any),
        ({"type": "array"}, list),
        ({"type": "array", "items": {"type": "integer"}}, list[int]),
        ({"type": "array", "items": {"type": ["string", "null"]}}, list),
        ({"type": ["array", "null"], "items": {"type": {}}}, list | None),
        ({"type": [["string"], 5]}, Any),
        ({"type": "odd"}, Any),
        ({"anyOf": []}, Any),
        (True, Any),
    ],
)
def test_types_are_said_as_nearly_as_they_can_be(schema: Any, kind: Any) -> None:
    assert annotation_of(schema) == kind


def test_the_text_tells_what_each_argument_is() -> None:
    told = text_of("Turn wheels.\n", SCHEMA)
    assert told.startswith("Turn wheels.\n\nGiven by name:\n")
    assert "  wheels: how many" in told
    assert "  note (may be left out)" in told
