"""The protocol itself, as the official SDK speaks it: both of its eras, on one address.

Importing this imports the SDK. `mounting` does so, in a thread, when somebody asks.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from sse_starlette import sse
from starlette.types import Message, Receive, Scope, Send

from hearth.daemon.versions import VERSION
from hearth.servers.http.around import Around
from hearth.servers.http.asked import CREDENTIAL
from hearth.servers.http.bodies import MOST_BYTES
from hearth.servers.mcp.asking import caller_of, principal_of
from hearth.servers.mcp.callers import BadDirectory, Caller
from hearth.servers.mcp.calling import Calling
from hearth.servers.mcp.instructions import INSTRUCTIONS
from hearth.servers.mcp.lone_answers import LoneAnswers
from hearth.servers.mcp.prompts import BY_NAME as PROMPTS
from hearth.servers.mcp.protocol import caller as protocol
from hearth.servers.mcp.protocol.connections import Asked
from hearth.servers.mcp.protocol.eliciting import AskedBack
from hearth.servers.mcp.protocol.erring import invalid, no_resource
from hearth.servers.mcp.protocol.wiring import CACHE_HINTS, DualEraServer, Wire
from hearth.servers.mcp.reading import TEMPLATES, NoSuchResource, Reading
from hearth.servers.mcp.tools.said import result, trouble
from hearth.servers.mcp.tools.table import BY_NAME, TABLE, listed
from hearth.servers.mcp.watching import Watching

MOST_CONNECTIONS: Final = 200
IDLE: Final = 30 * 60.0
"""Connections of the earlier era that are kept at once, and seconds for which an unused one is."""
TASK_AFTER: Final = 2.0
"""Seconds after which a call that still goes on becomes a task, for clients that know those."""


class Speaking:
    """Answers requests of the protocol."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._calling = Calling(around, lets=(AskedBack, MCPError))
        self._reading = Reading(around)
        self.wire = Wire(principal_of, may_hear=self._may_hear, watched=self._watched)
        subscriptions = self.wire.subscriptions
        self._watching = Watching(
            around.hearth, subscriptions.changed, lambda: subscriptions.listed("resources")
        )
        self._stopping: set[asyncio.Task[object]] = set()
        self.server = self._served()
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
        _let_sleep()
        async with self._sessions.run():
            try:
                yield
            finally:
                await self.wire.close()
                await self._watching.close()
                await self._calling.choosing.close()
                await asyncio.gather(*self._stopping, return_exceptions=True)

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
        if _listens(scope):
            receive = _until(receive, self._ending, is_read=scope["method"] == "POST")
        await self._sessions.handle_request(scope, receive, onward)
        await onward.finish()

    def _served(self) -> DualEraServer:
        tools = [types.Tool.model_validate(listed(one)) for one in TABLE]
        self._tools = types.ListToolsResult(tools=tools)
        server = DualEraServer(
            "hearth",
            version=VERSION,
            title="hearth",
            description="Live, durable Python sessions that people and agents share.",
            instructions=INSTRUCTIONS,
            cache_hints=CACHE_HINTS,
            get_tool_input_schema={one.name: one.input_schema for one in tools}.get,
            on_list_tools=self._list_tools,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        server.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        # Of the SDK's own there is one, which tells a tracer that nobody here has.
        server.middleware.clear()
        self.wire.put_on(server)
        connected = server.get_notification_handler(_INITIALIZED)

        async def initialized(asked: Asked, params: types.NotificationParams) -> None:
            self._connected(asked)
            if connected is not None:
                await connected.handler(asked, params)

        server.add_notification_handler(_INITIALIZED, types.NotificationParams, initialized)
        return server

    # -- tools --------------------------------------------------------------------------------

    async def _list_tools(self, *_: Any) -> types.ListToolsResult:
        return self._tools

    async def _call_tool(self, asked: Asked, params: types.CallToolRequestParams) -> Any:
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise invalid(f"there is no tool {params.name[:100]!r}")
        theirs = self.wire.caller(asked)
        try:
            caller = caller_of(theirs, self._around, is_long=tool.is_long)
        except BadDirectory as wrong:
            theirs.close()
            return result(trouble("malformed", str(wrong), path="Hearth-Directory"), None, None)
        arguments = params.arguments or {}
        if caller.is_patient:

            async def work() -> types.CallToolResult:
                return types.CallToolResult.model_validate(
                    await self._stoppable(theirs, caller, params.name, arguments)
                )

            return await self.wire.tasks.run(theirs, work, after=TASK_AFTER)
        try:
            return await self._calling.call(params.name, arguments, caller)
        finally:
            theirs.close()

    async def _stoppable(
        self, theirs: protocol.Caller, caller: Caller, name: str, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """What is stopped because its task is cancelled is stopped in the session, too."""
        try:
            return await self._calling.call(name, arguments, caller)
        except asyncio.CancelledError:
            if theirs.ended == "cancelled" and caller.doing.stop is not None:
                stopping = asyncio.ensure_future(caller.doing.stop())
                self._stopping.add(stopping)
                stopping.add_done_callback(self._stopping.discard)
            raise

    def _connected(self, asked: Asked) -> None:
        """An earlier client has shaken hands: it is counted from now on, with no session yet."""
        try:
            caller = caller_of(self.wire.caller(asked), self._around)
        except BadDirectory:
            return  # the first call says so
        if caller.connection is not None and caller.connection.active is None:
            caller.connection.be_at(None, caller.origin)

    # -- resources ----------------------------------------------------------------------------

    async def _list_resources(self, *_: Any) -> types.ListResourcesResult:
        found = await self._reading.listed()
        return types.ListResourcesResult(
            resources=[types.Resource.model_validate(one) for one in found]
        )

    async def _list_templates(self, *_: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[types.ResourceTemplate.model_validate(one) for one in TEMPLATES]
        )

    async def _read_resource(
        self, asked: Asked, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            kind, text = await self._reading.read(uri)
        except NoSuchResource:
            raise no_resource(uri, asked.protocol_version) from None
        content = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[content])

    async def _may_hear(self, _: Asked, uri: str) -> bool:
        return await self._reading.exists(uri)

    def _watched(self, uri: str, is_wanted: bool) -> None:  # noqa: FBT001 - as it is called
        self._watching.watched(uri, is_wanted)

    # -- prompts ------------------------------------------------------------------------------

    async def _list_prompts(self, *_: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[types.Prompt.model_validate(one.listed()) for one in PROMPTS.values()]
        )

    async def _get_prompt(
        self, _: Asked, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise invalid(f"there is no prompt {params.name[:100]!r}")
        try:
            text = prompt.filled(params.arguments or {})
        except ValueError as wrong:
            raise invalid(str(wrong)) from None
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])


_INITIALIZED: Final = "notifications/initialized"


def _let_sleep() -> None:
    """Keep the library of the SDK's streams from looking twice a second whether uvicorn ends.

    Streams here end with the door. What is set has no public name; without it only rest is lost.
    """
    with contextlib.suppress(AttributeError):
        sse._get_shutdown_state().watcher_started = True  # noqa: SLF001 - see above


def _listens(scope: Scope) -> bool:
    """Whether it goes on for as long as the client listens; all else has an end of its own."""
    if scope["method"] == "GET":
        return True
    method = next((value for name, value in scope["headers"] if name == b"mcp-method"), b"")
    return bool(method.strip() == b"subscriptions/listen")


def _until(receive: Receive, ending: asyncio.Event, *, is_read: bool) -> Receive:
    """`receive`, for which the client is also gone when streams are to end.

    `is_read`: the guard has read the body, which is there at once.
    """

    async def received() -> Message:
        nonlocal is_read
        if is_read:
            is_read = False
            return await receive()
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
