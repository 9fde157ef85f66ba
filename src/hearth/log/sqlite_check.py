"""Looking after an SQLite log: what is wrong with it, and a copy of it."""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.ids import SessionId
from hearth.log.blobs import BlobFiles, references, sync_directory
from hearth.log.event_log import CorruptRow, Finding, LogError, StoreDown
from hearth.log.sqlite_transaction import Transaction

BACKUP_NAME: Final = "hearth.db"
"""The database's file in a backup's directory; its blobs are beside it."""


def findings(connection: sqlite3.Connection, blobs: BlobFiles) -> Sequence[Finding]:
    """Everything wrong with rows, versions, heads and blobs, as they were at one moment."""
    connection.execute("BEGIN")
    try:
        found = [
            *_structure(connection),
            *_rows(connection),
            *_versions(connection),
            *_heads(connection),
            *_blobs(connection, blobs),
        ]
    except sqlite3.DatabaseError as error:
        return [Finding("", 0, f"the file is damaged: {error}")]
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return sorted(found, key=lambda finding: finding.seq)


def problem_of_row(data: bytes, id_: str, type_: str) -> str | None:
    """What is wrong with a stored event by itself, if anything."""
    try:
        fact = codec.decode_fact(data)
    except codec.Unreadable as unreadable:
        return f"cannot be read: {unreadable}"
    if fact.id != id_:
        return f"is filed as {id_} but says it is {fact.id}"
    if b'"type":"' + type_.encode() not in data:
        return f"is filed as {type_} but is none"
    return None


def _structure(connection: sqlite3.Connection) -> Iterator[Finding]:
    for (line,) in connection.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield Finding("", 0, line)


def _rows(connection: sqlite3.Connection) -> Iterator[Finding]:
    for seq, session, id_, type_, data in connection.execute(
        "SELECT seq, session, id, type, data FROM events ORDER BY seq"
    ):
        if problem := problem_of_row(data, id_, type_):
            yield Finding(session, seq, problem)


def _versions(connection: sqlite3.Connection) -> Iterator[Finding]:
    """In the order of seq the versions of a session count up from 1."""
    reached: dict[SessionId, int] = {}
    for seq, session, version in connection.execute(
        "SELECT seq, session, version FROM events ORDER BY seq"
    ):
        expected = reached.get(session, 0) + 1
        if version != expected:
            yield Finding(session, seq, f"version {version} stands where {expected} belongs")
        reached[session] = version


def _heads(connection: sqlite3.Connection) -> Iterator[Finding]:
    real = {
        session: (version, seq)
        for session, version, seq in connection.execute(
            "SELECT session, max(version), max(seq) FROM events GROUP BY session"
        )
    }
    said = {
        session: (version, seq)
        for session, version, seq in connection.execute("SELECT session, version, seq FROM streams")
    }
    for session in real.keys() | said.keys():
        if real.get(session) != said.get(session):
            seq = (real.get(session) or (0, 0))[1]
            yield Finding(
                session,
                seq,
                f"the head is {said.get(session)}, the last row {real.get(session)}",
            )


def _blobs(connection: sqlite3.Connection, blobs: BlobFiles) -> Iterator[Finding]:
    problems: dict[str, str | None] = {}
    for seq, session, data in connection.execute(
        "SELECT seq, session, data FROM events WHERE instr(data, CAST(? AS BLOB)) ORDER BY seq",
        ('"sha256"',),
    ):
        for digest in references(data):
            if digest not in problems:
                problems[digest] = _problem_of_blob(blobs, digest)
            if problem := problems[digest]:
                yield Finding(session, seq, problem)


def _problem_of_blob(blobs: BlobFiles, digest: str) -> str | None:
    try:
        blobs.get_now(digest)
    except KeyError:
        return f"the blob {digest} is missing"
    except (CorruptRow, StoreDown) as error:
        return str(error)
    return None


def drop_stale_snapshots(transaction: Transaction) -> None:
    """Snapshots are a cache: one that is ahead of its session is worthless."""
    transaction.connection.execute(
        "DELETE FROM snapshots WHERE version > ifnull("
        "(SELECT version FROM streams WHERE streams.session = snapshots.session), 0)"
    )


def back_up(connection: sqlite3.Connection, blobs: BlobFiles, target: Path) -> None:
    """A consistent copy in a new directory, which has its name only when it is complete."""
    if target.exists():
        raise LogError(f"{target} is there already; a backup needs a new name")
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700, parents=True)
    with closing(sqlite3.connect(partial / BACKUP_NAME)) as copy:
        connection.backup(copy)
    # After the rows: whatever they name was put before they were written.
    copies = BlobFiles(partial / "blobs")
    for digest in blobs.digests():
        path = copies.path_of(digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(blobs.path_of(digest), path)
    _sync_tree(partial)
    partial.rename(target)
    sync_directory(target.parent)


def _sync_tree(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
