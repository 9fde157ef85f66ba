"""The whole table of routes: the door's own, of agents, its streams, editors, MCP, pages."""

from typing import Final

from hearth.servers.dashboard import operations as dashboard
from hearth.servers.http.agents import operations as agents
from hearth.servers.http.editors import operations as editors
from hearth.servers.http.routes import OPERATIONS, Operation
from hearth.servers.http.streams import operations as streams
from hearth.servers.mcp import operations as mcp

TABLE: Final[tuple[Operation, ...]] = (
    *OPERATIONS,
    *agents.OPERATIONS,
    *streams.OPERATIONS,
    *editors.OPERATIONS,
    *mcp.OPERATIONS,
    *dashboard.OPERATIONS,
)
