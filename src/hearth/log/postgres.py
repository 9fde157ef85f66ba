"""An event log in PostgreSQL, which any number of daemons may share.

One connection appends, one listens and keeps this owner alive, a few read. Whatever the server
does, the password of its URL appears in nothing that this module says.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log import postgres_check, postgres_search
from hearth.log.event_log import (
    CommitListener,
    Finding,
    Head,
    Hit,
    Lease,
    Snapshot,
    StoreDown,
    refuse_too_large,
)
from hearth.log.listeners import Listeners
from hearth.log.postgres_appending import Appender
from hearth.log.postgres_backup import read_backup, write_backup
from hearth.log.postgres_blobs import PostgresBlobs
from hearth.log.postgres_connection import USUAL_TIMES, Database, Times
from hearth.log.postgres_leases import LOCK, Ownership
from hearth.log.postgres_schema import prepare
from hearth.log.postgres_watch import Watch

_READ: Final = """
SELECT seq, session, version, data FROM events
WHERE seq > $1 AND ($3::text IS NULL OR session = $3)
  AND ($4::text[] IS NULL OR type = ANY ($4))
ORDER BY seq LIMIT $2
"""

_SAVE: Final = """
INSERT INTO snapshots (session, version, seq, fold, digest, data)
VALUES ($1, $2, $3, $4, sha256($5), $5)
ON CONFLICT (session) DO UPDATE
SET version = excluded.version, seq = excluded.seq, fold = excluded.fold,
    digest = excluded.digest, data = excluded.data
WHERE snapshots.version <= excluded.version
"""

_REMOVE: Final = (
    "DELETE FROM search WHERE session = $1",
    "DELETE FROM snapshots WHERE session = $1",
    "DELETE FROM streams WHERE session = $1",
)

_RISKS: Final = {
    "fsync": "fsync is off on the server: a power cut may lose or destroy acknowledged events",
    "full_page_writes": "full_page_writes is off on the server: a power cut may destroy the log",
}


class PostgresLog:
    """An EventLog on PostgreSQL.

    `owner` names this home to others; two processes never use the same one at a time, and a
    process that is started again under its name takes its sessions back at once.
    """

    def __init__(
        self,
        url: str,
        *,
        owner: str,
        schema: str = "hearth",
        times: Times = USUAL_TIMES,
    ) -> None:
        self._database = Database(url, schema, owner, patience=times.patience)
        self._channel = f"{schema}_events"
        self._ownership = Ownership(owner, f"{owner}/{secrets.token_hex(8)}", times.ttl)
        self._renew_every = times.renew_every
        self._listeners = Listeners()
        self._warnings: list[str] = []
        self._blobs = PostgresBlobs(self._database)
        self._appender: Appender | None = None
        self._watch: Watch | None = None

    def __repr__(self) -> str:
        return f"<PostgresLog {self.name}>"

    @property
    def blobs(self) -> PostgresBlobs:
        """Payloads, in the same database."""
        return self._blobs

    @property
    def name(self) -> str:
        """Without user and password."""
        schema = self._database.schema
        return f"PostgreSQL at {self._database.address}, schema {schema}"

    @property
    def warnings(self) -> Sequence[str]:
        """Settings of the server that endanger what is stored."""
        return tuple(self._warnings)

    async def open(self) -> None:
        """Connect, create or migrate the tables. NewerSchema, StoreDown."""
        if self._appender is not None:
            return
        await self._prepare()
        appender = Appender(self._database, self._channel, self._listeners.tell)
        watch = Watch(
            self._database,
            self._channel,
            lambda token: None if appender.is_own(token) else self._listeners.tell(()),
            self._ownership.renew,
            self._renew_every,
        )
        try:
            await self._database.open_pool()
            await appender.open()
            await watch.open()
        except BaseException:
            await appender.close()
            await watch.close()
            await self._database.close_pool()
            raise
        self._appender, self._watch = appender, watch

    async def close(self) -> None:
        """Finish what was begun, give leases up, disconnect."""
        appender, self._appender = self._appender, None
        watch, self._watch = self._watch, None
        if appender is not None:
            await appender.close()
        if watch is not None:
            await watch.close()
            # If the store is down, the leases run out by themselves.
            with suppress(StoreDown):
                await self._database.ask(self._ownership.end)
        await self._database.close_pool()

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        """All of them or none, durable when it returns. See EventLog."""
        refuse_too_large(drafts)
        if self._appender is None:
            raise StoreDown(f"the log in {self.name} is closed")
        if not drafts:
            return ()
        return await self._appender.append(session, expected_version, drafts, lease)

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        """Rows with seq > after in seq order; of one session or all, of these types or all."""
        rows = await self._fetch(_READ, after, max(limit, 0), session, list(types) or None)
        return [Stored(*row) for row in rows]

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        """Rows of one session with version > after_version, in order."""
        rows = await self._fetch(
            "SELECT seq, session, version, data FROM events"
            " WHERE session = $1 AND version > $2 ORDER BY version LIMIT $3",
            session,
            after_version,
            max(limit, 0),
        )
        return [Stored(*row) for row in rows]

    async def find(self, event: EventId) -> Stored | None:
        """The row with this event id."""
        rows = await self._fetch(
            "SELECT seq, session, version, data FROM events WHERE id = $1", event
        )
        return Stored(*rows[0]) if rows else None

    async def head(self) -> int:
        """The highest seq that was ever given; 0 for an empty log."""
        return int((await self._fetch("SELECT last FROM counter"))[0][0])

    async def heads(self) -> Sequence[Head]:
        """Every session in the log, oldest last event first."""
        rows = await self._fetch("SELECT session, version, seq FROM streams ORDER BY seq")
        return [Head(*row) for row in rows]

    def listen(self, listener: CommitListener) -> Callable[[], None]:
        """Be told of commits; returns the way to stop."""
        return self._listeners.add(listener)

    async def claim(self, session: SessionId) -> Lease:
        """Become the owner of a session. NotOwner while another one lives."""
        return await self._database.ask(
            lambda connection: self._ownership.claim(connection, session)
        )

    async def release(self, lease: Lease) -> None:
        """Give a session up, if it is still ours."""
        await self._database.ask(lambda connection: self._ownership.release(connection, lease))

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep the newest snapshot of a session."""
        await self._fetch(_SAVE, *snapshot)

    async def load_snapshot(self, session: SessionId) -> Snapshot | None:
        """The newest snapshot of a session, if any; a damaged one is none, as of any cache."""
        rows = await self._fetch(
            "SELECT session, version, seq, fold, data FROM snapshots"
            " WHERE session = $1 AND digest = sha256(data)",
            session,
        )
        return Snapshot(*rows[0]) if rows else None

    async def search(
        self, query: str, *, session: SessionId | None = None, limit: int = 50
    ) -> Sequence[Hit]:
        """Events whose text has all words of the query, best first."""
        return await self._database.ask(
            lambda connection: postgres_search.find(connection, query, session, limit)
        )

    async def check(self) -> Sequence[Finding]:
        """Verify rows, versions, heads, blobs; make the search index anew, drop bad snapshots."""
        async with self._database.alone() as connection:
            found = await postgres_check.findings(connection)
            await postgres_check.drop_bad_snapshots(connection)
            await postgres_search.rebuild(connection)
        return found

    async def remove(self, session: SessionId) -> int:
        """Delete a session's rows for good; how many they were.

        Its lease stays, so that an owner of old is fenced off for ever.
        """
        async with self._database.alone() as connection, connection.transaction():
            await connection.execute(postgres_search.LOCK_INDEX)
            await connection.execute(LOCK)
            for statement in _REMOVE:
                await connection.execute(statement, session)
            done = await connection.execute("DELETE FROM events WHERE session = $1", session)
        return int(done.rpartition(" ")[2])

    async def backup(self, target: str) -> None:
        """A complete copy in the new directory `target`; see postgres_backup. LogError."""
        async with self._database.alone() as connection:
            await write_backup(connection, Path(target))

    async def restore(self, source: str) -> None:
        """Fill this log, which must be empty, with a backup. LogError, CorruptRow."""
        async with self._database.alone() as connection:
            await read_backup(connection, Path(source))

    async def _prepare(self) -> None:
        async with self._database.alone() as connection:
            await prepare(connection, self._database.schema)
            await self._ownership.begin(connection)
            rows = await connection.fetch(
                "SELECT name, setting FROM pg_settings WHERE name = ANY ($1)", list(_RISKS)
            )
            self._warnings = [_RISKS[name] for name, setting in rows if setting == "off"]
            if await connection.fetchval("SHOW synchronous_commit") == "off":
                # Someone prefers speed to safety; an acknowledged event must be on the disk.
                self._database.settings["synchronous_commit"] = "on"

    async def _fetch(self, query: str, *arguments: Any) -> Sequence[Any]:
        return await self._database.ask(lambda connection: connection.fetch(query, *arguments))
