"""The one table of tools: constant and sorted, whatever any session does."""

from collections.abc import Mapping
from typing import Any, Final

from hearth.servers.mcp.tools import (
    agents,
    archives,
    events,
    forking,
    looking,
    overview,
    questions,
    running,
    schema,
    sessions,
    steering,
    trying,
    undoing,
)
from hearth.servers.mcp.tools.call import Tool

_ALL: Final = (
    *agents.TOOLS,
    *archives.TOOLS,
    *events.TOOLS,
    *forking.TOOLS,
    *looking.TOOLS,
    *overview.TOOLS,
    *questions.TOOLS,
    *running.TOOLS,
    *sessions.TOOLS,
    *steering.TOOLS,
    *trying.TOOLS,
    *undoing.TOOLS,
)
TABLE: Final[tuple[Tool, ...]] = tuple(sorted(_ALL, key=lambda one: one.name))
BY_NAME: Final[Mapping[str, Tool]] = {one.name: one for one in TABLE}


def listed(tool: Tool) -> dict[str, Any]:
    """A tool as clients see it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema.taken(tool.properties, tool.required),
        "outputSchema": schema.given(tool.gives),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.hints.read_only,
            "destructiveHint": tool.hints.destructive,
            "idempotentHint": tool.hints.idempotent,
            "openWorldHint": tool.hints.open_world,
        },
    }
