"""Full-text search over an SQLite log: an index that follows the log at its own pace.

Appends do not touch it. It catches up when somebody searches, and when the writer is idle.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import Hit
from hearth.log.searchable import SEARCHABLE_VERSION, excerpt, query_words, searchable_text
from hearth.log.sqlite_transaction import Transaction

CHUNK: Final = 500
"""Events taken into the index in one commit while somebody waits."""

IDLE_CHUNK: Final = 100
"""The same while nobody does: an append that comes meanwhile waits for it."""

IDLE_BACKLOG: Final = 300
"""So many events behind, the index catches up by itself."""


def catch_up(transaction: Transaction, limit: int = CHUNK) -> bool:
    """Take up to `limit` events into the index; whether there are more."""
    connection = transaction.connection
    cursor = _cursor(connection)
    rows = connection.execute(
        "SELECT seq, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (cursor, limit)
    ).fetchall()
    if not rows:
        return False
    connection.executemany(
        "INSERT INTO search (rowid, text) VALUES (?, ?)",
        [(seq, text) for seq, data in rows if (text := searchable_text(data))],
    )
    connection.execute("UPDATE meta SET value = ? WHERE key = 'search_cursor'", (rows[-1][0],))
    return len(rows) == limit


def catch_up_idly(transaction: Transaction) -> bool:
    """The same in small pieces, and only when the index is far behind."""
    (behind,) = transaction.connection.execute(
        "SELECT ifnull((SELECT max(seq) FROM events), 0)"
        " - (SELECT value FROM meta WHERE key = 'search_cursor')"
    ).fetchone()
    return behind >= IDLE_BACKLOG and catch_up(transaction, IDLE_CHUNK)


def is_behind(connection: sqlite3.Connection) -> bool:
    """Whether events stand in the log that the index has not seen, or saw with other eyes."""
    (behind,) = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM events WHERE seq >"
        " (SELECT value FROM meta WHERE key = 'search_cursor'))"
        " OR (SELECT value FROM meta WHERE key = 'search_version') != ?",
        (SEARCHABLE_VERSION,),
    ).fetchone()
    return bool(behind)


def begin_anew(transaction: Transaction) -> None:
    """Empty the index; it fills again by catching up."""
    connection = transaction.connection
    connection.execute("INSERT INTO search (search) VALUES ('delete-all')")
    connection.execute("UPDATE meta SET value = 0 WHERE key = 'search_cursor'")
    connection.execute(
        "UPDATE meta SET value = ? WHERE key = 'search_version'", (SEARCHABLE_VERSION,)
    )


def forget(connection: sqlite3.Connection, session: SessionId) -> None:
    """Take a session's events out of the index, before their rows go."""
    rows = connection.execute(
        "SELECT seq, data FROM events WHERE session = ? AND seq <= ?",
        (session, _cursor(connection)),
    )
    # An index without the text itself must be told what it had.
    connection.executemany(
        "INSERT INTO search (search, rowid, text) VALUES ('delete', ?, ?)",
        [(seq, text) for seq, data in rows if (text := searchable_text(data))],
    )


def search(
    connection: sqlite3.Connection, query: str, session: SessionId | None, limit: int
) -> Sequence[Hit]:
    """Events whose text has all words of the query, best first."""
    words = query_words(query)
    if not words or limit <= 0:
        return []
    # Quoted, and without anything but letters and digits: no word is an operator.
    match = " ".join(f'"{word}"' for word in words)
    rows = connection.execute(
        "SELECT events.session, events.seq, events.data FROM search"
        " JOIN events ON events.seq = search.rowid"
        " WHERE search MATCH ? AND (? IS NULL OR events.session = ?)"
        " ORDER BY search.rank, events.seq DESC LIMIT ?",
        (match, session, session, limit),
    )
    return [Hit(where, seq, excerpt(searchable_text(data), words)) for where, seq, data in rows]


def _cursor(connection: sqlite3.Connection) -> int:
    """Where the index stands; at the beginning if another version of us made it."""
    values = dict(
        connection.execute(
            "SELECT key, value FROM meta WHERE key IN ('search_cursor', 'search_version')"
        ).fetchall()
    )
    if values["search_version"] != SEARCHABLE_VERSION:
        begin_anew(Transaction(connection))
        return 0
    return int(values["search_cursor"])
