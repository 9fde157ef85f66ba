"""Tools of MCP servers as agents have them: each under the permission `mcp`, by its full name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hearth.core.rules.patterns import escape
from hearth.core.vocabulary.permitting import MCP, Need, Verdict
from hearth.performers.mcp_client.definitions import SEPARATOR, ToolDefinition
from hearth.performers.tools.tool import Outcome, Scene, Wanted


class Caller(Protocol):
    """Carries calls of one server out."""

    @property
    def is_local(self) -> bool:
        """Whether the server runs here, and could change files."""

    def change_of(self, definition: ToolDefinition) -> ToolDefinition | None:
        """What a tool is by now, if that is not what was accepted."""

    async def call(
        self, tool: str, arguments: Mapping[str, Any], scene: Scene, *, asked: bool = False
    ) -> Outcome:
        """Have a tool do something, by the server's own name for it.

        `asked`: a person was told of what changed, and allowed it.
        """


@dataclass(frozen=True)
class McpTool:
    """One tool of one server."""

    definition: ToolDefinition
    server: str
    caller: Caller

    @property
    def name(self) -> str:
        """`server__tool`."""
        return self.definition.full_name

    @property
    def plain_name(self) -> str:
        """The same with the name that the server has for it, however odd."""
        return f"{self.server}{SEPARATOR}{self.definition.name}"

    @property
    def description(self) -> str:
        """What the server says of it, and whose it is."""
        return self.definition.description or f"A tool of the MCP server {self.server}."

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """What the server takes."""
        return self.definition.input_schema

    @property
    def read_only(self) -> bool:
        """What a server says of itself is no proof."""
        return False

    def is_offered(self, _scene: Scene) -> bool:
        """Whoever has it here has it."""
        return True

    def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
        """The permission `mcp`; a person, where the tool is not what it was."""
        why = f"{self.definition.name} of the MCP server {self.server}"
        change = self.caller.change_of(self.definition)
        if change is None:
            hint = ", which says of itself that it only reads" if self.definition.read_only else ""
            need = Need(MCP, self.name, why=f"{why}{hint}", pattern=escape(self.name))
        else:
            told = (
                f"{why}, whose {difference(self.definition, change)} changed since it was allowed"
            )
            need = Need(MCP, self.name, least=Verdict.ASK, why=told)
        return Wanted((need,), may_change=self.caller.is_local)

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Have the server do it."""
        asked = any(one.permission == MCP and one.least is Verdict.ASK for one in scene.needs)
        return await self.caller.call(self.definition.name, arguments, scene, asked=asked)


def difference(before: ToolDefinition, now: ToolDefinition) -> str:
    """What of a tool is not what it was, in words."""
    parts = []
    if before.description != now.description:
        parts.append("description")
    if before.input_schema != now.input_schema:
        parts.append("arguments")
    return " and ".join(parts) or "definition"


def changed_text(server: str, tool: str) -> str:
    """For an agent whose call was judged by what a tool was before."""
    return (
        f"Nothing was run: the server {server} has changed what it says of {tool}. "
        "Call it again if it is still what you want; a person will be asked."
    )
