"""Everything of this package on one server.

    wire = Wire(principal=who, may_hear=..., watched=...)
    server = DualEraServer("hearth", version=..., cache_hints=CACHE_HINTS, on_list_tools=..., ...)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    wire.put_on(server)                # last: it looks at what is there
    manager = StreamableHTTPSessionManager(server, ...)
    ...
    await wire.close()

with, in `call_tool(asked, params)`:

    caller = wire.caller(asked)
    return await wire.tasks.run(caller, lambda: tool(caller, params), after=...)
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import (
    NotificationParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)
from mcp_types.methods import INPUT_REQUIRED_METHODS

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.connections import Asked, is_modern
from hearth.servers.mcp.protocol.eliciting import AskedBack
from hearth.servers.mcp.protocol.subscribing import Subscriptions
from hearth.servers.mcp.protocol.tasks import Tasks
from hearth.servers.mcp.protocol.tasks_wire import TaskMethods

STATE_KEPT: Final = 900.0
"""Seconds within which a client that was asked back may call again."""

CACHE_HINTS: Final[Mapping[CacheableMethod, CacheHint]] = {
    "server/discover": CacheHint(300_000, "private"),
    "tools/list": CacheHint(300_000, "private"),
    "prompts/list": CacheHint(300_000, "private"),
    "resources/templates/list": CacheHint(300_000, "private"),
    "resources/list": CacheHint(5_000, "private"),
    "resources/read": CacheHint(0, "private"),
}
"""For how long a client may take an answer for fresh. Never for others: tokens differ in rights."""

Answers = Callable[[Asked, Any], Awaitable[HandlerResult]]


class DualEraServer(Server[Any]):
    """The server of the SDK; at the handshake it says which lists it tells of when they change."""

    announced: NotificationOptions = NotificationOptions(resources_changed=True)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK does it, with what is announced."""
        announced = notification_options or self.announced
        return super().create_initialization_options(
            announced, experimental_capabilities, extensions
        )


class Wire:
    """Tasks, questions, subscriptions and the seal of states, for one server."""

    def __init__(
        self,
        principal: Callable[[Asked], str],
        *,
        may_hear: Callable[[Asked, str], Awaitable[bool]] | None = None,
        watched: Callable[[str, bool], None] | None = None,
    ) -> None:
        """`principal` names who asks, in a way that nobody else can be named."""
        self._principal = principal
        self.subscriptions = Subscriptions(principal, may=may_hear, watched=watched)
        self.tasks = Tasks(self.subscriptions.task_changed)

    def caller(self, asked: Asked) -> Caller:
        """Whom this request is answered."""
        return Caller(asked, self._principal(asked))

    def put_on(self, server: Server[Any]) -> None:
        """Serve all of it. Done after the server has been given what it answers."""
        for method in INPUT_REQUIRED_METHODS:
            entry = server.get_request_handler(method)
            if entry is not None:
                server.add_request_handler(method, entry.params_type, asking_back(entry.handler))
        # A key of this process: a state that was sealed before a start is not taken any more.
        security = RequestStateSecurity(
            keys=[os.urandom(32)], ttl=STATE_KEPT, bind_principal=self._principal
        )
        server.middleware.append(RequestStateBoundary(security, default_audience=server.name))
        TaskMethods(self.tasks, self.caller).put_on(server)
        self._put_subscriptions_on(server)

    async def close(self) -> None:
        """End what is still going on."""
        self.subscriptions.close()
        await self.tasks.close()

    def _put_subscriptions_on(self, server: Server[Any]) -> None:
        server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self.subscriptions.listen
        )
        if server.get_request_handler("resources/read") is not None:
            server.add_request_handler(
                "resources/subscribe", SubscribeRequestParams, self.subscriptions.subscribe
            )
            server.add_request_handler(
                "resources/unsubscribe", UnsubscribeRequestParams, self.subscriptions.unsubscribe
            )
        before = server.get_notification_handler("notifications/initialized")

        async def initialized(asked: Asked, params: NotificationParams) -> None:
            if not is_modern(asked):
                self.subscriptions.connect(asked)
            if before is not None:
                await before.handler(asked, params)

        server.add_notification_handler(
            "notifications/initialized", NotificationParams, initialized
        )


def asking_back(answers: Answers) -> Answers:
    """What answers a request, and may have to ask the client first."""

    async def answered(asked: Asked, params: Any) -> HandlerResult:
        try:
            return await answers(asked, params)
        except AskedBack as back:
            return back.result

    return answered
