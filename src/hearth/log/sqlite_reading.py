"""How the SQLite log is read: a few threads with connections of their own, and the queries."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import starmap
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Concatenate, Final, ParamSpec, TypeVar

from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import Head, Snapshot, StoreDown
from hearth.log.sqlite_errors import reading
from hearth.log.sqlite_schema import connect

T = TypeVar("T")
P = ParamSpec("P")

THREADS: Final = 4


class Readers:
    """Runs queries beside the loop and beside the writer, whom they never block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=f"read {path.name}")
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._closed = False

    async def run(
        self,
        query: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The answer of a query, which runs with a connection that is its alone meanwhile."""
        if self._closed:
            raise StoreDown(f"{self._path} was closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, lambda: self._query(query, *args, **kwargs)
        )

    async def close(self) -> None:
        """Wait for what runs, then let every connection go. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        # In a thread, because it waits; the last to leave closes the connections.
        await asyncio.to_thread(self._threads.shutdown)
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _query(
        self,
        query: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        with reading(self._path):
            try:
                connection = self._idle.get_nowait()
            except Empty:
                connection = connect(self._path, query_only=True)
            try:
                answer = query(connection, *args, **kwargs)
            except BaseException:
                # Whatever state it is in, nobody else gets it.
                connection.close()
                raise
            self._idle.put(connection)
            return answer


def read(
    connection: sqlite3.Connection,
    after: int,
    limit: int,
    session: SessionId | None,
    types: Sequence[str],
) -> Sequence[Stored]:
    """Rows with seq > after in seq order."""
    if limit <= 0:
        return []
    if session is not None:
        return _read_of_session(connection, after, limit, session, types)
    if not types:
        rows = connection.execute(
            "SELECT seq, session, version, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
            (after, limit),
        )
        return list(starmap(Stored, rows.fetchall()))
    # Per type in the order of its index, then merged: no more is read than could be wanted.
    part = (
        "SELECT * FROM (SELECT seq, session, version, data FROM events"
        " WHERE type = ? AND seq > ? ORDER BY seq LIMIT ?)"
    )
    wanted = list(dict.fromkeys(types))
    rows = connection.execute(
        " UNION ALL ".join([part] * len(wanted)) + " ORDER BY seq LIMIT ?",
        [value for type_ in wanted for value in (type_, after, limit)] + [limit],
    )
    return list(starmap(Stored, rows.fetchall()))


def _read_of_session(
    connection: sqlite3.Connection,
    after: int,
    limit: int,
    session: SessionId,
    types: Sequence[str],
) -> Sequence[Stored]:
    version = _version_at(connection, session, after)
    if not types:
        return read_session(connection, session, version, limit)
    marks = ", ".join("?" * len(types))
    rows = connection.execute(
        "SELECT seq, session, version, data FROM events"  # noqa: S608 - question marks only
        f" WHERE session = ? AND version > ? AND +type IN ({marks}) ORDER BY version LIMIT ?",
        (session, version, *types, limit),
    )
    return list(starmap(Stored, rows.fetchall()))


def _version_at(connection: sqlite3.Connection, session: SessionId, seq: int) -> int:
    """The version a session had at this seq. Both grow together, so the place can be halved in."""
    row = connection.execute("SELECT version FROM streams WHERE session = ?", (session,)).fetchone()
    low, high = 0, row[0] if row else 0
    while seq > 0 and low < high:
        middle = (low + high + 1) // 2
        found = connection.execute(
            "SELECT seq FROM events WHERE session = ? AND version >= ? ORDER BY version LIMIT 1",
            (session, middle),
        ).fetchone()
        if found and found[0] <= seq:
            low = middle
        else:
            high = middle - 1
    return low


def read_session(
    connection: sqlite3.Connection, session: SessionId, after_version: int, limit: int
) -> Sequence[Stored]:
    """Rows of one session with version > after_version, in order."""
    rows = connection.execute(
        "SELECT seq, version, data FROM events WHERE session = ? AND version > ?"
        " ORDER BY version LIMIT ?",
        (session, after_version, max(limit, 0)),
    ).fetchall()
    return [Stored(seq, session, version, data) for seq, version, data in rows]


def find(connection: sqlite3.Connection, event: EventId) -> Stored | None:
    """The row with this event id."""
    row = connection.execute(
        "SELECT seq, session, version, data FROM events WHERE id = ?", (event,)
    ).fetchone()
    return Stored(*row) if row else None


def head(connection: sqlite3.Connection) -> int:
    """The highest seq; 0 for an empty log."""
    return int(connection.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()[0])


def heads(connection: sqlite3.Connection) -> Sequence[Head]:
    """Every session, oldest last event first."""
    rows = connection.execute("SELECT session, version, seq FROM streams ORDER BY seq")
    return list(starmap(Head, rows.fetchall()))


def load_snapshot(connection: sqlite3.Connection, session: SessionId) -> Snapshot | None:
    """The newest snapshot of a session, if any."""
    row = connection.execute(
        "SELECT session, version, seq, fold, data FROM snapshots WHERE session = ?", (session,)
    ).fetchone()
    return Snapshot(*row) if row else None
