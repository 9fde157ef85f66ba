"""Prompts for ways of working."""

from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, connected

from hearth.servers.mcp.prompts import BY_NAME, LONGEST, PROMPTS
from hearth.servers.mcp.tools.table import BY_NAME as TOOLS


def test_each_fills_in_what_it_takes_and_names_only_tools_that_are_there() -> None:
    for one in PROMPTS:
        text = one.filled(dict.fromkeys(one.takes, "Dog"))
        assert "Dog" in text
        assert "<" not in text
        words = {word.strip(".,;:()") for word in text.split()}
        assert words & set(TOOLS)
        assert all(word in TOOLS for word in words if "_" in word)


def test_what_an_argument_says_is_not_filled_in() -> None:
    text = BY_NAME["refactor"].filled({"target": "List<goal>", "goal": "shorter"})
    assert "Refactor List<goal> so that: shorter." in text


def test_what_is_missing_too_long_or_unknown_is_said() -> None:
    one = BY_NAME["test_first"]
    for wrong in ({}, {"behaviour": " "}, {"behaviour": "x" * (LONGEST + 1)}, {"x": "y"}):
        with pytest.raises(ValueError, match="behaviour"):
            one.filled(wrong)
    with pytest.raises(ValueError, match="takes no x"):
        one.filled({"behaviour": "b", "x": "y"})


@pytest.mark.promise("SF-MCP-25")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_lists_and_gets_them(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        names = [one.name for one in (await client.list_prompts()).prompts]
        assert names == ["explore_type", "refactor", "test_first"]
        got = await client.get_prompt("explore_type", {"type": "Dog"})
        assert "Dog" in str(got.messages[0].content)
        with pytest.raises(MCPError, match="needs type"):
            await client.get_prompt("explore_type", {})
        with pytest.raises(MCPError, match="no prompt"):
            await client.get_prompt("nothing", {})
