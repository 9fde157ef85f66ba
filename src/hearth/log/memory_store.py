"""What several logs in memory share, and how it becomes a file."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Protocol

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.blobs import BlobFiles, fits, reference
from hearth.log.event_log import CorruptRow, Head, Lease, LogError, Snapshot
from hearth.log.sqlite_check import BACKUP_NAME
from hearth.log.sqlite_schema import prepare


class Hearing(Protocol):
    """A log that is open on a store."""

    def hear(self, rows: Sequence[Stored]) -> None:
        """Be told of a commit: its rows if it was this log's own, else nothing."""


class MemoryStore:
    """What the logs of one process share."""

    def __init__(self) -> None:
        self.rows: dict[int, tuple[Stored, Draft]] = {}
        """By seq, in its order."""
        self.streams: dict[SessionId, list[int]] = {}
        """The seq of each event of a session, in the order of versions."""
        self.ids: dict[EventId, int] = {}
        self.snapshots: dict[SessionId, Snapshot] = {}
        self.leases: dict[SessionId, Lease] = {}
        self.contents: dict[str, bytes] = {}
        self.open_logs: list[Hearing] = []
        """Who is told of commits."""
        self.seqs = count(1)
        self.owners = count(1)

    def damage_row(self, seq: int) -> None:
        """Make an event unreadable: what a fault of the disk does to the other stores."""
        row, draft = self.rows[seq]
        self.rows[seq] = (Stored(seq, row.session, row.version, b'{"id":'), draft)

    def stored(self, session: SessionId) -> list[Stored]:
        """The rows of a session in order."""
        return [self.rows[seq][0] for seq in self.streams.get(session, ())]


class MemoryBlobs:
    """A BlobStore in a dict."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    async def put(self, content: bytes, media_type: str = "text/plain") -> Blob:
        """Store content; the same content always gives the same reference."""
        blob = reference(content, media_type)
        self._store.contents[blob.sha256] = bytes(content)
        return blob

    async def get(self, sha256: str) -> bytes:
        """The content; KeyError if it is not there, CorruptRow if it no longer fits its hash."""
        content = self._store.contents[sha256]
        if not fits(content, sha256):
            raise CorruptRow(f"the blob {sha256} is damaged")
        return content


def write_copy(
    target: Path, rows: Sequence[tuple[object, ...]], heads: Sequence[Head], contents: list[bytes]
) -> None:
    """Rows, heads and contents as an SQLite log in the new directory `target`."""
    if target.exists():
        raise LogError(f"{target} is there already; a backup needs a new name")
    path = target / BACKUP_NAME
    prepare(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO streams VALUES (?, ?, ?)", heads)
    blobs = BlobFiles(target / "blobs")
    for content in contents:
        blobs.put_now(content)
