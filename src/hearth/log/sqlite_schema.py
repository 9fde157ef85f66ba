"""The tables of the SQLite log, and how an older file becomes a present one."""

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from hearth.log.blobs import sync_directory
from hearth.log.event_log import NewerSchema, StoreDown
from hearth.log.sqlite_errors import read_only

BUSY_SECONDS: Final = 10.0
"""How long one process waits for another's commit before it says that the store is locked."""

_PAUSE: Final = 0.005

WAL_BYTES_KEPT: Final = 16 * 1024 * 1024
"""To what the write-ahead log shrinks again after a burst."""


class Migration(NamedTuple):
    """What brings a file from the version before to this one."""

    version: int
    statements: Sequence[str]


MIGRATIONS: Final[Sequence[Migration]] = (
    Migration(
        1,
        (
            """CREATE TABLE events (
                seq INTEGER PRIMARY KEY,
                session TEXT NOT NULL,
                version INTEGER NOT NULL,
                id TEXT NOT NULL UNIQUE,
                type TEXT NOT NULL,
                data BLOB NOT NULL,
                UNIQUE (session, version))""",
            "CREATE INDEX events_by_type ON events (type, seq)",
            """CREATE TABLE streams (
                session TEXT PRIMARY KEY,
                version INTEGER NOT NULL,
                seq INTEGER NOT NULL) WITHOUT ROWID""",
            """CREATE TABLE snapshots (
                session TEXT PRIMARY KEY,
                version INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                fold TEXT NOT NULL,
                data BLOB NOT NULL)""",
            """CREATE TABLE leases (
                session TEXT PRIMARY KEY,
                owner TEXT NOT NULL,
                generation INTEGER NOT NULL) WITHOUT ROWID""",
            # Without the text itself: it is made again from the event when a hit is shown.
            "CREATE VIRTUAL TABLE search USING fts5 (text, content='')",
            # `floor`: the highest seq that was ever removed; no seq is given twice.
            """INSERT INTO meta VALUES
                ('floor', 0), ('search_cursor', 0), ('search_version', 0)""",
        ),
    ),
)
"""In order, counted from 1. What was released is never edited; a change is a new step."""


def connect(path: Path, *, query_only: bool = False) -> sqlite3.Connection:
    """A connection as all of ours are: explicit transactions, durable when committed."""
    connection = sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # Each is used by one thread at a time, and closed by another.
        cached_statements=256,
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES_KEPT}")
        if query_only:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Create the file, or bring it up to the present schema after copying it aside.

    NewerSchema or StoreDown leave the file as it was found.
    """
    is_new = not path.exists()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_new:
        # Nobody else's business; SQLite gives its side files the mode of the file itself.
        path.touch(mode=0o600)
    elif not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        # Before SQLite sees it: its side files would be read-only too, and stay so.
        raise read_only(path)
    with closing(connect(path)) as connection:
        _refuse_newer(_version(connection, path), migrations, path)
        _write_ahead(connection)
        connection.execute("BEGIN IMMEDIATE")
        # Looked at again: another process may have done it while this one waited.
        found = _version(connection, path)
        _refuse_newer(found, migrations, path)
        if found < migrations[-1].version:
            if found:
                _copy_aside(path, found)
            _migrate(connection, found, migrations)
        # Changes nothing, but a file that cannot be written is told of now: to begin is not
        # enough, SQLite then quietly only reads.
        connection.execute("DELETE FROM meta WHERE 0")
        connection.execute("COMMIT")
    if is_new:
        sync_directory(path.parent)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Have it keep a write-ahead log, as every file of ours does once somebody has prepared it."""
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # Whoever comes while another does it is turned away at once: for this SQLite does
            # not wait, whatever its timeout.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            _rest()
        else:
            return


def _rest() -> None:
    time.sleep(_PAUSE)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    if not tables:
        return 0
    if "meta" in tables:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
        if row is not None:
            return int(row[0])
    raise StoreDown(f"{path} is a database of another program; name another file for the log")


def _refuse_newer(found: int, migrations: Sequence[Migration], path: Path) -> None:
    if found > (known := migrations[-1].version):
        raise NewerSchema(
            f"{path} was written by a newer hearth (schema {found}, this one knows {known});"
            " update hearth, or name another file for the log"
        )


def _copy_aside(path: Path, found: int) -> None:
    """While the write lock is held, so that nothing is written between the copy and the change."""
    target = path.with_name(f"{path.name}.v{found}.backup")
    target.touch(mode=0o600)
    with closing(connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    sync_directory(path.parent)


def _migrate(connection: sqlite3.Connection, found: int, migrations: Sequence[Migration]) -> None:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
    )
    for migration in migrations:
        if migration.version > found:
            for statement in migration.statements:
                connection.execute(statement)
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", (migrations[-1].version,)
    )
