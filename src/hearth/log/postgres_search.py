"""Full-text search in PostgreSQL: an index that is filled when someone searches.

Words are cut and folded here, not by the server, so that a search means the same whatever the
database's language and locale: letters and digits make words, case and accents do not matter.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import Hit
from hearth.log.searchable import SEARCHABLE_VERSION, excerpt, query_words, searchable_text

if TYPE_CHECKING:
    from hearth.log.postgres_connection import Connection

_BATCH: Final = 200
"""Events that are held in memory at a time; each may have a quarter of a megabyte."""
_BREAKS: Final = re.compile(r"[\W_]+")
LOCK_INDEX: Final = (
    "SELECT pg_advisory_xact_lock(hashtext('hearth search'), hashtext(current_schema()))"
)
"""Held by whoever changes the index; those who append do not wait for it."""

_LAG: Final = """
SELECT split_part(value, ' ', 1)::bigint AS searched, split_part(value, ' ', 2) AS made_by, last
FROM meta CROSS JOIN counter WHERE key = 'searched'
"""
_REACHED: Final = "UPDATE meta SET value = $1 WHERE key = 'searched'"
_NEXT: Final = """
SELECT seq, session, data FROM events WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3
"""
_INDEX: Final = """
INSERT INTO search (seq, session, words)
SELECT seq, session, to_tsvector('simple', body)
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS row (seq, session, body)
ON CONFLICT (seq) DO NOTHING
"""
_FIND: Final = """
SELECT found.seq, found.session, events.data FROM (
    SELECT seq, session, ts_rank(words, query) AS rank
    FROM search, plainto_tsquery('simple', $1) AS query
    WHERE words @@ query AND ($2::text IS NULL OR session = $2)
    ORDER BY rank DESC, seq DESC LIMIT $3
) AS found JOIN events USING (seq)
ORDER BY found.rank DESC, found.seq DESC
"""


def words_of(text: str) -> str:
    """The words of a text, folded, with single spaces between them."""
    if not text.isascii():
        text = (
            "".join(
                letter
                for letter in unicodedata.normalize("NFKD", text)
                if not unicodedata.combining(letter)
            )
            .encode("utf-8", "ignore")
            .decode()
        )
    return _BREAKS.sub(" ", text.casefold()).strip()


async def find(
    connection: Connection, query: str, session: SessionId | None, limit: int
) -> list[Hit]:
    """Events with all words of the query, best first and newest first among equals."""
    words = query_words(query)
    if not words:
        return []
    await catch_up(connection)
    folded = words_of(" ".join(words))
    rows = await connection.fetch(_FIND, folded, session, max(limit, 0))
    texts = await asyncio.to_thread(_excerpts, [row["data"] for row in rows], words)
    return [
        Hit(SessionId(row["session"]), row["seq"], text)
        for row, text in zip(rows, texts, strict=True)
    ]


async def catch_up(connection: Connection) -> None:
    """Index what was appended since the last search; all of it if words are made anew."""
    while (lag := await _lag(connection)).searched < lag.last:
        async with connection.transaction():
            await connection.execute(LOCK_INDEX)
            await _index_some(connection)


async def rebuild(connection: Connection) -> None:
    """Throw the index away and make it anew."""
    async with connection.transaction():
        await connection.execute(LOCK_INDEX)
        await _reach(connection, -1)
    await catch_up(connection)


class _Lag(NamedTuple):
    searched: int
    """-1: what there is of an index is worthless."""
    last: int


async def _lag(connection: Connection) -> _Lag:
    row = await connection.fetchrow(_LAG)
    if row is None or row["made_by"] != str(SEARCHABLE_VERSION):
        return _Lag(-1, row["last"] if row else 0)
    return _Lag(row["searched"], row["last"])


async def _reach(connection: Connection, seq: int) -> None:
    await connection.execute(_REACHED, f"{seq} {SEARCHABLE_VERSION}")


async def _index_some(connection: Connection) -> None:
    # Looked at again: someone else may have held the lock until now.
    lag = await _lag(connection)
    if lag.searched < 0:
        await connection.execute("DELETE FROM search")
    rows = await connection.fetch(_NEXT, lag.searched, lag.last, _BATCH)
    texts = await asyncio.to_thread(_bodies, [row["data"] for row in rows])
    await connection.execute(
        _INDEX, [row["seq"] for row in rows], [row["session"] for row in rows], texts
    )
    await _reach(connection, rows[-1]["seq"] if len(rows) == _BATCH else lag.last)


def _bodies(events: Sequence[bytes]) -> list[str]:
    return [words_of(searchable_text(data)) for data in events]


def _excerpts(events: Sequence[bytes], words: list[str]) -> list[str]:
    return [excerpt(searchable_text(data), words) for data in events]
