"""The line to the daemon: requests and streams over its socket or port, and where it is by now."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

import httpx2

from hearth.clients.remote.troubles import DaemonGone
from hearth.daemon.discovery import Found
from hearth.daemon.versions import VERSION

CONNECT: Final = 5.0
ANSWER: Final = 60.0
"""Seconds for an answer that is not waited for on purpose."""
SILENCE: Final = 45.0
"""A stream says something every 15 seconds; one that does not is dead."""
PATIENCE: Final = 5.0
"""Seconds for which a daemon that is away is waited for before a request is given up."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 2.0

HINT: Final = "`hearth status` says whether it lives; `hearth` starts it"


class Where(NamedTuple):
    """How the daemon is reached: by its socket, or by its port, and with which token."""

    socket: str
    port: int
    token: str

    @classmethod
    def of(cls, found: Found) -> "Where":
        """Where the daemon says it is."""
        return cls(found.socket, found.port, found.token)


class Lost(Exception):
    """This time it did not answer. What it did with the request is unknown."""


class Line:
    """One daemon, wherever it is at the moment."""

    def __init__(
        self,
        where: Where,
        headers: Mapping[str, str],
        locate: Callable[[], Found | None] | None = None,
    ) -> None:
        """`locate` is asked for the daemon's place whenever it is not where it was."""
        self.where = where
        self._headers = {"Hearth-Client": VERSION, **headers}
        self._locate = locate
        self._client = self._opened()
        self._old: list[httpx2.AsyncClient] = []

    async def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within: float = ANSWER,
    ) -> httpx2.Response:
        """One request and its whole answer. Lost."""
        more = {} if content is None else {"Content-Type": "application/json"}
        try:
            return await self._client.request(
                method,
                path,
                headers={**more, **(headers or {})},
                content=content,
                timeout=httpx2.Timeout(within, connect=CONNECT),
            )
        except httpx2.TransportError as error:
            raise Lost(_said(error)) from error

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[httpx2.Response]:
        """An answer that goes on. Lost, from here or out of `pieces`."""
        timeout = httpx2.Timeout(SILENCE, connect=CONNECT)
        headers = {"Accept": "text/event-stream"}
        try:
            async with self._client.stream(
                "GET", path, headers=headers, timeout=timeout
            ) as response:
                yield response
        except (httpx2.TransportError, httpx2.StreamError) as error:
            raise Lost(_said(error)) from error

    async def find_again(self) -> bool:
        """Look where the daemon is now; whether it is elsewhere, or has another token."""
        found = await asyncio.to_thread(self._locate) if self._locate is not None else None
        if found is None or Where.of(found) == self.where:
            return False
        self.where = Where.of(found)
        self._old.append(self._client)
        self._client = self._opened()
        return True

    async def close(self) -> None:
        """Hang up."""
        for client in (*self._old, self._client):
            await client.aclose()

    def gone(self, why: Lost, after: float) -> DaemonGone:
        """What to tell a person when it does not come back."""
        return DaemonGone(f"the daemon did not answer for {after:g} seconds ({why})", HINT)

    def _opened(self) -> httpx2.AsyncClient:
        # A proxy of the environment must never see the token.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=8)
        uds = self.where.socket or None
        base = "http://hearth" if uds else f"http://127.0.0.1:{self.where.port}"
        transport = httpx2.AsyncHTTPTransport(uds=uds, limits=limits, trust_env=False)
        headers = {**self._headers, "Authorization": f"Bearer {self.where.token}"}
        return httpx2.AsyncClient(
            base_url=base, transport=transport, headers=headers, trust_env=False
        )


def pauses() -> Iterator[float]:
    """How long to wait before each next attempt."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE)


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
