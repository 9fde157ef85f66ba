"""The one table of tools."""

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types

from hearth.servers.mcp.tools.table import BY_NAME, TABLE, listed


@pytest.mark.promise("SF-MCP-01", "SF-MCP-13")
def test_it_is_sorted_and_each_tool_is_there_once() -> None:
    assert [one.name for one in TABLE] == [
        *("answer_input", "ask_agent", "cancel_eval", "check_code", "compare_sessions"),
        *("create_session", "explore_module", "explore_type", "export_session", "fork_session"),
        *("get_available_projects", "get_completions", "get_recent_events", "get_status"),
        *("get_ui_state", "hard_reset_session", "import_session", "inspect", "keep_variant"),
        *("list_sessions", "list_variables", "load_script", "redo_code", "replay_session"),
        *("reset_session", "run_code", "stop_session", "switch_session", "try_code"),
        "undo_code",
    ]
    names = [one.name for one in TABLE]
    assert names == sorted(set(names))
    assert set(BY_NAME) == set(names)


@pytest.mark.parametrize("tool", TABLE, ids=lambda one: one.name)
def test_what_is_described_is_what_is_taken(tool: object) -> None:
    one = BY_NAME[getattr(tool, "name")]  # noqa: B009 - it is an object to pytest
    fields = {each.encode_name: each for each in msgspec.structs.fields(one.takes)}
    assert set(one.properties) == set(fields)
    assert set(one.required) - {"session"} == {
        name for name, each in fields.items() if each.required
    }


def test_what_is_for_trying_says_when_to_use_it() -> None:
    for name in ("try_code", "keep_variant", "undo_code", "redo_code", "fork_session"):
        assert "Use it" in BY_NAME[name].description, name
    assert "use it" in BY_NAME["run_code"].properties["on_error"]["description"]


@pytest.mark.promise("SF-MCP-14", "SF-MCP-15")
@pytest.mark.parametrize("tool", TABLE, ids=lambda one: one.name)
def test_each_is_described_shortly_with_title_schemas_and_hints(tool: object) -> None:
    shown = listed(BY_NAME[getattr(tool, "name")])  # noqa: B009 - as above
    Draft202012Validator.check_schema(shown["inputSchema"])
    Draft202012Validator.check_schema(shown["outputSchema"])
    assert shown["title"]
    assert 20 < len(shown["description"]) < 400
    assert len(shown["annotations"]) == 5
    hints = shown["annotations"]
    assert not (hints["readOnlyHint"] and hints["destructiveHint"])
