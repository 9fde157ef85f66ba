"""Commands: every one survives the wire, and what is wrong with one is named by its path."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of
from tests.samples.examples import example

from hearth.core.vocabulary.codec import decode_command, encode
from hearth.core.vocabulary.commands import (
    Command,
    CompleteCode,
    CreateSession,
    LoadScript,
    RenameSession,
    RunCell,
    SessionConfig,
    SessionMode,
)
from hearth.core.vocabulary.refusals import Malformed
from hearth.core.vocabulary.wire import Word

FIELDS = [
    (word, field.encode_name) for word in members(Command) for field in msgspec.structs.fields(word)
]


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Command), ids=tag_of)
@given(data=st.data())
def test_a_command_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    command = data.draw(strategy_for(word))
    assert_comes_back(command, Command)
    assert decode_command(encode(command)) == command


@pytest.mark.parametrize("word", members(Command), ids=tag_of)
def test_an_unknown_field_is_refused_by_its_path(word: type[Word]) -> None:
    raw = {**_builtin(example(word)), "colour": "red"}
    refusal = decode_command(encode(raw))
    assert isinstance(refusal, Malformed)
    assert refusal.path == "$.colour"
    assert "unknown field" in refusal.why
    assert refusal.remedy


@pytest.mark.parametrize(
    ("word", "field"), FIELDS, ids=[f"{tag_of(word)}.{field}" for word, field in FIELDS]
)
def test_a_wrong_type_is_refused_by_its_path(word: type[Word], field: str) -> None:
    raw = {**_builtin(example(word)), field: [[]]}
    refusal = decode_command(encode(raw))
    assert isinstance(refusal, Malformed)
    assert refusal.path.startswith(f"$.{field}")
    assert refusal.why


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"nmae": "x"}, "$.config.nmae"),
        ({"projects": ["a", 7]}, "$.config.projects[1]"),
        ({"mode": "turbo"}, "$.config.mode"),
        ({"name": None}, "$.config.name"),
    ],
)
def test_a_fault_deep_inside_is_refused_by_its_whole_path(config: Any, path: str) -> None:
    refusal = decode_command(encode({"type": "create_session", "config": config}))
    assert isinstance(refusal, Malformed)
    assert refusal.path == path


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"type": "rename_session", "name": ""}, "$.name"),
        ({"type": "rename_session", "name": "x" * 201}, "$.name"),
        ({"type": "load_script", "path": ""}, "$.path"),
        ({"type": "run_cell", "code": "1", "time_limit": 0}, "$.time_limit"),
        ({"type": "run_cell", "code": "1", "time_limit": -1}, "$.time_limit"),
        ({"type": "run_cell", "code": "1", "if_busy": "wait"}, "$.if_busy"),
        ({"type": "complete_code", "code": "", "cursor": -1}, "$.cursor"),
        ({"type": "run_cell"}, "$"),
        ({"type": "no_such_command"}, "$.type"),
        ({"code": "1"}, "$"),
    ],
)
def test_a_value_out_of_bounds_is_refused(raw: Any, path: str) -> None:
    refusal = decode_command(encode(raw))
    assert isinstance(refusal, Malformed)
    assert refusal.path == path


def test_values_at_the_bounds_are_taken() -> None:
    for command in (
        RenameSession(name="x" * 200),
        LoadScript(path="x"),
        RunCell(code="", time_limit=0.001, if_busy="queue"),
        CompleteCode(code="", cursor=0),
    ):
        assert decode_command(encode(command)) == command


@pytest.mark.promise("SF-STATE-08")
def test_the_mode_of_a_session_is_a_closed_set_in_the_published_schema() -> None:
    schema = msgspec.json.schema(SessionConfig)
    assert schema["$defs"]["SessionMode"]["enum"] == sorted(SessionMode)
    assert schema["$defs"]["SessionConfig"]["additionalProperties"] is False


def test_only_what_differs_from_the_defaults_is_written() -> None:
    assert encode(CreateSession()) == b'{"type":"create_session"}'
    assert encode(RunCell(code="1")) == b'{"type":"run_cell","code":"1"}'


def _builtin(word: Word) -> dict[str, Any]:
    raw: dict[str, Any] = msgspec.to_builtins(word)
    return raw
