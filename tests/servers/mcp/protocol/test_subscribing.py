import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceListChangedNotification, ResourceUpdatedNotification
from tests.servers.mcp.protocol.talking import MODERN, Served, call, raw, text

from hearth.servers.mcp.protocol import subscribing
from hearth.servers.mcp.protocol.caller import Caller


class Heard:
    """What a client of the earlier era was told beside its requests."""

    def __init__(self) -> None:
        self.uris: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, message: Any) -> None:
        match message:
            case ResourceUpdatedNotification(params=params):
                self.uris.put_nowait(str(params.uri))
            case ResourceListChangedNotification():
                self.uris.put_nowait("list")
            case _:
                pass

    async def next(self) -> str:
        return await asyncio.wait_for(self.uris.get(), 10)


async def connected(served: Served, n: int = 1) -> None:
    """Until the server has heard that so many clients are there."""
    async with asyncio.timeout(10):
        while len(served.wire.subscriptions._connections) < n:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0)


async def test_an_earlier_client_hears_of_what_it_subscribed_to_and_of_nothing_else() -> None:
    watched: list[tuple[str, bool]] = []
    served = Served(watched=lambda uri, wanted: watched.append((uri, wanted)))
    subscriptions = served.wire.subscriptions
    heard = Heard()
    async with served.client("legacy", message_handler=heard) as client:
        await raw(client, "resources/subscribe", uri="x://one")
        await raw(client, "resources/subscribe", uri="x://one")
        subscriptions.changed("x://other")
        subscriptions.changed("x://one")
        assert await heard.next() == "x://one"
        subscriptions.listed("resources")
        assert await heard.next() == "list"
        assert subscriptions.wanted() == {"x://one"}
        await raw(client, "resources/unsubscribe", uri="x://one")
        subscriptions.changed("x://one")
        await raw(client, "resources/subscribe", uri="x://two")
        subscriptions.changed("x://two")
        assert await heard.next() == "x://two"
    assert watched == [("x://one", True), ("x://one", False), ("x://two", True), ("x://two", False)]
    assert not subscriptions.wanted()
    assert not subscriptions._connections


async def test_a_modern_client_hears_on_its_stream() -> None:
    served = Served()
    subscriptions = served.wire.subscriptions
    async with (
        served.client(MODERN) as client,
        client.listen(resource_subscriptions=["x://one"], resources_list_changed=True) as stream,
    ):
        assert subscriptions.wanted() == {"x://one"}
        assert not stream.honored.tools_list_changed
        subscriptions.changed("x://other")
        subscriptions.listed("tools")
        subscriptions.changed("x://one")
        subscriptions.listed("resources")
        events = aiter(stream)
        first = await asyncio.wait_for(anext(events), 10)
        second = await asyncio.wait_for(anext(events), 10)
        assert [type(one).__name__ for one in (first, second)] == [
            "ResourceUpdated",
            "ResourcesListChanged",
        ]
        subscriptions.close()
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(anext(events), 10)
    assert not subscriptions._streams
    assert not subscriptions.wanted()


async def test_only_what_a_client_may_hear_of_is_honoured() -> None:
    async def may(_: Any, uri: str) -> bool:
        return uri == "x://mine"

    served = Served(may_hear=may)
    async with served.client(MODERN) as client:
        both = ["x://mine", "x://theirs"]
        async with client.listen(resource_subscriptions=both) as stream:
            assert stream.honored.resource_subscriptions == ["x://mine"]
            assert served.wire.subscriptions.wanted() == {"x://mine"}
    async with served.client("legacy") as client:
        await raw(client, "resources/subscribe", uri="x://mine")
        with pytest.raises(MCPError, match="there is no resource"):
            await raw(client, "resources/subscribe", uri="x://theirs")


async def test_what_is_named_and_opened_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribing, "MOST_NAMED", 2)
    monkeypatch.setattr(subscribing, "MOST_STREAMS_OF_ONE", 1)
    served = Served()
    async with served.client("legacy") as client:
        await raw(client, "resources/subscribe", uri="x://1")
        await raw(client, "resources/subscribe", uri="x://2")
        await raw(client, "resources/subscribe", uri="x://2")
        with pytest.raises(MCPError, match="more than 2"):
            await raw(client, "resources/subscribe", uri="x://3")
    async with served.client(MODERN) as client:
        with pytest.raises(MCPError, match="at most 2"):
            await raw(
                client,
                "subscriptions/listen",
                notifications={"resourceSubscriptions": ["x://1", "x://2", "x://3"]},
            )
        async with client.listen(tools_list_changed=True):
            with pytest.raises(MCPError, match="too many streams"):
                await raw(client, "subscriptions/listen", notifications={"toolsListChanged": True})


async def _listening(client: Client, **wants: Any) -> asyncio.Task[Any]:
    return asyncio.create_task(raw(client, "subscriptions/listen", notifications=wants))


async def test_a_task_is_told_of_to_who_made_it() -> None:
    go = asyncio.Event()

    async def does(caller: Caller, _: dict[str, Any]) -> Any:
        async def work() -> Any:
            await go.wait()
            return text("done")

        return await served.wire.tasks.run(caller, work)

    served = Served(does)
    said: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def hear(ctx: Any, call_next: Any) -> Any:
        notify = ctx.session.send_notification

        async def told(one: Any, *more: Any, **named: Any) -> None:
            who = ctx.session.client_params.client_info.name
            said.put_nowait((who, one.model_dump(mode="json", by_alias=True, exclude_none=True)))
            await notify(one, *more, **named)

        ctx.session.send_notification = told
        return await call_next(ctx)

    served.server.middleware.append(hear)
    async with (
        served.client(MODERN, "ann", tasks=True) as ann,
        served.client(MODERN, "bob", tasks=True) as bob,
    ):
        task_id = (await call(ann))["taskId"]
        streams = [await _listening(one, taskIds=[task_id]) for one in (bob, ann)]
        for _ in streams:
            _, acknowledged = await asyncio.wait_for(said.get(), 10)
            assert acknowledged["params"]["notifications"] == {"taskIds": [task_id]}
        go.set()
        who, told = await asyncio.wait_for(said.get(), 10)
        assert who == "ann"
        assert told["method"] == "notifications/tasks"
        assert told["params"]["taskId"] == task_id
        assert told["params"]["status"] == "completed"
        assert told["params"]["result"]["content"][0]["text"] == "done"
        served.wire.subscriptions.close()
        await asyncio.wait_for(asyncio.gather(*streams), 10)
    assert said.empty()


async def test_tasks_are_told_of_to_those_alone_who_declared_them() -> None:
    async with Served().client(MODERN) as client:
        with pytest.raises(MCPError) as caught:
            await raw(client, "subscriptions/listen", notifications={"taskIds": ["x"]})
        assert caught.value.code == -32021
    async with Served().client(MODERN, tasks=True) as client:
        for bad in ("x", [7], ["x"] * 1000):
            with pytest.raises(MCPError):
                await raw(client, "subscriptions/listen", notifications={"taskIds": bad})


async def test_every_earlier_connection_hears_of_lists_without_asking() -> None:
    served = Served()
    heard = [Heard(), Heard()]
    async with (
        served.client("legacy", message_handler=heard[0]),
        served.client("legacy", message_handler=heard[1]),
    ):
        await connected(served, 2)
        served.wire.subscriptions.listed("resources")
        assert [await one.next() for one in heard] == ["list", "list"]
