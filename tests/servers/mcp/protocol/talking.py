"""A server with one tool that a test writes, and the SDK's own client on the other side."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp import Client
from mcp.client.extension import advertise
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    ListResourcesResult,
    ListToolsResult,
    ReadResourceResult,
    Request,
    RequestParams,
    TextContent,
    Tool,
)
from pydantic import ConfigDict, TypeAdapter

from hearth.servers.mcp.protocol.caller import TASKS, Caller
from hearth.servers.mcp.protocol.connections import Asked
from hearth.servers.mcp.protocol.wiring import CACHE_HINTS, DualEraServer, Wire

MODERN: Final = "2026-07-28"
ERAS: Final = ("legacy", MODERN)
ANYTHING: Final[TypeAdapter[Any]] = TypeAdapter(dict[str, Any])

Does = Callable[[Caller, dict[str, Any]], Awaitable[Any]]


class AnyParams(RequestParams):
    """Whatever a test says."""

    model_config = ConfigDict(extra="allow")


def text(said: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=said)], is_error=is_error)


def said_in(result: CallToolResult) -> str:
    """The text that a tool answered with."""
    first = result.content[0]
    assert isinstance(first, TextContent)
    return first.text


def who(asked: Asked) -> str:
    """Clients are told apart by what they call themselves, which is enough for a test."""
    said = asked.session.client_params
    return said.client_info.name if said is not None else ""


async def nothing(_: Caller, __: dict[str, Any]) -> CallToolResult:
    return text("nothing")


class Served:
    """The server, and what it is wired with."""

    def __init__(self, does: Does = nothing, **wired: Any) -> None:
        self.wire = Wire(who, **wired)
        self.server = DualEraServer(
            "tested",
            version="1",
            cache_hints=CACHE_HINTS,
            on_list_tools=self._tools,
            on_list_resources=self._resources,
            on_read_resource=self._read,
        )

        async def call(asked: Asked, params: CallToolRequestParams) -> Any:
            return await does(self.wire.caller(asked), params.arguments or {})

        self.server.add_request_handler("tools/call", CallToolRequestParams, call)
        self.wire.put_on(self.server)

    async def _tools(self, _: Asked, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name="tool", input_schema={"type": "object"})])

    async def _resources(self, _: Asked, __: Any) -> ListResourcesResult:
        return ListResourcesResult(resources=[])

    async def _read(self, _: Asked, __: Any) -> ReadResourceResult:
        return ReadResourceResult(contents=[])

    @asynccontextmanager
    async def client(
        self, mode: str, name: str = "ann", *, tasks: bool = False, **more: Any
    ) -> AsyncIterator[Client]:
        """Somebody who talks to it."""
        info = Implementation(name=name, version="1")
        extensions = [advertise(TASKS)] if tasks else None
        async with Client(
            self.server, mode=mode, client_info=info, extensions=extensions, **more
        ) as client:
            yield client


async def raw(client: Client, method: str, **params: Any) -> dict[str, Any]:
    """One request and its result, as they are."""
    request: Request[Any, Any] = Request(method=method, params=AnyParams.model_validate(params))
    result: dict[str, Any] = await client.session.send_request(request, ANYTHING)
    return result


async def call(client: Client, **more: Any) -> dict[str, Any]:
    return await raw(client, "tools/call", name="tool", arguments={}, **more)
