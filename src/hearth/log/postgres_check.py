"""Is a PostgreSQL log what it should be? Nothing is repaired here but what is only a cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Final

from hearth.core.vocabulary import codec
from hearth.log.blobs import references
from hearth.log.event_log import Finding

if TYPE_CHECKING:
    from asyncpg import Record

    from hearth.log.postgres_connection import Connection

_BATCH: Final = 200
"""Events that are held in memory at a time; each may have a quarter of a megabyte."""

_ROWS: Final = """
SELECT seq, session, id, type, data FROM events WHERE seq > $1 ORDER BY seq LIMIT $2
"""

_GAPS: Final = """
SELECT session, seq, version, expected FROM (
    SELECT session, seq, version, row_number() OVER (PARTITION BY session ORDER BY seq) AS expected
    FROM events
) AS numbered WHERE version <> expected ORDER BY seq
"""

_HEADS: Final = """
SELECT coalesce(s.session, e.session) AS session, coalesce(e.seq, s.seq) AS seq,
       s.version AS said, e.version AS found
FROM streams s FULL JOIN (
    SELECT session, max(version) AS version, max(seq) AS seq FROM events GROUP BY session
) e USING (session)
WHERE (s.version, s.seq) IS DISTINCT FROM (e.version, e.seq)
ORDER BY 2
"""

_COUNTER: Final = """
SELECT max(seq) FROM events HAVING max(seq) > coalesce((SELECT last FROM counter), -1)
"""

_BLOBS: Final = """
SELECT sha256, encode(sha256(data), 'hex') = sha256 AS sound FROM blobs
WHERE sha256 = ANY ($1::text[])
"""

_DROP: Final = """
DELETE FROM snapshots WHERE digest <> sha256(data) OR NOT EXISTS (
    SELECT FROM streams WHERE streams.session = snapshots.session
    AND streams.version >= snapshots.version
)
"""


async def drop_bad_snapshots(connection: Connection) -> None:
    """A snapshot that was damaged, or is ahead of its session, is of no use to anyone."""
    await connection.execute(_DROP)


async def findings(connection: Connection) -> list[Finding]:
    """Everything that is wrong at one moment, by seq."""
    found: list[Finding] = []
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        async for rows in _batches(connection):
            found += await asyncio.to_thread(_unreadable, rows)
            found += await _bad_blobs(connection, rows)
        for row in await connection.fetch(_GAPS):
            problem = f"has version {row['version']} where {row['expected']} belongs"
            found.append(Finding(row["session"], row["seq"], problem))
        for row in await connection.fetch(_HEADS):
            problem = f"its stream says version {row['said']}, its events {row['found']}"
            found.append(Finding(row["session"], row["seq"] or 0, problem))
        for (seq,) in await connection.fetch(_COUNTER):
            problem = "the counter stands below the last event, so that a seq would be used twice"
            found.append(Finding("", seq, problem))
    return sorted(found, key=lambda one: one.seq)


async def _batches(connection: Connection) -> AsyncIterator[Sequence[Record]]:
    after = 0
    while rows := await connection.fetch(_ROWS, after, _BATCH):
        yield rows
        after = rows[-1]["seq"]


def _unreadable(rows: Sequence[Record]) -> list[Finding]:
    found = []
    for row in rows:
        try:
            fact = codec.decode_fact(row["data"])
        except codec.Unreadable as error:
            found.append(Finding(row["session"], row["seq"], f"cannot be read: {error}"))
            continue
        if fact.id != row["id"]:
            problem = f"holds {fact.id}, its row says {row['id']}"
            found.append(Finding(row["session"], row["seq"], problem))
    return found


async def _bad_blobs(connection: Connection, rows: Sequence[Record]) -> list[Finding]:
    named = [(row, digest) for row in rows for digest in references(row["data"])]
    if not named:
        return []
    digests = list({digest for _, digest in named})
    sound = {one["sha256"]: one["sound"] for one in await connection.fetch(_BLOBS, digests)}
    return [
        Finding(
            row["session"],
            row["seq"],
            f"its blob {digest} is {'damaged' if digest in sound else 'missing'}",
        )
        for row, digest in named
        if not sound.get(digest, False)
    ]
