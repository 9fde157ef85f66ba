from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.performers.mcp_client.faking import scene

from hearth.performers.mcp_client.calls import ServerCalls
from hearth.performers.mcp_client.catalogues import Catalogues
from hearth.performers.mcp_client.definitions import Listed, defined
from hearth.performers.mcp_client.resolving import Bound
from hearth.performers.mcp_client.scopes import Check
from hearth.performers.tools.tool import Outcome, Scene
from hearth.settings.mcp import ServerSpec

BOUND = Bound(ServerSpec("s", "run"), "run")
BEFORE = defined("s", [Listed("add", "Adds."), Listed("gone", "Goes.")])
AFTER = defined("s", [Listed("add", "Adds, and tells.")])


def calls(home: Path, *, changes: bool) -> tuple[ServerCalls, Catalogues]:
    """Those of a server that is not what it was, once it runs."""
    kept = Catalogues(home)
    kept.listed(BOUND.key, BEFORE)

    async def carry_out(
        _bound: Bound, tool: str, _arguments: Mapping[str, Any], _scene: Scene, check: Check
    ) -> Outcome:
        if changes:
            kept.listed(BOUND.key, AFTER)
        return check() or Outcome(f"{tool} was called")

    return ServerCalls(BOUND, kept, carry_out), kept


async def test_what_stayed_the_same_is_called(tmp_path: Path) -> None:
    made, _ = calls(tmp_path, changes=False)
    assert await made.call("add", {}, scene()) == Outcome("add was called")
    assert made.is_local
    assert made.change_of(BEFORE[0]) is None


async def test_what_changed_since_it_was_judged_is_not_called(tmp_path: Path) -> None:
    made, kept = calls(tmp_path, changes=True)
    refused = await made.call("add", {}, scene())
    assert refused.is_error
    assert "has changed what it says of add" in refused.text
    assert made.change_of(BEFORE[0]) is not None
    allowed = await made.call("add", {}, scene(), asked=True)
    assert allowed == Outcome("add was called")
    known = kept.of(BOUND.key)
    assert known is not None
    assert known.changed == (), "a person has allowed it"


async def test_what_is_gone_says_so(tmp_path: Path) -> None:
    made, _ = calls(tmp_path, changes=True)
    answer = await made.call("gone", {}, scene())
    assert answer == Outcome("The MCP server s has no tool gone any more.", is_error=True)
