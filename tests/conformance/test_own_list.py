"""hearth's own tools, as any client meets them: well-formed, and the same for everybody."""

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types
from mcp_types import Tool
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, connected


@pytest.fixture(params=ERAS)
async def tools(request: pytest.FixtureRequest, tmp_path: Path) -> list[Tool]:
    async with served(tmp_path) as daemon, connected(daemon, request.param) as client:
        first = (await client.list_tools()).tools
        again = (await client.list_tools(cache_mode="bypass")).tools
        assert first == again
        return first


async def test_names_are_as_the_protocol_wants_them_and_sorted(tools: list[Tool]) -> None:
    names = [tool.name for tool in tools]
    assert names
    assert names == sorted(set(names))
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name) for name in names)


async def test_every_schema_is_a_json_schema_that_needs_nothing_from_elsewhere(
    tools: list[Tool],
) -> None:
    for tool in tools:
        for schema in filter(None, (tool.input_schema, tool.output_schema)):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object", tool.name
            assert all(one.startswith("#") for one in _references(schema)), tool.name


async def test_every_tool_says_what_it_does_and_what_it_may_change(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.description, tool.name
        hints = tool.annotations
        assert hints is not None, tool.name
        assert hints.title or tool.title, tool.name
        said = (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint)
        assert None not in said, tool.name
        # What only reads destroys nothing; of everything else it is said whether it may.
        assert hints.read_only_hint or hints.destructive_hint is not None, tool.name
        assert not (hints.read_only_hint and hints.destructive_hint), tool.name


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [one for each in schema for one in _references(each)]
    if not isinstance(schema, dict):
        return []
    here = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return [*here, *(one for each in schema.values() for one in _references(each))]
