"""Who wants to hear of changes, in both eras.

    subscriptions.changed("hearth://...")     a resource is no longer what it was
    subscriptions.listed("resources")         the list of resources (tools, prompts) is another

A client of 2026-07-28 holds a stream open (`subscriptions/listen`), one of the earlier era names
resources one by one (`resources/subscribe`) and hears of them beside its requests. Both hear that
something changed and look for themselves; so what is told is bounded by what was asked for, however
often it changes and however slowly the client reads: the same is said once. Tasks are told of on
such streams too, to the principal that made them.

`may` decides who may hear of what, and `watched` is called when the first client wants to hear of a
resource and when the last one has gone, so that nothing need be followed for nobody.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import (
    INTERNAL_ERROR,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from hearth.servers.mcp.protocol.caller import TASKS, Caller
from hearth.servers.mcp.protocol.connections import Asked, connection_of
from hearth.servers.mcp.protocol.erring import invalid, lacks, no_resource
from hearth.servers.mcp.protocol.listening import LISTS, Listener, Lists

MOST_STREAMS: Final = 256
MOST_STREAMS_OF_ONE: Final = 64
MOST_NAMED: Final = 200
"""Resources, or tasks, that one stream or one connection may name."""
LONGEST_URI: Final = 2048

_said = logging.getLogger(__name__)


class Subscriptions:
    """Everybody who hears."""

    def __init__(
        self,
        principal: Callable[[Asked], str],
        *,
        may: Callable[[Asked, str], Awaitable[bool]] | None = None,
        watched: Callable[[str, bool], None] | None = None,
    ) -> None:
        self._principal = principal
        self._may = may
        self._watched = watched
        self._streams: set[Listener] = set()
        self._connections: dict[int, Listener] = {}
        self._speaking: set[asyncio.Task[None]] = set()
        self._counted: Counter[str] = Counter()

    # -- for whoever knows of changes ---------------------------------------------------------

    def changed(self, uri: str) -> None:
        """This resource is no longer what it was."""
        for one in self._all():
            if uri in one.uris:
                one.say("resource", uri)

    def listed(self, what: Lists) -> None:
        """This list is another."""
        for one in self._all():
            if what in one.lists:
                one.say("list", what)

    def task_changed(self, task_id: str, principal: str, task: dict[str, Any]) -> None:
        """This task is as follows now."""
        for one in self._streams:
            if task_id in one.tasks and one.principal == principal:
                one.say("task", task_id, task)

    def wanted(self) -> frozenset[str]:
        """The resources that somebody wants to hear of."""
        return frozenset(self._counted)

    def close(self) -> None:
        """End all streams, after what is left to say."""
        for one in self._all():
            one.end()

    # -- 2026-07-28 ---------------------------------------------------------------------------

    async def listen(
        self, asked: Asked, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Hold a stream open, and say on it what was asked for. Ends when the client hangs up."""
        listener = Listener(self._principal(asked))
        of_one = sum(one.principal == listener.principal for one in self._streams)
        if len(self._streams) >= MOST_STREAMS or of_one >= MOST_STREAMS_OF_ONE:
            raise MCPError(INTERNAL_ERROR, "too many streams are open; close one of them")
        wants = params.notifications
        for what in LISTS:
            if getattr(wants, f"{what}_list_changed"):
                listener.lists.add(what)
        uris = await self._heard(asked, wants.resource_subscriptions or ())
        tasks = _tasks_of(wants)
        if tasks and not Caller(asked, listener.principal).has_tasks:
            raise lacks({"extensions": {TASKS: {}}}, f"taskIds need the extension {TASKS}")
        listener.tasks.update(tasks)
        meta = {SUBSCRIPTION_ID_META_KEY: asked.request_id}
        session, this = asked.session, asked.request_id

        async def send(what: Any) -> None:
            await session.send_notification(what, related_request_id=this)

        self._streams.add(listener)
        try:
            for uri in uris:
                self._want(listener, uri)
            await send(_acknowledged(listener, meta))
            await listener.speak(send, meta)
        finally:
            self._streams.discard(listener)
            self._leave(listener)
        return SubscriptionsListenResult(_meta=meta)

    # -- up to 2025-11-25 ---------------------------------------------------------------------

    async def subscribe(self, asked: Asked, params: SubscribeRequestParams) -> EmptyResult:
        """Hear of a resource from now on. MCPError."""
        uri = str(params.uri)
        listener = self.connect(asked)
        if not await self._heard(asked, [uri]):
            raise no_resource(uri, asked.protocol_version)
        if uri not in listener.uris and len(listener.uris) >= MOST_NAMED:
            raise invalid(f"more than {MOST_NAMED} resources are subscribed to already")
        self._want(listener, uri)
        return EmptyResult()

    async def unsubscribe(self, asked: Asked, params: UnsubscribeRequestParams) -> EmptyResult:
        """Hear of it no more."""
        self._unwant(self.connect(asked), str(params.uri))
        return EmptyResult()

    def connect(self, asked: Asked) -> Listener:
        """What a connection hears: lists at once, resources as it subscribes to them."""
        connection = connection_of(asked)
        if connection is None:
            raise invalid("a request that stands for itself subscribes with subscriptions/listen")
        known = self._connections.get(id(connection))
        if known is not None:
            return known
        listener = Listener(self._principal(asked))
        listener.lists.update(LISTS)
        self._connections[id(connection)] = listener
        speaking = asyncio.ensure_future(_spoken(listener, asked.session))
        self._speaking.add(speaking)
        speaking.add_done_callback(self._speaking.discard)

        def gone() -> None:
            del self._connections[id(connection)]
            self._leave(listener)
            speaking.cancel()

        connection.exit_stack.callback(gone)
        return listener

    # -- inside -------------------------------------------------------------------------------

    def _all(self) -> tuple[Listener, ...]:
        return (*self._streams, *self._connections.values())

    async def _heard(self, asked: Asked, uris: Iterable[str]) -> list[str]:
        """Those of these that this client may hear of."""
        named = list(dict.fromkeys(uris))
        if len(named) > MOST_NAMED:
            raise invalid(f"at most {MOST_NAMED} resources can be named at once")
        fit = [uri for uri in named if len(uri) <= LONGEST_URI]
        return [uri for uri in fit if self._may is None or await self._may(asked, uri)]

    def _want(self, listener: Listener, uri: str) -> None:
        if uri in listener.uris:
            return
        listener.uris.add(uri)
        self._counted[uri] += 1
        if self._counted[uri] == 1 and self._watched is not None:
            self._watched(uri, True)  # noqa: FBT003 - wanted, or no more

    def _unwant(self, listener: Listener, uri: str) -> None:
        if uri not in listener.uris:
            return
        listener.uris.discard(uri)
        listener.waiting.pop(("resource", uri), None)
        self._counted[uri] -= 1
        if self._counted[uri] == 0:
            del self._counted[uri]
            if self._watched is not None:
                self._watched(uri, False)  # noqa: FBT003 - wanted, or no more

    def _leave(self, listener: Listener) -> None:
        for uri in tuple(listener.uris):
            self._unwant(listener, uri)


async def _spoken(listener: Listener, session: ServerSession) -> None:
    """Beside the requests of a connection, as long as it lives."""
    try:
        await listener.speak(session.send_notification, {})
    except Exception:  # noqa: BLE001 - a connection that broke hears nothing more
        _said.debug("a client could not be told of a change", exc_info=True)


def _tasks_of(wants: SubscriptionFilter) -> list[str]:
    said = (wants.model_extra or {}).get("taskIds")
    if said is None:
        return []
    if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
        raise invalid("taskIds must be a list of task ids")
    if len(said) > MOST_NAMED or any(len(one) > LONGEST_URI for one in said):
        raise invalid(f"at most {MOST_NAMED} tasks can be named at once")
    return said


def _acknowledged(
    listener: Listener, meta: dict[str, Any]
) -> SubscriptionsAcknowledgedNotification:
    honoured: dict[str, Any] = {f"{what}ListChanged": True for what in sorted(listener.lists)}
    if listener.uris:
        honoured["resourceSubscriptions"] = sorted(listener.uris)
    if listener.tasks:
        honoured["taskIds"] = sorted(listener.tasks)
    return SubscriptionsAcknowledgedNotification(
        params=SubscriptionsAcknowledgedNotificationParams(
            notifications=SubscriptionFilter.model_validate(honoured), _meta=meta
        )
    )
