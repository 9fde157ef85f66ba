"""One session's mailbox, and the one loop that empties it.

Inputs are decided in order on the state the ones before them led to; all that waited are made
durable together; only then is anyone answered and anything performed. A loop has no task while
its mailbox is empty.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from typing import Final

from hearth.core.rules.session import IllegalEvent, resume, resume_talk
from hearth.core.vocabulary.codec import envelope_json
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.effects import Effect, StopWorker
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId, event_id
from hearth.core.vocabulary.inputs import Asked, Told
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.progress import EventUnsaved, Progress
from hearth.core.vocabulary.refusals import Refusal
from hearth.core.vocabulary.reports import Report
from hearth.engine.fresh_ids import fresh_input_id
from hearth.engine.mailbox import Answer, Batch, Letter
from hearth.engine.open_blocks import OpenBlocks
from hearth.engine.performing import SessionStage
from hearth.engine.recent_ids import RecentIds
from hearth.engine.refusing import duplicate, owned_elsewhere, quarantined, unavailable
from hearth.engine.restoring import Restored, restore, snapshot_of
from hearth.engine.resuming import Resuming
from hearth.engine.surroundings import Surroundings
from hearth.log.event_log import (
    DuplicateEvent,
    Lease,
    LogError,
    NotOwner,
    StoreDown,
    VersionConflict,
)

MOST_AT_ONCE: Final = 256
"""Facts in one append."""
SNAPSHOT_EVERY: Final = 1000
RETRY: Final = 0.5
MOST_RELOADS: Final = 3
"""In a row; then something else is wrong."""

_said = logging.getLogger(__name__)


class SessionLoop:
    """Runs one session."""

    def __init__(self, restored: Restored, lease: Lease | None, around: Surroundings) -> None:
        self.fold = restored.fold
        self.seq = restored.seq
        """The newest durable event of this session."""
        self.lease = lease
        self.trouble: Refusal | None = None
        """Why the session is set aside, if it is; nothing more is done for it."""
        self._around = around
        self._snapshot_version = restored.snapshot_version
        self._mailbox: deque[Letter] = deque()
        self._recent = RecentIds()
        self._task: asyncio.Task[None] | None = None
        self._is_leaving = False
        self._reloads = 0
        self._pending: Batch | None = None
        """What is being appended."""
        self._resuming: Resuming | None = None
        self.writing = OpenBlocks()
        """What its model writes right now."""
        self._stage = SessionStage(self.session, self.tell, self._show)

    @property
    def session(self) -> SessionId:
        """Whose loop this is."""
        return self.fold.state.session

    async def ask(self, asked: Asked) -> Answer:
        """Put a command into the mailbox and wait until it is accepted or refused."""
        if self.trouble is not None:
            return self.trouble
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._put(Letter(asked, answer))
        return await answer

    def tell(self, report: Report) -> None:
        """Put a report into the mailbox."""
        if self.trouble is None:
            self._put(Letter(Told(fresh_input_id(), self._around.clock.now(), report), None))

    def resume(self, *, superseded: bool = False) -> None:
        """Bring the session into the present, and announce it when it is up."""
        state = self.fold.state
        effects = resume(state, self._around.clock.now())
        if effects or superseded:
            self._resuming = Resuming(
                state, superseded=superseded, show=self._stage.show, ask=self._ask_ourselves
            )
        self.perform(effects)
        self.perform(resume_talk(state, self._around.clock.now()))

    @property
    def is_resuming(self) -> bool:
        """Whether it was taken up and its interpreter has not been heard of yet."""
        return self._resuming is not None

    def perform(self, effects: Sequence[Effect]) -> None:
        """Have effects carried out on behalf of this session."""
        for effect in effects:
            self._around.performing.begin(self.session, effect, self._stage)

    async def drained(self) -> None:
        """Return when the mailbox is empty; what cannot be saved is not waited for any more."""
        self._is_leaving = True
        while self._task is not None:
            await asyncio.wait([self._task])

    async def save_snapshot(self) -> None:
        """Keep the present fold, so that the next start need not replay."""
        if self._snapshot_version == self.fold.state.version or self._around.saver.unsaved:
            return
        snapshot = snapshot_of(self.fold, self.seq, self._around.fold_name)
        try:
            await self._around.log.save_snapshot(snapshot)
        except LogError as error:
            _said.warning("no snapshot of %s: %s", self.session, error)
        self._snapshot_version = snapshot.version

    def evolve(self, row: Stored) -> None:
        """A row of this session is about to be shown to followers: be as far as they are."""
        self.seq = max(self.seq, row.seq)
        if self._pending is not None:
            self._pending.published.append(row)
            if row.version == self._pending.fold.state.version:
                self._become(self._pending)

    def set_aside(self, trouble: Refusal) -> None:
        """Do nothing more for this session; whoever waits is told why."""
        _said.error("%s is set aside: %s", self.session, trouble.why)
        self.trouble = trouble
        while self._mailbox:
            self._mailbox.popleft().reply(trouble)

    def _show(self, session: SessionId, progress: Progress) -> None:
        self.writing.hear(progress)
        self._around.subscribers.show(session, progress)

    def _ask_ourselves(self, command: Command) -> None:
        """Nobody waits for the answer, and it is hearth's own doing."""
        asked = Asked(fresh_input_id(), self._around.clock.now(), SYSTEM, command)
        self._put(Letter(asked, None))

    def _put(self, letter: Letter) -> None:
        self._mailbox.append(letter)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._mailbox:
                await self._take_some()
                if self.fold.state.version - self._snapshot_version >= SNAPSHOT_EVERY:
                    await self.save_snapshot()
            if not self._around.saver.unsaved:
                self._recent.rest()
        except Exception as defect:  # ours; it must end this one session, loudly, and no other
            _said.exception("%s met a defect", self.session)
            if self.trouble is None:
                self.set_aside(quarantined(self.session, defect))
        finally:
            self._task = None

    async def _take_some(self) -> None:
        """Decide what waits, make it durable, answer, perform."""
        batch = Batch(self.fold)
        try:
            while self._mailbox and len(batch.drafts) < MOST_AT_ONCE:
                letter = self._mailbox.popleft()
                if letter.cause.id in batch.ids:  # to be answered once the first one is durable
                    self._mailbox.appendleft(letter)
                    break
                known = self._recent.seq(letter.cause.id)
                await batch.take(letter, known, self._around.saver.blobs)
            rows = await self._append(batch)
        except StoreDown as down:
            await self._hold(batch, down)
            return
        except NotOwner as lost:
            self._give_up(batch, owned_elsewhere(lost))
            self.perform((StopWorker(self.fold.state.generation),))  # it has another one there
            return
        except (VersionConflict, DuplicateEvent) as conflict:
            await self._reload(batch, conflict)
            return
        except Exception as defect:
            self._give_up(batch, quarantined(self.session, defect))
            raise
        self._reloads = 0
        self._commit(batch, rows)

    async def _append(self, batch: Batch) -> Sequence[Stored]:
        if not batch.drafts:
            return ()
        version = self.fold.state.version
        self._pending = batch
        try:
            rows = await self._around.saver.append(self.session, version, batch.drafts, self.lease)
        except StoreDown:
            if self.fold is not batch.fold:
                raise
            rows = batch.published  # only the answer was lost: followers have seen them
        finally:
            self._pending = None
        if rows[0].version != version + 1 or len(rows) != len(batch.drafts):
            raise AssertionError(f"{self.session}: appended at {version}, found {rows[0].version}")
        return rows

    def _become(self, batch: Batch) -> None:
        """It is durable: whoever looks from now on finds what was written in the fold."""
        self.fold = batch.fold
        if batch.is_sealing:
            self.writing.clear()

    def _commit(self, batch: Batch, rows: Sequence[Stored]) -> None:
        self._become(batch)
        self.seq = max(self.seq, rows[-1].seq) if rows else self.seq
        for row in rows:
            if row.seq == 0:
                self._show_unsaved(row)
        for one in batch.accept(rows):
            self._recent.add(one.id, one.seq, keep_all=self._around.saver.unsaved > 0)
        self.perform(batch.effects)
        inputs = (letter.cause for letter, _ in batch.letters)
        if self._resuming is not None and self._resuming.heard(inputs, self.fold.state):
            self._resuming = None

    async def _hold(self, batch: Batch, down: StoreDown) -> None:
        """Not durable anywhere: commands are refused, reports wait; what they say is shown."""
        version = self.fold.state.version
        waiting = batch.held(unavailable(down))
        if waiting and not waiting[0].shown:
            for place, draft in enumerate(batch.drafts, start=1):
                self._show_unsaved(Stored(0, self.session, version + place, draft.data))
        if waiting and not self._is_leaving:
            for letter in reversed(waiting):
                letter.shown = True
                self._mailbox.appendleft(letter)
            await self._around.clock.sleep(RETRY)

    async def _reload(self, batch: Batch, conflict: VersionConflict | DuplicateEvent) -> None:
        """The log is ahead of us: an append that was reported as failed had been made.

        Its effects were never performed, so the session is taken up as after a crash; then what
        waits is decided again.
        """
        self._reloads += 1
        if self._reloads > MOST_RELOADS:
            self._give_up(batch, quarantined(self.session, conflict))
            return
        _said.warning("%s: %s; reading it again", self.session, conflict)
        try:
            restored = await restore(self._around.log, self.session, self._around.fold_name)
            left = [letter for letter, _ in batch.letters if not await self._is_made(letter)]
        except StoreDown as down:
            await self._hold(batch, down)
            return
        except (LogError, IllegalEvent) as broken:
            self._give_up(batch, quarantined(self.session, broken))
            return
        self.fold, self.seq = restored.fold, restored.seq
        self.writing.clear()
        self._mailbox.extendleft(reversed(left))
        now = self._around.clock.now()
        self.perform((*resume(self.fold.state, now), *resume_talk(self.fold.state, now)))

    async def _is_made(self, letter: Letter) -> bool:
        """Whether the consequences of this input are in the log; who asked is told where."""
        made = await self._around.log.find(event_id(letter.cause.id, 0))
        if made is not None:
            letter.reply(duplicate(letter.cause.id, made.seq))
        return made is not None

    def _give_up(self, batch: Batch, trouble: Refusal) -> None:
        batch.refuse(trouble)
        self.set_aside(trouble)

    def _show_unsaved(self, row: Stored) -> None:
        unsaved = EventUnsaved(envelope_json(row).decode())
        self._around.subscribers.show(self.session, unsaved)
