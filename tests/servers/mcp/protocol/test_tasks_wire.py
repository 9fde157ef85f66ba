from typing import Any

import pytest
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import HEADER_MISMATCH, INVALID_PARAMS
from starlette.requests import Request
from tests.servers.mcp.protocol.talking import MODERN, Served, call, raw, text

from hearth.servers.mcp.protocol.caller import TASKS, Caller


async def quick(served: Served, caller: Caller) -> Any:
    async def work() -> Any:
        return text("done")

    return await served.wire.tasks.run(caller, work)


def served_with_header(value: str | None) -> Served:
    """A server that is told, as over HTTP, what the header Mcp-Name says."""

    async def does(caller: Caller, _: dict[str, Any]) -> Any:
        return await quick(served, caller)

    served = Served(does)

    async def as_over_http(ctx: ServerRequestContext[Any, Any], call_next: Any) -> Any:
        headers = [] if value is None else [(b"mcp-name", value.encode())]
        ctx.request = Request({"type": "http", "headers": headers})
        return await call_next(ctx)

    served.server.middleware.append(as_over_http)
    return served


@pytest.mark.parametrize("value", [None, "another", "=?base64?!?="])
async def test_the_header_must_name_the_task(value: str | None) -> None:
    served = served_with_header(value)
    async with served.client(MODERN, tasks=True) as client:
        made = await call(client)
        with pytest.raises(MCPError) as caught:
            await raw(client, "tasks/get", taskId=made["taskId"])
    assert caught.value.code == HEADER_MISMATCH


async def test_a_header_that_names_the_task_is_taken() -> None:
    served = served_with_header("nothing")
    async with served.client(MODERN, tasks=True) as client:
        with pytest.raises(MCPError) as caught:
            await raw(client, "tasks/get", taskId="nothing")
    assert caught.value.code == INVALID_PARAMS


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tasks/get", {}),
        ("tasks/get", {"taskId": 7}),
        ("tasks/get", {"taskId": "x" * 1000}),
        ("tasks/update", {"taskId": "x"}),
        ("tasks/update", {"taskId": "x", "inputResponses": []}),
        ("tasks/update", {"taskId": "x", "inputResponses": {str(n): {} for n in range(200)}}),
    ],
)
async def test_what_cannot_be_meant_is_refused(method: str, params: dict[str, Any]) -> None:
    async with Served().client(MODERN, tasks=True) as client:
        with pytest.raises(MCPError) as caught:
            await raw(client, method, **params)
    assert caught.value.code == INVALID_PARAMS


async def test_the_server_says_that_it_has_tasks() -> None:
    async with Served().client("auto") as client:
        assert client.server_capabilities.extensions == {TASKS: {}}
