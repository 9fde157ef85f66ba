"""A real log in memory whose store can be taken away and brought back."""

from collections.abc import Sequence

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import Lease, Snapshot, StoreDown
from hearth.log.memory import MemoryLog, MemoryStore

GONE = "the disk is gone"


class FaultyLog(MemoryLog):
    """While `down`, nothing is taken or given.

    With `lose_answer`, the next append is made, followers hear of it, and it is reported as
    failed; with `lose_news`, this process does not even hear of it as its own.
    """

    def __init__(self, store: MemoryStore | None = None) -> None:
        super().__init__(store)
        self.down = False
        self.lose_answer = False
        self.lose_news = False
        self.cannot_read = False
        """Rows of one session cannot be read, all else works."""
        self.pages_read = 0
        self.rows_read = 0
        """Of single sessions."""

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        self._there()
        if self.lose_news:
            self.lose_news = False
            elsewhere = MemoryLog(self.store)
            await elsewhere.open()
            await elsewhere.append(session, expected_version, drafts, lease)
            raise StoreDown("the answer was lost")
        rows = await super().append(session, expected_version, drafts, lease)
        if self.lose_answer:
            self.lose_answer = False
            raise StoreDown("the answer was lost")
        return rows

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        self._there()
        self.pages_read += 1
        return await super().read(after, limit=limit, session=session, types=types)

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        self._there()
        if self.cannot_read:
            raise StoreDown(GONE)
        self.pages_read += 1
        rows = await super().read_session(session, after_version, limit)
        self.rows_read += len(rows)
        return rows

    async def find(self, event: EventId) -> Stored | None:
        self._there()
        return await super().find(event)

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        self._there()
        await super().save_snapshot(snapshot)

    def _there(self) -> None:
        if self.down:
            raise StoreDown(GONE)
