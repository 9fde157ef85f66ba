import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types

from hearth.performers.tools.arguments import NotValid, parsed

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 5, "description": "Where."},
        "lines": {"type": "integer", "minimum": 1, "maximum": 9},
        "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "deep": {"type": "boolean"},
        "how": {"enum": ["fast", "well", 1, True, None]},
        "tags": {
            "type": "array",
            "items": {"type": ["string", "null"]},
            "minItems": 1,
            "maxItems": 2,
        },
        "inner": {
            "type": "object",
            "properties": {"a": {"type": "object", "required": ["b"]}},
            "additionalProperties": True,
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("{", "they are not JSON: Input data was truncated"),
        ("[]", "they are an array, not an object"),
        ('"x"', "they are a string, not an object"),
        ("null", "they are null, not an object"),
        ("{}", "path is missing"),
        ('{"path": 5}', "path is a number, not a string"),
        ('{"path": ""}', "path has 0 characters, at least 1 are needed"),
        ('{"path": "123456"}', "path has 6 characters, at most 5 are allowed"),
        ('{"path": "p", "lines": 1.5}', "lines is a number, not an integer"),
        ('{"path": "p", "lines": true}', "lines is true, not an integer"),
        ('{"path": "p", "lines": 0}', "lines must be at least 1"),
        ('{"path": "p", "lines": 10}', "lines must be at most 9"),
        ('{"path": "p", "share": 0}', "share must be more than 0"),
        ('{"path": "p", "share": 1}', "share must be less than 1"),
        ('{"path": "p", "deep": 1}', "deep is a number, not a boolean"),
        ('{"path": "p", "how": 0}', 'how is none of "fast", "well", 1, true, null'),
        ('{"path": "p", "tags": []}', "tags has 0 items, at least 1 are needed"),
        ('{"path": "p", "tags": ["a", "b", "c"]}', "tags has 3 items, at most 2 are allowed"),
        ('{"path": "p", "tags": ["a", {}]}', "tags[1] is an object, not a string or null"),
        ('{"path": "p", "inner": {"a": {}}}', "inner.a.b is missing"),
        ('{"path": "p", "inner": {"a": []}}', "inner.a is an array, not an object"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_would_be_right(said: str, wrong: str) -> None:
    with pytest.raises(NotValid) as refused:
        parsed(said, SCHEMA)
    assert str(refused.value) == wrong


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(NotValid, match="pth is not known; known are: path, lines, share"):
        parsed('{"path": "p", "pth": "x"}', SCHEMA)
    with pytest.raises(NotValid, match="x is not known; known are: nothing"):
        parsed('{"x": 1}', {"type": "object", "additionalProperties": False})
    with pytest.raises(NotValid) as long:
        parsed(f'{{"{"x" * 5000}": 1}}', {"type": "object", "additionalProperties": False})
    assert len(str(long.value)) < 200


def test_several_mistakes_are_told_at_once_but_not_hundreds() -> None:
    with pytest.raises(NotValid) as refused:
        parsed('{"lines": "x", "deep": "y"}', SCHEMA)
    assert str(refused.value).split("; ") == [
        "path is missing",
        "lines is a string, not an integer",
        "deep is a string, not a boolean",
    ]
    numbers = ",".join(["1"] * 1000)
    with pytest.raises(NotValid) as many:
        parsed(
            f'{{"a": [{numbers}]}}',
            {"properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        )
    assert len(str(many.value).split("; ")) == 5


@pytest.mark.parametrize(
    "said",
    [
        '{"path": "p"}',
        '{"path": "p", "lines": 5, "share": 0.5, "deep": false, "how": null, "tags": ["a", null]}',
        '{"path": "p", "lines": 5.0, "inner": {"other": 1, "a": {"b": 2}}}',
    ],
)
def test_what_is_right_is_taken_as_it_is(said: str) -> None:
    assert parsed(said, SCHEMA)["path"] == "p"


def test_nothing_at_all_is_an_empty_object() -> None:
    assert parsed("", {"type": "object"}) == {}


def test_what_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(NotValid):
        parsed("[" * 100_000, {"type": "object"})


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from([0.5, 2.0, 1.5]) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SCHEMA["properties"], "a", "b"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "x"]), anything))
def test_it_agrees_with_a_validator_of_json_schema(value: dict[str, Any]) -> None:

    try:
        parsed(json.dumps(value), SCHEMA)
    except NotValid:
        is_valid = False
    else:
        is_valid = True
    assert is_valid == Draft202012Validator(SCHEMA).is_valid(value)
