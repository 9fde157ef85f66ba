"""The protocol itself, as the official SDK speaks it: both of its eras, on one address.

Importing this imports the SDK. `mounting` does so, in a thread, when somebody asks.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.types import Message, Receive, Scope, Send

from hearth.daemon.versions import VERSION
from hearth.servers.http.around import Around
from hearth.servers.http.asked import CREDENTIAL
from hearth.servers.http.bodies import MOST_BYTES
from hearth.servers.mcp.asking import Asked, caller_of
from hearth.servers.mcp.callers import BadDirectory
from hearth.servers.mcp.calling import Calling, UnknownTool
from hearth.servers.mcp.instructions import INSTRUCTIONS
from hearth.servers.mcp.lone_answers import LoneAnswers
from hearth.servers.mcp.protocol.wiring import CACHE_HINTS, DualEraServer, Wire
from hearth.servers.mcp.tools.said import result, trouble
from hearth.servers.mcp.tools.table import BY_NAME, TABLE, listed

MOST_CONNECTIONS: Final = 200
IDLE: Final = 30 * 60.0
"""Connections of the earlier era that are kept at once, and seconds for which an unused one is."""


class Speaking:
    """Answers requests of the protocol."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._calling = Calling(around)
        tools = [types.Tool.model_validate(listed(one)) for one in TABLE]
        self._tools = types.ListToolsResult(tools=tools, ttl_ms=3_600_000, cache_scope="public")
        schemas = {one.name: one.input_schema for one in tools}
        self.server: Server[Any] = DualEraServer(
            "hearth",
            version=VERSION,
            title="hearth",
            description="Live, durable Python sessions that people and agents share.",
            instructions=INSTRUCTIONS,
            cache_hints=CACHE_HINTS,
            get_tool_input_schema=schemas.get,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        # Of the SDK's own there is one, which tells a tracer that nobody here has.
        self.server.middleware.clear()
        self.server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._connected
        )
        self.wire = Wire(_principal)
        self.wire.put_on(self.server)
        self._sessions = StreamableHTTPSessionManager(
            self.server,
            session_idle_timeout=IDLE,
            max_request_body_size=MOST_BYTES,
            max_sessions=MOST_CONNECTIONS,
        )
        self._ending = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Work for as long as this is entered; in one task."""
        async with self._sessions.run():
            try:
                yield
            finally:
                await self.wire.close()
                await self._calling.choosing.close()

    def end_streams(self) -> None:
        """End what goes on for as long as somebody listens; they may come again."""
        ending, self._ending = self._ending, asyncio.Event()
        ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, which the guard has let in."""
        credential = scope[CREDENTIAL]
        # A connection belongs to the credential that opened it: the SDK holds it to that.
        known = AccessToken(
            token="", client_id=f"{credential.standing}/{credential.name}", scopes=[]
        )
        scope["user"] = AuthenticatedUser(known)
        onward = LoneAnswers(send, holds_back=scope["method"] == "POST")
        await self._sessions.handle_request(scope, _until(receive, self._ending), onward)
        await onward.finish()

    # -- what is asked ------------------------------------------------------------------------

    async def _list_tools(
        self, _: Asked, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return self._tools

    async def _call_tool(self, asked: Asked, params: types.CallToolRequestParams) -> Any:
        if params.name not in BY_NAME:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name[:100]!r}")
        try:
            caller = caller_of(asked, self._around)
        except BadDirectory as wrong:
            return result(trouble("malformed", str(wrong), path="Hearth-Directory"), None, None)
        try:
            return await self._calling.call(params.name, params.arguments or {}, caller)
        except UnknownTool as unknown:
            raise MCPError(types.INVALID_PARAMS, str(unknown)) from None

    async def _connected(self, asked: Asked, _: types.NotificationParams) -> None:
        """An earlier client has shaken hands: it is counted from now on, with no session yet."""
        caller = caller_of(asked, self._around)
        if caller.connection is not None and caller.connection.active is None:
            caller.connection.be_at(None, caller.origin)


def _principal(asked: Asked) -> str:
    """Whose tasks, states and streams these are: those of the token that was shown."""
    request: Any = asked.request
    credential = request.scope[CREDENTIAL]
    return f"{credential.standing}/{credential.name}"


def _until(receive: Receive, ending: asyncio.Event) -> Receive:
    """`receive`, for which the client is also gone when streams are to end."""

    async def received() -> Message:
        getting: asyncio.Future[Message] = asyncio.ensure_future(receive())
        waiting = asyncio.ensure_future(ending.wait())
        try:
            both: set[asyncio.Future[Any]] = {getting, waiting}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            return getting.result() if getting.done() else {"type": "http.disconnect"}
        finally:
            getting.cancel()
            waiting.cancel()

    return received
