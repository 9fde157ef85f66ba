from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import GetPromptRequestParams, GetPromptResult, PromptMessage, TextContent
from tests.servers.mcp.protocol.talking import MODERN, Served, raw

from hearth.servers.mcp.protocol.connections import Asked
from hearth.servers.mcp.protocol.eliciting import Question
from hearth.servers.mcp.protocol.wiring import CACHE_HINTS, DualEraServer, Wire


async def test_lists_and_what_is_read_say_how_long_they_are_fresh() -> None:
    async with Served().client(MODERN) as client:
        for method, params in (
            ("tools/list", {}),
            ("resources/list", {}),
            ("resources/read", {"uri": "x://one"}),
            ("server/discover", {}),
        ):
            result = await raw(client, method, **params)
            hints = {str(key): hint.ttl_ms for key, hint in CACHE_HINTS.items()}
            assert result["ttlMs"] == hints[method]
            assert result["cacheScope"] == "private"


async def test_both_eras_hear_what_the_server_can() -> None:
    async with Served().client("legacy") as client:
        can = client.server_capabilities
        assert can.resources is not None
        assert can.resources.subscribe
        assert can.resources.list_changed
        assert can.tools is not None
        assert not can.tools.list_changed
    async with Served().client("auto") as client:
        can = client.server_capabilities
        assert can.resources is not None
        assert can.resources.subscribe


async def test_prompts_can_ask_back_too() -> None:
    wire = Wire(lambda _: "ann")
    server = DualEraServer("tested")

    async def prompt(asked: Asked, _: GetPromptRequestParams) -> Any:
        answer = await wire.caller(asked).elicit("why", Question("Why?"))
        said = TextContent(text=answer.action)
        return GetPromptResult(messages=[PromptMessage(role="user", content=said)])

    server.add_request_handler("prompts/get", GetPromptRequestParams, prompt)
    wire.put_on(server)
    served = Served()
    served.server, served.wire = server, wire

    async def nobody(*_: Any) -> Any:
        raise AssertionError

    async with served.client(MODERN, elicitation_callback=nobody) as client:
        back = await raw(client, "prompts/get", name="p")
        assert back["resultType"] == "input_required"
        assert list(back["inputRequests"]) == ["why"]
        answers = {"why": {"action": "decline"}}
        state = back["requestState"]
        done = await raw(
            client, "prompts/get", name="p", inputResponses=answers, requestState=state
        )
        assert done["messages"][0]["content"]["text"] == "decline"


async def test_a_server_without_resources_has_none_to_subscribe_to() -> None:
    server = DualEraServer("bare")
    Wire(lambda _: "ann").put_on(server)
    served = Served()
    served.server = server
    async with served.client("legacy") as client:
        assert client.server_capabilities.resources is None
        with pytest.raises(MCPError, match="Method not found"):
            await raw(client, "resources/subscribe", uri="x://one")
