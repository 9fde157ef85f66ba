"""Sends requests to providers and hands on what comes back, as it comes.

Connections are kept open between requests. There is no limit on how long an answer takes, but one
on how long nothing at all may come.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import WireTrouble

if TYPE_CHECKING:
    import ssl

    import httpx2

CONNECTING: Final = 15.0
IDLE: Final = 90.0
"""So many seconds without a byte, and the answer is given up."""
KEPT_OPEN: Final = 300.0
"""A tool may run for minutes between two steps; a new connection would cost the next one 100 ms."""
MOST_REFUSAL: Final = 64 * 1024
"""Bytes that are read of an answer that is no stream."""
_OURS: Final = {"accept-encoding": "identity", "user-agent": "hearth"}
"""Compression would hold back words until a block of it is full."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that begins."""

    status: int
    headers: Mapping[str, str]
    """By lower-case names."""
    chunks: AsyncIterator[bytes]
    """Its content as it comes. WireTrouble."""

    async def content(self) -> bytes:
        """All of it, if it is not long; what is beyond `MOST_REFUSAL` is cut off. WireTrouble."""
        read = bytearray()
        async for chunk in self.chunks:
            read += chunk
            if len(read) >= MOST_REFUSAL:
                break
        return bytes(read[:MOST_REFUSAL])


class Requesting:
    """Connections to providers, one set of them per address."""

    def __init__(self, *, idle: float = IDLE, connecting: float = CONNECTING) -> None:
        self.idle = idle
        self._connecting = connecting
        self._clients: dict[str, httpx2.AsyncClient] = {}
        self._trusted: ssl.SSLContext | None = None
        self._beginning = asyncio.Lock()

    @asynccontextmanager
    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, idle: float | None = None
    ) -> AsyncIterator[Reply]:
        """Send a request, and have the connection back at the end. WireTrouble.

        Redirections are not followed: nobody but the one who was named is sent a key.
        """
        client = await self._client(url)
        with _told(url):
            request = _request(url, {**_OURS, **headers}, body, idle or self.idle, self._connecting)
            response = await client.send(request, stream=True, auth=None, follow_redirects=False)
            try:
                lowered = {name.lower(): value for name, value in response.headers.items()}
                yield Reply(response.status_code, lowered, _chunks(response, url))
            finally:
                await response.aclose()

    async def warm(self) -> None:
        """Do what the first request would wait for: 0.2 seconds of imports and certificates."""
        async with self._beginning:
            await self._prepare()

    async def close(self) -> None:
        """Close all connections."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()

    async def _client(self, url: str) -> "httpx2.AsyncClient":
        address = urlsplit(url)
        place = f"{address.scheme}://{address.netloc}"
        async with self._beginning:
            if place not in self._clients:
                trusted = await self._prepare()
                self._clients[place] = _client(trusted)
            return self._clients[place]

    async def _prepare(self) -> "ssl.SSLContext":
        if self._trusted is None:
            # Not here, where everybody else's events would wait.
            self._trusted = await asyncio.to_thread(_prepared)
        return self._trusted


def _prepared() -> "ssl.SSLContext":
    """Import the client, and read the certificates that the machine trusts."""
    import httpx2  # noqa: PLC0415 - slow, in a daemon in which nobody may ask a model

    # It tells every address at the level of information; one may have a secret in it.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    with suppress(ImportError):  # wherever it is: the client would import it in the event loop
        import_module("anyio._backends._asyncio")
    return httpx2.create_ssl_context()


def _client(trusted: "ssl.SSLContext") -> "httpx2.AsyncClient":
    import httpx2  # noqa: PLC0415 - imported by now

    # TCP_NODELAY is set by the event loop, on every connection. A proxy of the environment counts.
    limits = httpx2.Limits(
        max_connections=None, max_keepalive_connections=32, keepalive_expiry=KEPT_OPEN
    )
    return httpx2.AsyncClient(verify=trusted, http1=True, http2=False, limits=limits)


def _request(
    url: str, headers: Mapping[str, str], body: bytes, idle: float, connecting: float
) -> "httpx2.Request":
    import httpx2  # noqa: PLC0415 - there since the client is

    timeout = httpx2.Timeout(idle, connect=connecting, pool=None)
    # Not the client's own `build_request`: that adds headers, and cookies of earlier answers.
    return httpx2.Request(
        "POST", url, headers=dict(headers), content=body, extensions={"timeout": timeout.as_dict()}
    )


async def _chunks(response: "httpx2.Response", url: str) -> AsyncIterator[bytes]:
    # What is asked for is not packed, and unpacking nothing costs as much as reading it.
    packed = "content-encoding" in response.headers
    with _told(url):
        async for chunk in response.aiter_bytes() if packed else response.aiter_raw():
            yield chunk


@contextmanager
def _told(url: str) -> Iterator[None]:
    """What goes wrong on the way, as the trouble it is."""
    import httpx2  # noqa: PLC0415 - there since the client is

    place = urlsplit(url).netloc.rpartition("@")[2]
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
        raise WireTrouble(Trouble.NETWORK, f"{place} cannot be reached: {_words(error)}") from error
    except httpx2.TimeoutException as error:
        raise WireTrouble(Trouble.SILENT, f"{place} said nothing for too long") from error
    except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
        # Its own words may repeat a header.
        raise WireTrouble(
            Trouble.REJECTED, f"no request can be sent to {place}: {type(error).__name__}"
        ) from error
    except httpx2.DecodingError as error:
        raise WireTrouble(
            Trouble.MALFORMED, f"what {place} sent cannot be unpacked: {_words(error)}"
        ) from error
    except httpx2.TransportError as error:
        raise WireTrouble(
            Trouble.NETWORK, f"the connection to {place} broke: {_words(error)}"
        ) from error


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
