"""The SDK's own client, in either era, before a door on a real socket.

async with served(tmp_path) as daemon, connected(daemon, LEGACY) as client:
    said = await call(client, "run_code", code="1+1")
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, TextContent
from tests.servers.http.serving import PATIENCE, Served

LEGACY: Final = "legacy"
MODERN: Final = "2026-07-28"
ERAS: Final = (LEGACY, MODERN)


@asynccontextmanager
async def connected(
    daemon: Served,
    era: str = LEGACY,
    *,
    token: str | None = None,
    name: str = "tester",
    headers: dict[str, str] | None = None,
    **more: Any,
) -> AsyncIterator[Client]:
    """A client that has shaken hands, as far as its era does."""
    own = {**daemon.bearer(token), **(headers or {})}
    async with httpx2.AsyncClient(headers=own, trust_env=False, timeout=PATIENCE) as http:
        over = streamable_http_client(f"{daemon.address}/mcp", http_client=http)
        info = Implementation(name=name, version="1")
        async with Client(over, mode=era, client_info=info, **more) as client:
            yield client


@dataclass(frozen=True)
class Heard:
    """An answer of a tool."""

    text: str
    fields: dict[str, Any]
    is_error: bool
    whole: CallToolResult

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    @property
    def shown(self) -> dict[str, Any]:
        """What the text says."""
        found: dict[str, Any] = json.loads(self.text)
        return found


async def call(client: Client, tool: str, **arguments: Any) -> Heard:
    """Call a tool; its answer has structure and text."""
    answer = await client.call_tool(tool, arguments)
    assert isinstance(answer, CallToolResult)
    text = answer.content[0]
    assert isinstance(text, TextContent)
    assert isinstance(answer.structured_content, dict)
    return Heard(text.text, answer.structured_content, bool(answer.is_error), answer)
