"""The tables of a PostgreSQL log, and how an older set of them becomes the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hearth.log.event_log import NewerSchema

if TYPE_CHECKING:
    from hearth.log.postgres_connection import Connection

_FIRST: Final = """
CREATE TABLE counter (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    last bigint NOT NULL
);
INSERT INTO counter (last) VALUES (0);
COMMENT ON TABLE counter IS
    'One row. Whoever appends, claims or removes locks it, so seq order is commit order.';

CREATE TABLE events (
    seq bigint PRIMARY KEY,
    session text NOT NULL,
    version integer NOT NULL,
    id text NOT NULL UNIQUE,
    type text NOT NULL,
    data bytea NOT NULL,
    UNIQUE (session, version)
);
CREATE INDEX events_by_type ON events (type, seq);
CREATE INDEX events_by_session ON events (session, seq);
CREATE TABLE streams (session text PRIMARY KEY, version integer NOT NULL, seq bigint NOT NULL);
CREATE TABLE snapshots (
    session text PRIMARY KEY,
    version integer NOT NULL,
    seq bigint NOT NULL,
    fold text NOT NULL,
    digest bytea NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE blobs (sha256 text PRIMARY KEY, data bytea NOT NULL);
CREATE TABLE owners (
    incarnation text PRIMARY KEY,
    owner text NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE TABLE leases (
    session text PRIMARY KEY,
    owner text NOT NULL,
    incarnation text NOT NULL,
    generation integer NOT NULL
);
CREATE TABLE search (seq bigint PRIMARY KEY, session text NOT NULL, words tsvector NOT NULL);
CREATE INDEX search_by_words ON search USING gin (words);
CREATE INDEX search_by_session ON search (session);
INSERT INTO meta (key, value) VALUES ('searched', '0 0');
"""

MIGRATIONS: Final[tuple[str, ...]] = (_FIRST,)
"""The n-th makes schema version n out of the one before. Never edited, only added to."""

SCHEMA_VERSION: Final = len(MIGRATIONS)
"""What this hearth reads and writes."""


async def prepare(
    connection: Connection, schema: str, migrations: tuple[str, ...] = MIGRATIONS
) -> None:
    """Create the tables, or bring them up to date, in one transaction. NewerSchema.

    Two processes that start together do it one after the other; the second finds it done.
    """
    async with connection.transaction():
        await connection.execute(
            "SELECT pg_advisory_xact_lock(hashtext('hearth'), hashtext($1))", schema
        )
        found = await _version(connection, schema)
        if found > len(migrations):
            raise NewerSchema(
                f"the schema {schema!r} has version {found}, this hearth knows {len(migrations)}: "
                "start the newer hearth, or give this one a schema or database of its own"
            )
        for migration in migrations[found:]:
            await connection.execute(migration)
        if found < len(migrations):
            await connection.execute(
                "INSERT INTO meta (key, value) VALUES ('schema_version', $1)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                str(len(migrations)),
            )


async def _version(connection: Connection, schema: str) -> int:
    """The version of the tables there are; makes the schema when it is missing."""
    if not await connection.fetchval("SELECT to_regnamespace($1) IS NOT NULL", schema):
        # Not asked when it is there: a user without the right to create one may still use it.
        await connection.execute(f'CREATE SCHEMA "{schema}"')
    if not await connection.fetchval("SELECT to_regclass('meta') IS NOT NULL"):
        await connection.execute("CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL)")
    value = await connection.fetchval("SELECT value FROM meta WHERE key = 'schema_version'")
    return int(value or 0)
