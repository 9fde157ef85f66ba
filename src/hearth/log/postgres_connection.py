"""Connections to one PostgreSQL database, all made in the same way.

The driver is an optional extra and takes a fifth of a second to import, so it is imported when
the first log is made, not when this module is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from hearth.log.event_log import StoreDown
from hearth.log.postgres_address import address_of, down, is_lost

if TYPE_CHECKING:
    import asyncpg

    Connection: TypeAlias = (
        asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]
    )
    Own: TypeAlias = asyncpg.Connection[asyncpg.Record]
    Pool: TypeAlias = asyncpg.Pool[asyncpg.Record]

T = TypeVar("T")

_SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,39}")
_READERS: Final = 4
_GOODBYE: Final = 2.0
"""Seconds that closing a connection politely may take."""


class Times(NamedTuple):
    """Seconds."""

    ttl: float = 15.0
    """An owner that has not renewed for so long may be replaced."""
    renew_every: float = 5.0
    patience: float = 10.0
    """What a connection, a lock or a third of a statement may take."""


USUAL_TIMES: Final = Times()


def driver() -> Any:
    """asyncpg, or a sentence that says how to get it."""
    try:
        return import_module("asyncpg")
    except ModuleNotFoundError:
        raise StoreDown(
            "a PostgreSQL log needs the driver asyncpg: install hearth with its extra 'postgres' "
            "(pip install 'hearth[postgres]')"
        ) from None


class Database:
    """One schema of one database: connects to it and says in words what fails."""

    def __init__(self, url: str, schema: str, owner: str, *, patience: float) -> None:
        if not _SCHEMA.fullmatch(schema):
            raise ValueError(f"{schema!r} is no plain lower-case schema name of up to 40 letters")
        self.address = address_of(url)
        self.schema = schema
        self._url = url
        self._patience = patience
        self._driver = driver()
        self.errors: tuple[type[Exception], ...] = (
            self._driver.PostgresError,
            self._driver.InterfaceError,
            self._driver.InternalClientError,
            OSError,
            TimeoutError,
        )
        """What a call to the driver may raise because of the world."""
        self.settings = {
            "application_name": f"hearth {owner}"[:63],
            "search_path": schema,
            # A process that was stopped while it held the log must not stop all others.
            "idle_in_transaction_session_timeout": _milliseconds(patience),
            "lock_timeout": _milliseconds(patience * 2),
        }
        """Of every connection that is made from now on."""
        self._pool: Pool | None = None

    def __repr__(self) -> str:
        return f"Database({str(self.address)!r}, schema={self.schema!r})"

    def down(self, error: BaseException) -> StoreDown:
        """The failure as every caller of a log knows it."""
        return down(self.address, error)

    async def connect(self, **settings: str) -> Own:
        """A connection of the caller's own, with these settings beside the usual. StoreDown."""
        options = self._options()
        options["server_settings"] = {**self.settings, **settings}
        return await self._connect(**options)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Own]:
        """A connection for something that may take its time; failures come out as StoreDown."""
        connection = await self._connect(**{**self._options(), "command_timeout": None})
        try:
            yield connection
        except self.errors as error:
            raise self.down(error) from None
        finally:
            await self.part(connection)

    async def _connect(self, **options: Any) -> Own:
        try:
            connection: Own = await self._driver.connect(self._url, **options)
        except self.errors as error:
            raise self.down(error) from None
        except ValueError:
            # The driver reads the URL more strictly than we do, and quotes it when it fails.
            raise StoreDown(
                f"PostgreSQL at {self.address} cannot be used: an option of its URL makes no sense"
            ) from None
        return connection

    async def open_pool(self) -> None:
        """Begin to share connections among those that read."""
        pool: Pool = self._driver.create_pool(
            self._url, min_size=0, max_size=_READERS, **self._options()
        )
        self._pool = await pool

    async def close_pool(self) -> None:
        """Close the shared connections, whatever state they are in."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            async with asyncio.timeout(_GOODBYE):
                await pool.close()
        except self.errors:
            pool.terminate()

    async def ask(self, question: Callable[[Connection], Awaitable[T]]) -> T:
        """Ask something that may be asked twice: a lost connection is replaced once. StoreDown."""
        try:
            return await self._ask_once(question)
        except self.errors as error:
            if not is_lost(error):
                raise self.down(error) from None
        try:
            return await self._ask_once(question)
        except self.errors as error:
            raise self.down(error) from None

    async def part(self, connection: Own) -> None:
        """Close a connection, politely if it still hears."""
        try:
            async with asyncio.timeout(_GOODBYE):
                await connection.close()
        except self.errors:
            connection.terminate()

    async def _ask_once(self, question: Callable[[Connection], Awaitable[T]]) -> T:
        async with self._shared().acquire(timeout=self._patience) as connection:
            return await question(connection)

    def _shared(self) -> Pool:
        if self._pool is None:
            raise StoreDown(f"the log in PostgreSQL at {self.address} is closed")
        return self._pool

    def _options(self) -> dict[str, Any]:
        return {
            "timeout": self._patience,
            "command_timeout": self._patience * 3,
            "server_settings": self.settings,
        }


def _milliseconds(seconds: float) -> str:
    return str(max(1, int(seconds * 1000)))
