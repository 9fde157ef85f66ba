"""Reaches servers over HTTP: with headers, or a login, and within bounds.

Imports the protocol's library: see `speaking`.
"""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import httpx2
from mcp.client.streamable_http import streamable_http_client

from hearth.performers.mcp_client.frames import LARGEST
from hearth.performers.mcp_client.logins import KeptTokens, login_text, provider
from hearth.settings.mcp import ServerSpec
from hearth.settings.mcp_tokens import McpTokens

_PATIENCE: Final = httpx2.Timeout(30.0, read=300.0)
_UNAUTHORISED: Final = 401


class TooLarge(httpx2.ReadError):
    """An answer that is larger than anything that is read."""


class Address:
    """A server at an address, as the library wants its transports: `async with` it once."""

    def __init__(self, spec: ServerSpec, home: Path) -> None:
        self._spec = spec
        self._home = home
        self.login = ""
        """What a person has to do, if the server wants to know who asks."""
        self._inside: contextlib.AbstractAsyncContextManager[Any] | None = None

    async def __aenter__(self) -> Any:
        """The streams of messages."""
        self._inside = self._streams()
        return await self._inside.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close them."""
        inside = self._inside
        return await inside.__aexit__(kind, error, trace) if inside is not None else None

    @contextlib.asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        asking = httpx2.AsyncClient(
            headers=dict(self._spec.headers),
            timeout=_PATIENCE,
            auth=await self._auth(),
            transport=_Bounded(),
            event_hooks={"response": [self._look]},
        )
        url = self._spec.url
        async with (
            asking as client,
            streamable_http_client(url, http_client=client, max_sse_event_size=LARGEST) as streams,
        ):
            yield streams

    async def _auth(self) -> httpx2.Auth | None:
        """Tokens of a login, if there was one; a header of the person's own counts before."""
        if any(one.lower() == "authorization" for one in self._spec.headers):
            return None
        storage = KeptTokens(McpTokens(self._home), self._spec.url)
        if await storage.get_tokens() is None:
            return None
        return await provider(self._spec, self._home)

    async def _look(self, response: httpx2.Response) -> None:
        if response.request.url != self._spec.url:
            return
        if response.status_code == _UNAUTHORISED:
            self.login = login_text(self._spec.name)
        elif response.is_success:
            self.login = ""


class _Bounded(httpx2.AsyncBaseTransport):
    """Reads no more of one answer than is good for anybody; streams of events bound themselves."""

    def __init__(self) -> None:
        self._real = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._real.handle_async_request(request)
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            response.stream = _Counted(response.stream)
        return response

    async def aclose(self) -> None:
        await self._real.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for piece in self._stream:
            total += len(piece)
            if total > LARGEST:
                raise TooLarge(f"its answer is longer than {LARGEST // 1024**2} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def transport(spec: ServerSpec, home: Path) -> Address:
    """How a server is reached."""
    return Address(spec, home)
