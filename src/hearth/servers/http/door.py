"""The HTTP door as a whole: opened on sockets, closed within bounds."""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.server import ServerState

from hearth.servers.dashboard.mounting import Mounting as DashboardMounting
from hearth.servers.http.agents.approving import Approving
from hearth.servers.http.agents.overseeing import Overseeing
from hearth.servers.http.agents.rewinding import Rewinding
from hearth.servers.http.agents.waiting import Waiting
from hearth.servers.http.around import Around
from hearth.servers.http.branching import Branching
from hearth.servers.http.commanding import Commanding
from hearth.servers.http.conversation import Conversation
from hearth.servers.http.conversing import Conversing
from hearth.servers.http.creating import Creating
from hearth.servers.http.editors import routes as editors
from hearth.servers.http.governing import Governing
from hearth.servers.http.guard import Guard
from hearth.servers.http.looking import Looking
from hearth.servers.http.routing import Endpoint, Key, Routing, app_of, apps_of
from hearth.servers.http.showing import Showing
from hearth.servers.http.streams import routes as streams
from hearth.servers.http.streams.channels import Channels
from hearth.servers.http.table import TABLE
from hearth.servers.mcp.mounting import Mounting

KEEP_ALIVE: Final = 75
"""Seconds for which an idle connection is kept."""

_said = logging.getLogger(__name__)


class HttpDoor:
    """Answers HTTP/1.1 on sockets, in the loop it is opened in."""

    def __init__(self, around: Around, *, drain: float = 2.0) -> None:
        self._drain = drain
        self._creating = Creating(around.hearth)
        self._channels = Channels(around.hearth)
        self._waiting = Waiting(around.hearth)
        endpoints: Mapping[Key, Endpoint] = {
            **Looking(around).endpoints(),
            **Commanding(around.hearth).endpoints(),
            **Conversing(around).endpoints(),
            **Branching(around.hearth).endpoints(),
            **self._creating.endpoints(),
            **Governing(around, self._channels.end_all).endpoints(),
            **Showing().endpoints(),
            **Approving(around.hearth).endpoints(),
            **Rewinding(around.hearth).endpoints(),
            **Overseeing(around.agents).endpoints(),
        }
        self._mcp = Mounting(around, self._channels)
        self._dashboard = DashboardMounting(around, self._channels)
        apps = {key: app_of(one) for key, one in endpoints.items()}
        apps |= self._mcp.apps() | self._dashboard.apps()
        more = [
            *streams.routes(around, self._channels),
            *editors.routes(around, self._channels, self._waiting),
        ]
        self.routing = Routing(TABLE, apps | apps_of(more))
        self.guard = Guard(self.routing, around.tokens)
        self.asgi: ASGIApp = self.guard
        self._state = ServerState()
        self._servers: list[asyncio.Server] = []
        self._sockets: list[socket.socket] = []
        self._empty = asyncio.Event()

    async def open(self, sockets: Sequence[socket.socket]) -> None:
        """Answer on these, which listen already; they are closed with the door."""
        # Without uvicorn's own server, which wakes up ten times a second for ever and takes
        # signals for itself.
        config = Config(
            self.asgi,
            http="httptools",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE,
        )
        config.load()
        loop = asyncio.get_running_loop()
        for one in sockets:
            self._sockets.append(one)
            if one.family == socket.AF_UNIX:
                server = await loop.create_unix_server(self._protocol(config, "unix"), sock=one)
            else:
                server = await loop.create_server(self._protocol(config, "tcp"), sock=one)
            self._servers.append(server)

    async def close(self) -> None:
        """Take nobody new, end streams, let answers be finished for a moment, then hang up."""
        for server in self._servers:
            server.close()
        for one in self._sockets:
            one.close()
        # First: a stream has no end of its own, and would use up the time of all others.
        await self._channels.close()
        await self._waiting.close()
        await self._dashboard.close()
        await self._mcp.close()
        await self._creating.close()
        for connection in tuple(self._state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self._drain):
                while self._state.connections:
                    self._empty.clear()
                    await self._empty.wait()
                if self._state.tasks:
                    await asyncio.wait(tuple(self._state.tasks))
        except TimeoutError:
            _said.info("%d connections are ended as they are", len(self._state.connections))
        await self._hang_up()

    async def _hang_up(self) -> None:
        for connection in tuple(self._state.connections):
            if isinstance(connection, Conversation):
                connection.abort()
        tasks = tuple(self._state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _protocol(self, config: Config, over: Literal["tcp", "unix"]) -> Callable[[], Conversation]:
        def conversation() -> Conversation:
            return Conversation(config, self._state, {}, over, self._empty.set)

        return conversation
