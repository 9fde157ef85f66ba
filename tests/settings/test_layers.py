import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.keys import KEYS
from hearth.settings.layers import (
    ENVIRONMENT,
    Entry,
    Layer,
    environment_layer,
    file_layer,
    global_file,
    parsed_layer,
)
from hearth.settings.problems import SettingsError

PATH = Path("/somewhere/hearth.jsonc")

EVERY_KEY = """// all there is
{
  "$schema": "./hearth.schema.json", /* for the editor */
  "model": "some-model",
  "provider": {
    "anthropic": {
      "apiKey": "k", "baseUrl": "https://a.example", "keyCommand": "c", "keyFile": "f",
      "dialect": "anthropic", "window": 9, "maxOutput": 5,
    },
    "openai": {
      "apiKey": "k", "baseUrl": "https://o.example", "keyCommand": "c", "keyFile": "f",
      "dialect": "responses", "window": 9, "maxOutput": 5,
    },
    OTHERS
  },
  "effort": "high",
  "maxTurns": 5, "maxRetries": 5, "systemPrompt": "be kind", "instructions": ["a", "b",],
  "session": {
    "projects": ["."], "autoLoad": true, "initScript": "a.py", "defaultArgs": [],
    "isRoot": true, "sessionName": "n", "autoResume": false,
  },
  "knowledge": {"enabled": true, "nudgeInterval": 5, "injectionBudget": 5},
  "compaction": {"enabled": true, "reserveTokens": 5, "keepRecentTokens": 5},
  "daemon": {"port": 4000, "idleTimeout": 60, "database": "sqlite:///x", "watch": true},
  "interpreter": {
    "memory": "2 GiB", "processes": 5, "output": "1 MiB", "displays": 5, "orphanAfter": 5,
    "spares": 0, "idleTemplate": 5, "warmUp": 5, "killAfter": 5, "answer": 0.5,
    "copies": 3, "copyBytes": "1 GiB",
  },
  "sessions": {"most": 5},
  "permissions": {"mode": "ask", "autoAllow": ["/srv"]},
  "sandbox": {
    "commands": true, "interpreter": true, "network": false, "writable": ["/a"], "readable": ["/b"],
  },
  "environment": {"keep": ["AWS_*"]},
  "mcp": {"enabled": ["a"]},
  "mcpPool": {"idleTimeout": 5, "cleanupInterval": 5, "maxIdleServers": "unlimited"},
}
""".replace(
    "OTHERS",
    "".join(
        f'"{name}": {{"apiKey": "k", "baseUrl": "https://x.example", "keyCommand": "c",'
        ' "keyFile": "f", "dialect": "chat", "window": 9, "maxOutput": 5},'
        for name in ("deepseek", "openrouter", "ollama", "llamacpp", "vllm", "custom")
    ),
)


def layer(text: str, environ: dict[str, str] | None = None) -> Layer:
    return parsed_layer(text.encode(), PATH, environ)


def values(found: Layer) -> dict[str, object]:
    return {name: entry.value for name, entry in found.entries.items()}


@pytest.mark.promise("DL-CONF-01", "DL-CONF-04")
def test_a_file_with_comments_and_every_key_is_read() -> None:
    found = layer(EVERY_KEY)
    assert found.problems == ()
    assert set(found.entries) == set(KEYS) - {"$schema"}
    assert found.entries["model"] == Entry("some-model", str(PATH), 4)
    assert found.entries["instructions"].value == ("a", "b")
    assert found.entries["provider.openai.baseUrl"].where == f"{PATH}:11"


def test_a_command_in_the_place_of_a_key_is_refused_with_the_key_it_belongs_to() -> None:
    said = '{"provider": {\n"openai": {"apiKey": "command: pass show x"}}}'
    with pytest.raises(SettingsError) as refused:
        layer(said)
    assert (refused.value.key, refused.value.line) == ("provider.openai.apiKey", 2)
    assert "keyCommand" in refused.value.right
    assert "pass show x" not in str(refused.value)
    of_variable = environment_layer({"OPENAI_API_KEY": "file:/run/key"})
    assert of_variable.entries == {}
    assert "keyFile" in of_variable.problems[0].right


@pytest.mark.parametrize("most", [4096, 8192])
def test_an_answer_as_long_as_the_window_is_refused_with_its_line(most: int) -> None:
    said = '{"provider": {"ollama": {\n"maxOutput": %d,\n"window": 4096}}}'
    with pytest.raises(SettingsError) as refused:
        layer(said % most)
    assert (refused.value.key, refused.value.line) == ("provider.ollama.maxOutput", 2)
    assert str(refused.value).startswith(f"{PATH}:2: provider.ollama.maxOutput: is not less than")
    assert "below window" in refused.value.right
    assert values(layer(said % 4095))["provider.ollama.maxOutput"] == 4095
    # Another provider's window, or none in this file, says nothing about it.
    apart = '{"provider": {"ollama": {"maxOutput": 8192}, "vllm": {"window": 4096}}}'
    assert len(layer(apart).entries) == 2


@pytest.mark.promise("DL-CONF-01")
def test_the_persons_file_lies_in_the_folder_for_configuration() -> None:
    assert global_file({"HOME": "/h"}) == Path("/h/.config/hearth/hearth.jsonc")
    given = global_file({"HOME": "/h", "XDG_CONFIG_HOME": "/x"})
    assert given == Path("/x/hearth/hearth.jsonc")
    for ignored in ("", "relative/path"):
        found = global_file({"HOME": "/h", "XDG_CONFIG_HOME": ignored})
        assert found == Path("/h/.config/hearth/hearth.jsonc")
    assert global_file({}) == Path.home() / ".config" / "hearth" / "hearth.jsonc"


@pytest.mark.promise("DL-CONF-12")
def test_a_missing_file_is_no_layer_and_no_error(tmp_path: Path) -> None:
    assert file_layer(tmp_path / "hearth.jsonc", {}) is None


def test_a_file_that_has_not_changed_is_not_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    file.write_text('{"model": "{env:A}"}')
    first = file_layer(file, {"A": "1"})
    assert file_layer(file, {"A": "1"}, first) is first
    assert file_layer(file, {"A": "1"}) == first
    file.write_text('{"model": "two"}')
    changed = file_layer(file, {}, first)
    assert changed is not None
    assert values(changed) == {"model": "two"}
    file.unlink()
    assert file_layer(file, {}, changed) is None


def test_one_wrong_key_makes_the_whole_file_unusable() -> None:
    with pytest.raises(SettingsError) as refused:
        layer('{"model": "good",\n"maxTurns": 0}')
    assert (refused.value.key, refused.value.line) == ("maxTurns", 2)


@pytest.mark.promise("DL-CONF-10")
def test_references_are_replaced_before_anything_is_checked() -> None:
    found = layer(
        '{"model": "{env:A}-{env:B}", "instructions": ["{env:A}"],'
        ' "provider": {"openai": {"baseUrl": "{env:URL}/v1"}}}',
        {"A": "1", "B": "2", "URL": "https://x.example"},
    )
    assert values(found) == {
        "model": "1-2",
        "instructions": ("1",),
        "provider.openai.baseUrl": "https://x.example/v1",
    }
    assert found.problems == ()


def test_what_holds_something_of_the_environment_is_known_as_such() -> None:
    found = layer('{"model": "{env:A}", "systemPrompt": "a"}', {"A": "1"})
    assert found.entries["model"].is_filled
    assert not found.entries["systemPrompt"].is_filled


@pytest.mark.promise("DL-CONF-10")
def test_keys_are_never_replaced() -> None:
    with pytest.raises(SettingsError) as refused:
        layer('{"{env:A}": "x"}', {"A": "model"})
    assert refused.value.key == "{env:A}"


@pytest.mark.promise("DL-CONF-11")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('"provider": {"anthropic": {"apiKey": "{env:MISSING}"}}', "provider.anthropic.apiKey"),
        ('"provider": {"openai": {"baseUrl": "{env:MISSING}"}}', "provider.openai.baseUrl"),
        ('"provider": {"openai": {"baseUrl": "https://{env:MISSING}"}}', "provider.openai.baseUrl"),
        ('"instructions": ["{env:MISSING}"]', "instructions"),
    ],
)
def test_what_is_empty_for_want_of_a_variable_is_left_out_alone_and_told(
    text: str, key: str
) -> None:
    found = layer(f'{{"model": "m",\n{text}}}', {"MISSING": ""})
    assert values(found) == {"model": "m"}
    first = found.problems[0]
    assert (first.key, first.line, first.source) == (key, 2, str(PATH))
    assert "MISSING is not set" in first.what


@pytest.mark.promise("DL-CONF-11")
def test_what_is_left_of_a_text_counts_and_what_is_missing_is_told() -> None:
    found = layer('{"model": "a{env:X}b{env:Y}", "instructions": ["{env:Z}", "z"]}', {"X": "1"})
    assert values(found) == {"model": "a1b", "instructions": ("z",)}
    assert [problem.key for problem in found.problems] == ["model", "instructions"]


def test_what_decides_how_sessions_begin_is_taken_as_it_is_written() -> None:
    found = layer(
        '{"session": {"initScript": "{env:A}.py",\n"defaultArgs": ["{env:NONE}"]}}', {"A": "evil"}
    )
    assert values(found) == {
        "session.initScript": "{env:A}.py",
        "session.defaultArgs": ("{env:NONE}",),
    }
    assert [(one.key, one.line) for one in found.problems] == [
        ("session.initScript", 1),
        ("session.defaultArgs", 2),
    ]


def test_without_an_environment_references_stay_as_they_are() -> None:
    assert values(layer('{"model": "{env:HOME}"}', None)) == {"model": "{env:HOME}"}


def test_keys_that_people_named_are_kept_as_written_with_the_lines_inside() -> None:
    found = layer(
        '{"permissions": {"execute": {\n"{env:A} *": "deny",\n"b": "ask"},\n"read": "allow"},\n'
        '"tools": {"x": false}, "languageServers": {"y": {"command": ["{env:A}"]}}}',
        {"A": "1"},
    )
    assert found.problems == ()
    execute = found.entries["permissions.execute"]
    assert execute.value == {"{env:A} *": "deny", "b": "ask"}
    assert (execute.line, execute.lines) == (1, {"{env:A} *": 2, "b": 3})
    assert found.entries["permissions.read"] == Entry("allow", str(PATH), 4)
    assert found.entries["tools.x"].value is False
    assert found.entries["languageServers.y"].value == {"command": ["{env:A}"]}


def test_a_rule_that_cannot_be_read_is_left_out_alone_and_remembered() -> None:
    found = layer('{"permissions": {"execute": {"a": "deny",\n"b": "no"}}, "model": "m"}')
    assert values(found) == {"permissions.execute": {"a": "deny"}, "model": "m"}
    assert found.lost_rules
    [problem] = found.problems
    assert (problem.key, problem.line) == ("permissions.execute.b", 2)
    assert not layer('{"permissions": {"execute": {"a": "deny"}}}').lost_rules


def test_a_file_that_says_the_same_in_another_order_is_another_layer() -> None:
    one, other = (
        '{"permissions": {"a": "ask", "b": "ask"}}',
        '{"permissions": {"b": "ask", "a": "ask"}}',
    )
    assert layer(one) == layer(one)
    assert layer(one) != layer(other)


@pytest.mark.parametrize("said", ['{"tools": {"x": 1}}', '{"languageServers": {"x": {"a": 1}}}'])
def test_a_wrong_value_of_a_named_key_is_refused_like_any_other(said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        layer(said)
    assert refused.value.right
    assert refused.value.line == 1


@pytest.mark.promise("DL-CONF-09")
def test_variables_are_settings_and_empty_ones_are_none() -> None:
    given = {
        "ANTHROPIC_API_KEY": "a",
        "OPENAI_API_KEY": "o",
        "DEEPSEEK_API_KEY": "d",
        "OPENROUTER_API_KEY": "r",
        "HEARTH_MODEL": "m",
        "HEARTH_DATABASE_URL": "postgresql://x",
        "HEARTH_PORT": "4000",
    }
    found = environment_layer(given)
    assert values(found) == {
        "provider.anthropic.apiKey": "a",
        "provider.openai.apiKey": "o",
        "provider.deepseek.apiKey": "d",
        "provider.openrouter.apiKey": "r",
        "model": "m",
        "daemon.database": "postgresql://x",
        "daemon.port": 4000,
    }
    assert found.entries["model"].where == "$HEARTH_MODEL"
    assert environment_layer(dict.fromkeys(ENVIRONMENT, "")) == Layer("environment", {}, ())


@pytest.mark.parametrize("port", ["web", "0", "-1", "99999", "9" * 5000, "4e3", " 80", "٣"])
def test_a_wrong_variable_is_left_out_alone_and_told(port: str) -> None:
    found = environment_layer({"HEARTH_PORT": port, "HEARTH_MODEL": "7"})
    assert values(found) == {"model": "7"}
    [problem] = found.problems
    assert (problem.source, problem.key) == ("$HEARTH_PORT", "daemon.port")
    assert "1 to 65535" in problem.right


@given(st.binary() | st.text().map(str.encode))
def test_nothing_but_a_settings_error_is_ever_raised(content: bytes) -> None:
    with contextlib.suppress(SettingsError):
        assert isinstance(parsed_layer(content, PATH, {}), Layer)
