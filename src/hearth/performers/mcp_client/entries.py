"""A server in the pool: one that begins, runs, or waits to be used again.

What it is now, whether it is well, and how long it waits. Who uses it is the pool's to know.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from hearth.performers.mcp_client.connecting import Connection, Unavailable
from hearth.performers.mcp_client.definitions import Listed
from hearth.settings.mcp import PoolSettings, ServerSpec

HEALTH: Final = 5.0
"""Seconds that a server which waited has to show that it still answers."""
OnTools: TypeAlias = Callable[[ServerSpec, tuple[Listed, ...]], Awaitable[None]]
"""Told whenever a server has listed its tools."""


@dataclass(frozen=True)
class Running:
    """How a server in the pool is now."""

    key: str
    state: str
    """`starting`, `ready` or `idle`."""
    since: str
    users: int = 0
    pid: int = 0
    tools: int = 0
    noise: int = 0


@dataclass(eq=False)
class Entry:
    """One server, and what is under way with it."""

    spec: ServerSpec
    key: str
    since: str
    on_tools: OnTools | None = None
    connection: Connection | None = None
    starting: "asyncio.Task[Connection] | None" = None
    checking: "asyncio.Task[bool] | None" = None
    watching: "asyncio.Task[None] | None" = None
    idle_since: float | None = None
    """When nobody used it any more; None while somebody does."""
    must_answer: bool = False
    """It has waited: whoever needs it wants to know first that it is well."""
    tools: int = 0

    async def list_tools(self, connection: Connection) -> None:
        """Have it say what it offers, and tell of it. Unavailable."""
        found = await connection.tools()
        self.tools = len(found)
        if self.on_tools is not None:
            await self.on_tools(self.spec, found)

    async def answers(self, connection: Connection) -> bool:
        """Whether a server that waited is well; asked once for all who need it."""
        # One that is done was asked before it waited again: perhaps nobody stayed to hear of it.
        if self.checking is None or self.checking.done():
            self.checking = asyncio.create_task(self._checked(connection))
        return await asyncio.shield(self.checking)

    async def _checked(self, connection: Connection) -> bool:
        try:
            async with asyncio.timeout(HEALTH):
                await self.list_tools(connection)
        except (TimeoutError, Unavailable):
            return False
        self.must_answer = False
        return not connection.ended.is_set()

    def waits(self, settings: PoolSettings) -> float:
        """For how many seconds it is kept while nobody uses it."""
        own = self.spec.idle_timeout
        return settings.idle_timeout if own is None else own

    def shown(self, users: int) -> Running:
        """How it is, with so many users."""
        connection = self.connection
        return Running(
            key=self.key,
            state="starting" if connection is None else "ready" if users else "idle",
            since=self.since,
            users=users,
            pid=connection.pid if connection is not None else 0,
            tools=self.tools,
            noise=connection.noise if connection is not None else 0,
        )
