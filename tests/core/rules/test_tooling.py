"""The session's own tools: declared as models read them, taken strictly."""

import pytest

from hearth.core.rules.tooling import (
    ARGUMENTS,
    DECLARED,
    CheckCode,
    Compact,
    Inspect,
    RunCode,
    parse,
)


def test_every_tool_is_declared_once_in_a_fixed_order() -> None:
    names = [one.name for one in DECLARED]
    assert names == sorted(names)
    assert set(names) == set(ARGUMENTS)


def test_a_declaration_asks_for_what_is_taken() -> None:
    for one in DECLARED:
        fields = ARGUMENTS[one.name].__struct_fields__
        assert set(one.input_schema["properties"]) == set(fields)
        assert one.input_schema["additionalProperties"] is False
        assert one.description


def test_those_that_only_look_are_marked() -> None:
    assert {one.name for one in DECLARED if one.read_only} == {"check_code", "inspect"}


@pytest.mark.parametrize(
    ("name", "arguments", "parsed"),
    [
        ("run_code", '{"code":"1"}', RunCode("1")),
        ("run_code", '{"code":"1","time_limit":2}', RunCode("1", 2.0)),
        ("check_code", '{"code":"1"}', CheckCode("1")),
        ("inspect", '{"code":"x."}', Inspect("x.")),
        ("compact_conversation", "", Compact()),
    ],
)
def test_what_fits_is_taken(name: str, arguments: str, parsed: object) -> None:
    assert parse(name, arguments) == parsed


@pytest.mark.parametrize(
    "arguments", ["", "{", '"x"', '{"code":3}', '{"code":"x","extra":1}', "[" * 100_000]
)
def test_what_does_not_fit_is_answered_with_a_sentence(arguments: str) -> None:
    wrong = parse("run_code", arguments)
    assert isinstance(wrong, str)
    assert wrong.startswith("The arguments of run_code are not valid")
    assert wrong.endswith("Nothing was run.")
