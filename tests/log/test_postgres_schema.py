"""Tables are made and migrated once, and never by an older hearth."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.contracts.facts import new_session, some
from tests.log.postgres_server import PostgresMaker, making, new_schema

from hearth.log.event_log import NewerSchema
from hearth.log.postgres_schema import MIGRATIONS, SCHEMA_VERSION, prepare

VERSION = "SELECT value FROM meta WHERE key = 'schema_version'"


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


@pytest.mark.promise("SF-LOG-13")
async def test_an_empty_database_gets_its_tables(maker: PostgresMaker) -> None:
    log = await maker.make()
    connection = await maker.connect(log._database.schema)
    assert await connection.fetchval(VERSION) == str(SCHEMA_VERSION)
    await connection.close()
    rows = await log.append(new_session(), 0, some(1))
    again = await maker.reopen(log)
    assert list(await again.read()) == list(rows)


@pytest.mark.promise("SF-LOG-13")
async def test_many_that_start_together_migrate_once(maker: PostgresMaker) -> None:
    schema = new_schema()
    logs = await asyncio.gather(*(maker.on(schema, owner=f"home-{n}") for n in range(5)))
    for log in logs:
        await log.append(new_session(), 0, some(1))
    assert [row.seq for row in await logs[0].read()] == [1, 2, 3, 4, 5]


@pytest.mark.promise("SF-LOG-13")
async def test_an_older_schema_is_brought_up_to_date(maker: PostgresMaker) -> None:
    log = await maker.make()
    rows = await log.append(new_session(), 0, some(2))
    schema = log._database.schema
    connection = await maker.connect(schema)
    newer = (*MIGRATIONS, "ALTER TABLE streams ADD COLUMN colour text DEFAULT 'red'")
    await prepare(connection, schema, newer)
    await prepare(connection, schema, newer)
    assert await connection.fetchval(VERSION) == str(len(newer))
    assert await connection.fetchval("SELECT colour FROM streams") == "red"
    assert await connection.fetchval("SELECT count(*) FROM events") == len(rows)
    await connection.close()


@pytest.mark.promise("SF-LOG-13")
async def test_a_migration_that_fails_changes_nothing(maker: PostgresMaker) -> None:
    log = await maker.make()
    schema = log._database.schema
    connection = await maker.connect(schema)
    broken = (*MIGRATIONS, "ALTER TABLE streams ADD COLUMN colour text; SELECT 1 / 0")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await prepare(connection, schema, broken)
    assert await connection.fetchval(VERSION) == str(SCHEMA_VERSION)
    with pytest.raises(asyncpg.UndefinedColumnError):
        await connection.fetchval("SELECT colour FROM streams")
    await connection.close()
    again = await maker.reopen(log)
    assert len(await again.append(new_session(), 0, some(1))) == 1


@pytest.mark.promise("SF-LOG-13")
async def test_a_newer_schema_is_refused_and_left_alone(maker: PostgresMaker) -> None:
    log = await maker.make()
    await log.append(new_session(), 0, some(1))
    await log.close()
    schema = log._database.schema
    connection = await maker.connect(schema)
    await connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    await connection.execute("DELETE FROM owners")
    with pytest.raises(NewerSchema, match="99"):
        await maker.on(schema)
    assert await connection.fetchval(VERSION) == "99"
    assert await connection.fetchval("SELECT count(*) FROM owners") == 0
    await connection.close()


async def test_a_user_who_may_not_create_a_schema_uses_the_one_there_is(
    maker: PostgresMaker,
) -> None:
    log = await maker.make()
    schema = log._database.schema
    connection = await maker.connect(schema)
    await connection.execute(f"CREATE ROLE guest_{schema}")
    await connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO guest_{schema}")
    await connection.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO guest_{schema}")
    await connection.execute(f"SET ROLE guest_{schema}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("CREATE SCHEMA another")
    await prepare(connection, schema)
    await connection.execute(f"RESET ROLE; DROP OWNED BY guest_{schema}; DROP ROLE guest_{schema}")
    await connection.close()
