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
    groups = [schema, *schema["$defs"].values()]
    providers = [one for one in GROUPS if one.startswith("provider.")]
    # One provider stands for all of them, and one object for the whole.
    assert len(groups) == len(GROUPS) - len(providers) + 2
    assert all(group["additionalProperties"] is False for group in groups)


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
