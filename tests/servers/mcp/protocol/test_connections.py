from typing import Any

from tests.servers.mcp.protocol.talking import MODERN, Served, call, text

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.connections import connection_of, is_modern


async def counting(caller: Caller, _: dict[str, Any]) -> Any:
    connection = connection_of(caller.asked)
    if connection is None:
        return text("none")
    connection.state["calls"] = connection.state.get("calls", 0) + 1
    return text(str(connection.state["calls"]))


async def test_an_earlier_connection_remembers_and_no_other_sees_it() -> None:
    served = Served(counting)
    async with served.client("legacy") as one, served.client("legacy") as other:
        assert (await call(one))["content"][0]["text"] == "1"
        assert (await call(one))["content"][0]["text"] == "2"
        assert (await call(other))["content"][0]["text"] == "1"


async def test_a_request_that_stands_for_itself_has_no_connection() -> None:
    served = Served(counting)
    async with served.client(MODERN) as client:
        assert (await call(client))["content"][0]["text"] == "none"


async def test_eras_are_told_apart() -> None:
    async def era(caller: Caller, _: dict[str, Any]) -> Any:
        return text(str(is_modern(caller.asked)))

    served = Served(era)
    async with served.client(MODERN) as modern, served.client("legacy") as earlier:
        assert (await call(modern))["content"][0]["text"] == "True"
        assert (await call(earlier))["content"][0]["text"] == "False"
