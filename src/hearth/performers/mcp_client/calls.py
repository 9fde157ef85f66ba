"""Calls of the tools of one server: looked at once more before they are sent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hearth.performers.mcp_client.catalogues import Catalogue, Catalogues
from hearth.performers.mcp_client.definitions import ToolDefinition, full_name
from hearth.performers.mcp_client.resolving import Bound
from hearth.performers.mcp_client.scopes import Check
from hearth.performers.mcp_client.tools import changed_text
from hearth.performers.tools.tool import Outcome, Scene


@dataclass(frozen=True)
class ServerCalls:
    """Calls of one server, for its tools."""

    bound: Bound
    catalogues: Catalogues
    carry_out: Callable[[Bound, str, Mapping[str, Any], Scene, Check], Awaitable[Outcome]]

    @property
    def is_local(self) -> bool:
        """Whether the server runs here."""
        return not self.bound.spec.is_http

    def change_of(self, definition: ToolDefinition) -> ToolDefinition | None:
        """What a tool is by now, if that is not what was accepted."""
        known = self.catalogues.of(self.bound.key)
        return known.change_of(definition.full_name) if known is not None else None

    async def call(
        self, tool: str, arguments: Mapping[str, Any], scene: Scene, *, asked: bool = False
    ) -> Outcome:
        """Have it done, if it still is what was judged once the server runs."""
        server, key = self.bound.spec.name, self.bound.key
        name = full_name(server, tool)

        def check() -> Outcome | None:
            known = self.catalogues.of(key) or Catalogue()
            if name in known.vanished:
                text = f"The MCP server {server} has no tool {tool[:100]} any more."
                return Outcome(text, is_error=True)
            if known.change_of(name) is not None:
                if not asked:
                    return Outcome(changed_text(server, tool), is_error=True)
                self.catalogues.accept(key, name)
            return None

        return await self.carry_out(self.bound, tool, arguments, scene, check)
