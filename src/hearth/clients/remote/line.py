"""The line to the daemon: requests and streams over its socket or port, and where it is by now."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from hearth.clients.remote.connection import Answer, Connection, Lost
from hearth.clients.remote.troubles import DaemonGone
from hearth.daemon.discovery import Found
from hearth.daemon.versions import VERSION

ANSWER: Final = 60.0
"""Seconds for an answer that is not waited for on purpose."""
SILENCE: Final = 45.0
"""A stream says something every 15 seconds; one that does not is dead."""
PATIENCE: Final = 5.0
"""Seconds for which a daemon that is away is waited for before a request is given up."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 2.0
MOST_IDLE: Final = 8

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
        self._idle: list[Connection] = []

    async def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within: float = ANSWER,
    ) -> Answer:
        """One request and its whole answer. Lost."""
        told = {**self._always(), **(headers or {})}
        connection, is_used = await self._connection()
        try:
            try:
                await connection.ask(method, path, told, content)
                answer = await connection.whole(within)
            except Lost:
                if not is_used or method != "GET":
                    raise
                # It was hung up while nobody used it. To look twice changes nothing.
                connection.close()
                connection = await Connection.to(self.where.socket, self.where.port)
                await connection.ask(method, path, told, content)
                answer = await connection.whole(within)
        except BaseException:
            connection.close()
            raise
        self._keep(connection)
        return answer

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[tuple[Answer, AsyncIterator[bytes]]]:
        """An answer that goes on, and its pieces. Lost, from here or out of them."""
        connection = await Connection.to(self.where.socket, self.where.port)
        try:
            told = {**self._always(), "Accept": "text/event-stream"}
            await connection.ask("GET", path, told, None)
            answer, first = await connection.head(ANSWER)
            yield answer, _all(first, connection.pieces(SILENCE))
        finally:
            connection.close()

    async def find_again(self) -> bool:
        """Look where the daemon is now; whether it is elsewhere, or has another token."""
        found = await asyncio.to_thread(self._locate) if self._locate is not None else None
        if found is None or Where.of(found) == self.where:
            return False
        self.where = Where.of(found)
        self._hang_up()
        return True

    async def close(self) -> None:
        """Hang up."""
        self._hang_up()

    def gone(self, why: Lost, after: float) -> DaemonGone:
        """What to tell a person when it does not come back."""
        return DaemonGone(f"the daemon did not answer for {after:g} seconds ({why})", HINT)

    def _always(self) -> dict[str, str]:
        host = "hearth" if self.where.socket else f"127.0.0.1:{self.where.port}"
        return {"Host": host, "Authorization": f"Bearer {self.where.token}", **self._headers}

    async def _connection(self) -> tuple[Connection, bool]:
        """One that can be asked something, and whether it was used before. Lost."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection, True
            connection.close()
        return await Connection.to(self.where.socket, self.where.port), False

    def _keep(self, connection: Connection) -> None:
        if connection.is_reusable and len(self._idle) < MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _hang_up(self) -> None:
        while self._idle:
            self._idle.pop().close()


async def _all(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first:
        yield first
    async for piece in rest:
        yield piece


def pauses() -> Iterator[float]:
    """How long to wait before each next attempt."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE)
