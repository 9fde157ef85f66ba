"""The event log in one SQLite file: needs no server, survives kill and power loss.

One thread writes, a few read, the loop waits for none of them. Several processes may use the same
file; SQLite's write lock puts their commits in order.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log import sqlite_appending as appending
from hearth.log import sqlite_check, sqlite_reading, sqlite_search
from hearth.log.blobs import BlobFiles
from hearth.log.event_log import (
    BlobStore,
    CommitListener,
    Finding,
    Head,
    Hit,
    Lease,
    LogError,
    Snapshot,
    StoreDown,
    refuse_too_large,
)
from hearth.log.filesystem import network_warning
from hearth.log.listeners import Listeners
from hearth.log.owners import Owner
from hearth.log.sqlite_errors import opening
from hearth.log.sqlite_reading import Readers
from hearth.log.sqlite_schema import prepare
from hearth.log.sqlite_transaction import Transaction
from hearth.log.sqlite_writer import Writer

T = TypeVar("T")


def new_owner_name() -> str:
    """A name nobody had before: the machine and process for people, the rest for certainty."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(6)}".replace("/", "-")


class SqliteLog:
    """An EventLog in the file `path`; blobs and owners' signs of life lie beside it."""

    def __init__(self, path: Path, owner: str | None = None) -> None:
        self._path = path
        self._blobs = BlobFiles(path.parent / "blobs")
        self._owner = Owner(path.with_name(f"{path.name}.owners"), owner or new_owner_name())
        self._listeners = Listeners()
        self._readers: Readers | None = None
        self._writer: Writer | None = None
        self._warnings: tuple[str, ...] = ()

    @property
    def blobs(self) -> BlobStore:
        """Files beside the database."""
        return self._blobs

    @property
    def name(self) -> str:
        """The backend in words for people."""
        return f"SQLite at {self._path}"

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know about this store."""
        return self._warnings

    async def open(self) -> None:
        """Create or migrate the file, and start the threads."""
        await asyncio.to_thread(self._prepare)
        self._readers = Readers(self._path)
        self._writer = Writer(self._path, self._listeners.tell, sqlite_search.catch_up_idly)
        await self._writer.begin()
        if self._listeners:
            self._writer.watch()

    def _prepare(self) -> None:
        with opening(self._path):
            prepare(self._path)
            self._owner.appear()
            self._owner.sweep()
            warning = network_warning(self._path)
            self._warnings = (warning,) if warning else ()

    async def close(self) -> None:
        """Finish what was begun, release leases and connections."""
        if self._writer is not None:
            with suppress(LogError):  # If it cannot be written, the vanished owner says the same.
                await self._writer.submit(partial(appending.release_all, owner=self._owner.name))
            await self._writer.close()
        if self._readers is not None:
            await self._readers.close()
        self._owner.vanish()

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        """All of them or none, durable when it returns."""
        refuse_too_large(drafts)
        if not drafts:
            return []
        return await self._write(
            lambda transaction: appending.append(
                transaction, session, expected_version, drafts, lease
            )
        )

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        """Rows with seq > after in seq order; of one session or all, of these types or all."""
        return await self._reading.run(sqlite_reading.read, after, limit, session, types)

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        """Rows of one session with version > after_version, in order."""
        return await self._reading.run(sqlite_reading.read_session, session, after_version, limit)

    async def find(self, event: EventId) -> Stored | None:
        """The row with this event id."""
        return await self._reading.run(sqlite_reading.find, event)

    async def head(self) -> int:
        """The highest visible seq; 0 for an empty log."""
        return await self._reading.run(sqlite_reading.head)

    async def heads(self) -> Sequence[Head]:
        """Every session in the log, oldest last event first."""
        return await self._reading.run(sqlite_reading.heads)

    def listen(self, listener: CommitListener) -> Callable[[], None]:
        """Be told of commits; returns the way to stop."""
        leave = self._listeners.add(listener)
        if self._writer is not None:
            self._writer.watch()

        def stop() -> None:
            leave()
            if not self._listeners and self._writer is not None:
                self._writer.unwatch()

        return stop

    async def claim(self, session: SessionId) -> Lease:
        """Become the owner of a session; NotOwner while another one lives."""
        return await self._write(
            partial(
                appending.claim, session=session, owner=self._owner.name, lives=self._owner.lives
            )
        )

    async def release(self, lease: Lease) -> None:
        """Give a session up, if it is still ours."""
        await self._write(partial(appending.release, lease=lease))

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep the newest snapshot of a session."""
        await self._write(partial(appending.save_snapshot, snapshot=snapshot))

    async def load_snapshot(self, session: SessionId) -> Snapshot | None:
        """The newest snapshot of a session, if any."""
        return await self._reading.run(sqlite_reading.load_snapshot, session)

    async def search(
        self, query: str, *, session: SessionId | None = None, limit: int = 50
    ) -> Sequence[Hit]:
        """Events whose text has all words of the query, best first."""
        await self._index()
        return await self._reading.run(sqlite_search.search, query, session, limit)

    async def check(self) -> Sequence[Finding]:
        """Verify rows, versions, heads and blobs; make the search index and snapshots anew."""
        found = await self._reading.run(sqlite_check.findings, self._blobs)
        if not any(finding.session == "" for finding in found):
            await self._write(sqlite_search.begin_anew)
            await self._write(sqlite_check.drop_stale_snapshots)
            await self._index()
        return found

    async def remove(self, session: SessionId) -> int:
        """Delete a session's rows for good; how many they were."""
        return await self._write(partial(appending.remove, session=session))

    async def backup(self, target: str) -> None:
        """A complete, consistent copy in the new directory `target`."""
        await self._reading.run(sqlite_check.back_up, self._blobs, Path(target))

    async def _index(self) -> None:
        if await self._reading.run(sqlite_search.is_behind):
            while await self._write(sqlite_search.catch_up):
                pass

    async def _write(self, perform: Callable[[Transaction], T]) -> T:
        if self._writer is None:
            raise StoreDown(f"{self._path} is not open")
        return await self._writer.submit(perform)

    @property
    def _reading(self) -> Readers:
        if self._readers is None:
            raise StoreDown(f"{self._path} is not open")
        return self._readers
