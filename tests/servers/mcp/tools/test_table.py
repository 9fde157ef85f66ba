"""The one table of tools."""

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types

from hearth.servers.mcp.tools.table import BY_NAME, TABLE, listed


def test_it_is_sorted_and_each_tool_is_there_once() -> None:
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
