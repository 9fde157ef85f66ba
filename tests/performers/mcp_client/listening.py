"""A real MCP server over HTTP in this process, with a door that may want to know who asks."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from mcp.server.mcpserver import MCPServer
from tests.performers.mcp_client.faking import until


class Door:
    """Lets in who brings the token, if one is wanted; gives a new one for the right refreshment."""

    def __init__(self, inside: Any, token: str) -> None:
        self._inside = inside
        self.token = token
        self.seen: list[dict[str, str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        if scope["path"] == "/token":
            await self._give(receive, send)
        elif scope["path"] != "/mcp":
            await answer(send, 404, b"{}")
        elif self.token and headers.get("authorization") != f"Bearer {self.token}":
            await answer(send, 401, b"{}")
        else:
            self.seen.append(headers)
            await self._inside(scope, receive, send)

    async def _give(self, receive: Any, send: Any) -> None:
        body = (await receive())["body"].decode()
        if parse_qs(body).get("refresh_token") != ["refresh-me"]:
            await answer(send, 400, b'{"error": "invalid_grant"}')
            return
        self.token = "fresh"  # noqa: S105 - nobody's
        given = b'{"access_token": "fresh", "token_type": "Bearer", "expires_in": 3600}'
        await answer(send, 200, given)


async def answer(send: Any, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def listening(token: str = "") -> AsyncIterator[tuple[str, Door]]:
    """The address of a server, and its door."""
    server = MCPServer("reached")

    @server.tool()
    def echo(text: str) -> str:
        return text

    @server.tool()
    def huge(size: int) -> str:
        return "x" * size

    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        door = Door(server.streamable_http_app(), token)
        config = uvicorn.Config(door, log_level="critical", lifespan="on")
        running = uvicorn.Server(config)
        running.install_signal_handlers = lambda: None  # type: ignore[attr-defined] # the test's own
        serving = asyncio.create_task(running.serve(sockets=[bound]))
        await until(lambda: running.started)
        try:
            yield f"http://127.0.0.1:{port}/mcp", door
        finally:
            running.should_exit = running.force_exit = True
            await serving
