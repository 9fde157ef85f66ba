"""A PostgreSQL database for one test, by its URL: what a person's daemon would be given."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import asyncpg
from tests.log.postgres_server import running_server

_numbers = count(1)


@asynccontextmanager
async def database() -> AsyncIterator[str]:
    """Its URL, with the password; it is dropped afterwards, whoever still uses it."""
    server = running_server()
    if not server.is_running:
        server.start()
    name = f"journey_{next(_numbers)}"
    await _execute(server.url, f"CREATE DATABASE {name}")
    try:
        yield f"{server.url.rpartition('/')[0]}/{name}"
    finally:
        if not server.is_running:
            server.start()
        await _execute(server.url, f"DROP DATABASE {name} WITH (FORCE)")


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
