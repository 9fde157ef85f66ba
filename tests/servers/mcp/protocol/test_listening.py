import asyncio
from typing import Any

from hearth.servers.mcp.protocol.listening import Listener


async def test_many_changes_of_one_resource_are_said_once() -> None:
    listener = Listener("ann")
    for n in range(1000):
        listener.say("resource", "x://one", {"n": n})
        listener.say("resource", "x://two")
    listener.end()
    said: list[Any] = []

    async def hear(one: Any) -> None:
        said.append(one)

    await asyncio.wait_for(listener.speak(hear, {}), 10)
    assert [str(one.params.uri) for one in said] == ["x://one", "x://two"]


async def test_each_thing_is_said_as_what_it_is_with_what_it_belongs_to() -> None:
    listener = Listener("ann")
    listener.say("list", "tools")
    listener.say("resource", "x://one")
    listener.say("task", "t1", {"taskId": "t1", "status": "working"})
    listener.end()
    said: list[dict[str, Any]] = []

    async def hear(one: Any) -> None:
        said.append(one.model_dump(mode="json", by_alias=True, exclude_none=True))

    await asyncio.wait_for(listener.speak(hear, {"of": 7}), 10)
    assert [one["method"] for one in said] == [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
        "notifications/tasks",
    ]
    assert all(one["params"]["_meta"] == {"of": 7} for one in said)
    assert said[2]["params"]["status"] == "working"
