"""The event log in memory, for tests and the demo: the same promises, except over a restart.

Several logs on one MemoryStore are what several processes on one database are.
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.blobs import fits, references
from hearth.log.event_log import (
    BlobStore,
    CommitListener,
    DuplicateEvent,
    Finding,
    Head,
    Hit,
    Lease,
    NotOwner,
    Snapshot,
    StoreDown,
    VersionConflict,
    refuse_too_large,
)
from hearth.log.listeners import Listeners
from hearth.log.memory_store import MemoryBlobs, MemoryStore, write_copy
from hearth.log.searchable import excerpt, query_words, searchable_text, words_of
from hearth.log.sqlite_check import problem_of_row

__all__ = ["MemoryBlobs", "MemoryLog", "MemoryStore"]

NOBODY: Final = "nobody"


class MemoryLog:
    """An EventLog without a disk."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self._blobs = MemoryBlobs(self.store)
        self._owner = f"memory-{next(self.store.owners)}"
        self._listeners = Listeners()

    @property
    def blobs(self) -> BlobStore:
        """In memory, too."""
        return self._blobs

    @property
    def name(self) -> str:
        """The backend in words for people."""
        return "memory; nothing is kept when the process ends"

    @property
    def warnings(self) -> Sequence[str]:
        """None: the name says it."""
        return ()

    async def open(self) -> None:
        """Become one of the store's logs."""
        if self not in self.store.open_logs:
            self.store.open_logs.append(self)

    async def close(self) -> None:
        """Leave the store, and every session without an owner."""
        if self in self.store.open_logs:
            self.store.open_logs.remove(self)
        for lease in list(self.store.leases.values()):
            self._give_up(lease)

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        """All of them or none."""
        store = self._opened()
        refuse_too_large(drafts)
        if not drafts:
            return []
        if standing := self._standing(session, drafts):
            return standing
        present = store.leases.get(session)
        if lease is not None and lease != present:
            raise NotOwner(session, (present and present.owner) or NOBODY)
        actual = len(store.streams.get(session, ()))
        if actual != expected_version:
            raise VersionConflict(session, expected_version, actual)
        rows = [self._add(session, draft) for draft in drafts]
        # As with the other stores, the answer comes in a later turn of the loop.
        answer: asyncio.Future[Sequence[Stored]] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(self._tell, rows, answer)
        return await answer

    def _standing(self, session: SessionId, drafts: Sequence[Draft]) -> Sequence[Stored]:
        """The rows of this very append if it stands already; DuplicateEvent for anything else."""
        store = self.store
        seqs = [store.ids.get(draft.id) for draft in drafts]
        rows = [store.rows[seq][0] for seq in seqs if seq is not None]
        if not rows and len({draft.id for draft in drafts}) == len(drafts):
            return []
        in_order = (
            [(session, rows[0].version + place) for place in range(len(drafts))] if rows else []
        )
        if [(row.session, row.version) for row in rows] != in_order or not rows:
            raise DuplicateEvent(f"some of {[draft.id for draft in drafts]} stand elsewhere")
        return rows

    def _add(self, session: SessionId, draft: Draft) -> Stored:
        stream = self.store.streams.setdefault(session, [])
        row = Stored(next(self.store.seqs), session, len(stream) + 1, draft.data)
        stream.append(row.seq)
        self.store.rows[row.seq] = (row, draft)
        self.store.ids[draft.id] = row.seq
        return row

    def _tell(self, rows: Sequence[Stored], answer: "asyncio.Future[Sequence[Stored]]") -> None:
        for log in tuple(self.store.open_logs):
            log.hear(rows if log is self else [])
        if not answer.done():
            answer.set_result(rows)

    def hear(self, rows: Sequence[Stored]) -> None:
        """Tell the listeners of a commit."""
        self._listeners.tell(rows)

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        """Rows with seq > after in seq order; of one session or all, of these types or all."""
        store = self._opened()
        seqs = store.rows if session is None else store.streams.get(session, [])
        # From the end, because most who ask have seen nearly everything.
        newer = [*takewhile(lambda seq: seq > after, reversed(seqs))]
        found = (
            row
            for row, draft in map(store.rows.__getitem__, reversed(newer))
            if not types or draft.type in types
        )
        rows = list(islice(found, max(limit, 0)))
        # Others get their turn, as they do while another store is read.
        await asyncio.sleep(0)
        return rows

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        """Rows of one session with version > after_version, in order."""
        return self._opened().stored(session)[after_version:][: max(limit, 0)]

    async def find(self, event: EventId) -> Stored | None:
        """The row with this event id."""
        seq = self._opened().ids.get(event)
        return None if seq is None else self.store.rows[seq][0]

    async def head(self) -> int:
        """The highest visible seq; 0 for an empty log."""
        return next(reversed(self._opened().rows), 0)

    async def heads(self) -> Sequence[Head]:
        """Every session in the log, oldest last event first."""
        streams = self._opened().streams.items()
        heads = [Head(session, len(seqs), seqs[-1]) for session, seqs in streams]
        return sorted(heads, key=lambda head: head.seq)

    def listen(self, listener: CommitListener) -> Callable[[], None]:
        """Be told of commits; returns the way to stop."""
        return self._listeners.add(listener)

    async def claim(self, session: SessionId) -> Lease:
        """Become the owner of a session; NotOwner while another log has it."""
        present = self._opened().leases.get(session, Lease(session, "", 0))
        if present.owner == self._owner:
            return present
        if present.owner:
            raise NotOwner(session, present.owner)
        lease = Lease(session, self._owner, present.generation + 1)
        self.store.leases[session] = lease
        return lease

    async def release(self, lease: Lease) -> None:
        """Give a session up, if it is still ours."""
        self._opened()
        self._give_up(lease)

    def _give_up(self, lease: Lease) -> None:
        if lease.owner == self._owner and self.store.leases.get(lease.session) == lease:
            self.store.leases[lease.session] = lease._replace(owner="")

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep the newest snapshot of a session."""
        present = self._opened().snapshots.get(snapshot.session)
        if present is None or snapshot.version >= present.version or snapshot.fold != present.fold:
            self.store.snapshots[snapshot.session] = snapshot

    async def load_snapshot(self, session: SessionId) -> Snapshot | None:
        """The newest snapshot of a session, if any."""
        return self._opened().snapshots.get(session)

    async def search(
        self, query: str, *, session: SessionId | None = None, limit: int = 50
    ) -> Sequence[Hit]:
        """Events whose text has all words of the query, newest first."""
        words = query_words(query)
        hits: list[Hit] = []
        for row, _ in reversed(self._opened().rows.values()):
            if words and len(hits) < limit and session in {None, row.session}:
                text = searchable_text(row.data)
                if set(words) <= set(words_of(text)):
                    hits.append(Hit(row.session, row.seq, excerpt(text, words)))
        return hits

    async def check(self) -> Sequence[Finding]:
        """Verify rows and blobs; versions and heads cannot be wrong here."""
        found: list[Finding] = []
        for row, draft in self._opened().rows.values():
            if problem := problem_of_row(row.data, draft.id, draft.type):
                found.append(Finding(row.session, row.seq, problem))
            for digest in references(row.data):
                content = self.store.contents.get(digest)
                if content is None or not fits(content, digest):
                    what = "missing" if content is None else "damaged"
                    found.append(Finding(row.session, row.seq, f"the blob {digest} is {what}"))
        return found

    async def remove(self, session: SessionId) -> int:
        """Delete a session's rows for good; how many they were."""
        store = self._opened()
        seqs = store.streams.pop(session, [])
        for seq in seqs:
            _, draft = store.rows.pop(seq)
            del store.ids[draft.id]
        store.snapshots.pop(session, None)
        return len(seqs)

    async def backup(self, target: str) -> None:
        """A complete copy as an SQLite log in the new directory `target`."""
        store = self._opened()
        rows = [
            (row.seq, row.session, row.version, draft.id, draft.type, row.data)
            for row, draft in store.rows.values()
        ]
        heads = await self.heads()
        await asyncio.to_thread(
            write_copy, Path(target), rows, heads, list(store.contents.values())
        )

    def _opened(self) -> MemoryStore:
        if self not in self.store.open_logs:
            raise StoreDown("this log in memory is not open")
        return self.store
