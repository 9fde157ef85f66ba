import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types
from tests.repo.tree import DOCS
from tests.settings.test_layers import EVERY_KEY
from tests.settings.test_writing import EXAMPLES

from hearth.settings.json_schema import json_schema, schema_text
from hearth.settings.jsonc import read_jsonc
from hearth.settings.keys import GROUPS, KEYS
from hearth.settings.layers import parsed_layer
from hearth.settings.problems import SettingsError
from hearth.settings.snapshot import nested

PUBLISHED = DOCS / "hearth.schema.json"
VALIDATOR = Draft202012Validator(json_schema())

values = st.sampled_from(
    [
        0,
        -1,
        1,
        5,
        1.5,
        65536,
        "",
        "x",
        "5 GiB",
        "5 gigs",
        "unlimited",
        "https://x.example",
        "{env:X}",
    ]
) | st.sampled_from([True, None, [], ["a"], [""], [5], {}, {"a": 1}])


def test_the_published_schema_is_current() -> None:
    assert PUBLISHED.read_text("utf-8") == schema_text(), (
        "`hearth config schema > docs/hearth.schema.json` writes it anew"
    )


def test_the_schema_is_one() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False


def test_every_key_is_described_and_no_object_takes_others() -> None:
    schema = json_schema()
    for name, key in KEYS.items():
        found: Any = schema
        for part in name.split("."):
            found = found["properties"][part]
            if "$ref" in found:
                found = schema["$defs"][found["$ref"].rpartition("/")[2]]
        assert found["description"] == key.description
    groups = {"": schema, **schema["$defs"]}
    named = {"ExemplifiedRule", "McpServer", "Server"}
    providers = [one for one in GROUPS if one.startswith("provider.")]
    # One provider stands for all of them, and one object for the whole.
    assert len(groups) == len(GROUPS) - len(providers) + 2 + len(named)
    open_ = [name for name, group in groups.items() if group["additionalProperties"] is not False]
    assert open_ == ["Permissions"], "people name permissions, and nothing else among named keys"


RULES: Any = {
    "read": "allow",
    "web_*": "deny",
    "execute": {"*": "ask", "git push *": {"action": "deny", "matches": ["git push"], "not": []}},
}


@pytest.mark.parametrize(
    "said",
    [
        {"permissions": {"mode": "ask", **RULES}},
        {"agents": {"review*": {"permissions": RULES}}},
        {"tools": {"run_shell": False, "fetch_url": True}},
        {"languageServers": {"ty": False, "gopls": {"command": ["gopls"], "files": ["*.go"]}}},
        {"languageServers": {"ty": {"options": {"a": {"b": [1]}}}}},
        {"mcpServers": {"a": False, "b": {"command": "x", "args": ["y"], "env": {"A": "b"}}}},
        {"mcpServers": {"b-1": {"url": "https://x.example/mcp", "headers": {"A": "${B}"}}}},
        {"agents": {"review*": {"permissions": RULES, "mcpServers": ["b-1"]}}},
    ],
)
def test_keys_that_people_name_are_valid_where_hearth_takes_them(said: Any) -> None:
    found = parsed_layer(json.dumps(said).encode(), Path("/f"), {})
    assert found.problems == ()
    assert list(VALIDATOR.iter_errors(said)) == []


@pytest.mark.parametrize(
    "said",
    [
        {"permissions": {"read": "alow"}},
        {"permissions": {"read": True}},
        {"permissions": {"a b": "allow"}},
        {"permissions": {"execute": {"": "allow"}}},
        {"permissions": {"execute": {"x": {"matches": ["x"]}}}},
        {"permissions": {"execute": {"x": {"action": "allow", "match": ["x"]}}}},
        {"agents": {"a": {"read": "allow"}}},
        {"agents": {"a": "deny"}},
        {"tools": {"run_shell": "off"}},
        {"tools": {"run_*": False}},
        {"languageServers": {"x": {"command": []}}},
        {"languageServers": {"x": {"command": "gopls"}}},
        {"languageServers": {"x": {"args": []}}},
        {"mcpServers": {"a_b": {"command": "x"}}},
        {"mcpServers": {"a": {"command": ["x"]}}},
        {"mcpServers": {"a": {"command": "x", "timeout": 0}}},
        {"mcpServers": {"a": {"type": "sse", "url": "https://x.example"}}},
        {"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}},
        {"agents": {"a": {"mcpServers": "b"}}},
    ],
)
def test_keys_that_people_name_are_not_valid_where_hearth_does_not_take_them(said: Any) -> None:
    try:
        is_taken = not parsed_layer(json.dumps(said).encode(), Path("/f"), {}).lost_rules
    except SettingsError:
        is_taken = False
    assert not is_taken
    assert not VALIDATOR.is_valid(said)


def test_a_file_with_every_key_is_valid() -> None:
    assert list(VALIDATOR.iter_errors(read_jsonc(EVERY_KEY).value)) == []


def test_a_reference_to_the_environment_is_valid_in_every_text() -> None:
    openai = {"baseUrl": "{env:URL}/v1", "apiKey": "{env:KEY}", "dialect": "{env:WHICH}"}
    said = {"provider": {"openai": openai}, "effort": "{env:EFFORT}"}
    assert list(VALIDATOR.iter_errors(said)) == []


@pytest.mark.parametrize("wrong", [{"modle": "x"}, {"provider": {"anthropic": {"apikey": "x"}}}])
def test_an_unknown_key_is_not_valid(wrong: object) -> None:
    assert not VALIDATOR.is_valid(wrong)


@given(st.sampled_from(sorted(EXAMPLES)), values)
def test_what_hearth_takes_is_valid_and_what_it_refuses_is_not(name: str, value: Any) -> None:
    said: Any = nested({name: value})
    try:
        parsed_layer(json.dumps(said).encode(), Path("/f"), {"X": "https://x.example"})
    except SettingsError:
        assert not VALIDATOR.is_valid(said) or "{env:" in str(value)
    else:
        assert VALIDATOR.is_valid(said)
