"""Makes facts durable: in the log, or on disk beside it while the log's store is down."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import StoreWarning
from hearth.engine.clock import Clock
from hearth.engine.keeping import KeptBlobs
from hearth.log.event_log import EventLog, Lease, LogError, StoreDown
from hearth.log.spool import Spool, SpooledBatch

FIRST_RETRY: Final = 0.25
LONGEST_RETRY: Final = 5.0
WARN_EVERY: Final = 100
FLUSHED_AT_ONCE: Final = 64
BACK: Final = "the store is back and takes events again"

_said = logging.getLogger(__name__)


class Savings(Protocol):
    """Who wants to know what became of facts that had to wait."""

    def saved_at_last(self, session: SessionId, rows: Sequence[Stored]) -> None:
        """Waiting facts of this session got their place in the log."""

    def cannot_be_saved(self, session: SessionId, error: LogError) -> None:
        """Waiting facts of this session no longer fit the log; they stay on disk."""

    def lease_of(self, session: SessionId) -> Lease | None:
        """The right by which this session's facts are appended."""

    def warn(self, warning: StoreWarning) -> None:
        """Tell people."""


class Saver:
    """Appends; when the store is down, spools, and appends later in the original order."""

    def __init__(self, log: EventLog, spool: Spool | None, clock: Clock, savings: Savings) -> None:
        self.blobs = KeptBlobs(log.blobs, spool.blobs if spool is not None else None)
        """Where facts put what is too large for them."""
        self._log = log
        self._spool = spool
        self._clock = clock
        self._savings = savings
        self._stuck: set[SessionId] = set()
        self._flushing: asyncio.Task[None] | None = None
        self._reason = ""
        self._warned: int | None = None
        """At how many hundreds people were last told, since the store went away."""

    @property
    def unsaved(self) -> int:
        """How many facts wait on disk."""
        return self._spool.count if self._spool is not None else 0

    async def sessions_waiting(self) -> set[SessionId]:
        """Whose facts wait on disk."""
        return {batch.session for batch in await self._spool.pending()} if self._spool else set()

    async def append(
        self, session: SessionId, version: int, drafts: Sequence[Draft], lease: Lease | None
    ) -> Sequence[Stored]:
        """Durable when it returns. Rows with seq 0 wait on disk. StoreDown if not even that."""
        if self._flushing is None:
            try:
                await self.blobs.bring()
                return await self._log.append(session, version, drafts, lease)
            except StoreDown as down:
                if self._spool is None:
                    raise
                self._reason = str(down)
        return await self._set_aside(session, version, drafts)

    async def flush(self) -> None:
        """Append everything that waits, in order. StoreDown if the store is not back."""
        spool = self._spool
        while spool is not None and (waiting := await self._waiting(spool)):
            await self.blobs.bring()
            for start in range(0, len(waiting), FLUSHED_AT_ONCE):
                await self._flush(spool, waiting[start : start + FLUSHED_AT_ONCE])

    async def _flush(self, spool: Spool, batches: Sequence[SpooledBatch]) -> None:
        """Given to the log together, so that they share commits; it takes them in this order.

        One by one they would be appended more slowly than a busy engine sets new ones aside, and
        there would be no end.
        """
        appends = [self._append(batch) for batch in batches]
        outcomes = await asyncio.gather(*appends, return_exceptions=True)
        for batch, outcome in zip(batches, outcomes, strict=True):
            if batch.session in self._stuck:
                continue
            match outcome:
                case StoreDown():
                    raise outcome  # whatever came behind it is tried again: ids make that safe
                case LogError():
                    self._stuck.add(batch.session)
                    _said.error("facts of %s stay on disk", batch.session, exc_info=outcome)
                    self._savings.cannot_be_saved(batch.session, outcome)
                case BaseException():
                    raise outcome
                case rows:
                    await spool.drop(batch)
                    self._savings.saved_at_last(batch.session, rows)

    async def _append(self, batch: SpooledBatch) -> Sequence[Stored]:
        lease = self._savings.lease_of(batch.session)
        return await self._log.append(batch.session, batch.first_version - 1, batch.drafts, lease)

    async def close(self) -> None:
        """Leave what waits on disk for the next start."""
        if self._flushing is not None:
            self._flushing.cancel()
            await asyncio.gather(self._flushing, return_exceptions=True)

    async def _set_aside(
        self, session: SessionId, version: int, drafts: Sequence[Draft]
    ) -> Sequence[Stored]:
        if self._spool is None:
            raise StoreDown(self._reason)
        await self._spool.append(session, version + 1, drafts)
        hundreds = self.unsaved // WARN_EVERY
        if self._warned is None or self._warned < hundreds:
            self._warned = hundreds
            self._warn()
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush_when_back())
        return [
            Stored(0, session, version + place, draft.data)
            for place, draft in enumerate(drafts, start=1)
        ]

    async def _waiting(self, spool: Spool) -> Sequence[SpooledBatch]:
        batches = await spool.pending()
        return [batch for batch in batches if batch.session not in self._stuck]

    async def _flush_when_back(self) -> None:
        delay = FIRST_RETRY
        while True:
            await self._clock.sleep(delay)
            try:
                await self.flush()
            except StoreDown as down:
                self._reason = str(down)
                delay = min(LONGEST_RETRY, delay * 2)
            else:
                break
        # No await since `flush` found nothing waiting, so nothing can have been set aside.
        self._flushing = None
        self._warned = None
        self._savings.warn(StoreWarning(self.unsaved, BACK))

    def _warn(self) -> None:
        message = (
            f"the store is down ({self._reason}); {self.unsaved} events are live but unsaved, "
            "they wait on disk"
        )
        _said.warning(message)
        self._savings.warn(StoreWarning(self.unsaved, message))
