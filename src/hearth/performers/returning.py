"""Takes a session back to when something was said: its conversation, its interpreter, its files.

It uses the same doors as everyone else, in the name of whoever asked; what each of them answers is
told, also where one could not go along. Its commands are known by their ids. So one that a daemon
left half-way is taken up by reading the log: what was done is not done again, and is told.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Final

from hearth.api import Hearth, Settled, Viewed, each, settle
from hearth.core.rules.gone_back import BroughtBack, GoneBack, Step, may_have_written, own_id
from hearth.core.rules.ran_since import RanSince
from hearth.core.views.conversation import Conversation
from hearth.core.views.looking_back import block_at
from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId, block_place
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.prompting import RewindFiles, SwitchBranch
from hearth.core.vocabulary.refusals import DuplicateCommand, Refused, ShuttingDown
from hearth.core.vocabulary.undoing import ForkHow, Returned, SessionPart
from hearth.log.looking import Read, found
from hearth.performers.return_account import Account

PAGE: Final = 1000
NOBODY: Final = "nobody here can take this back"
NO_BLOCK: Final = (
    "{} is no block of this conversation: nothing was said there; the view `conversation` names its"
    " blocks"
)
NOT_KEPT: Final = (
    "no files were kept since {}: that is done before an agent of this session changes some, and"
    " not before other cells; what {} wrote stays as it is"
)
MOST_NAMED: Final = 5

_said = logging.getLogger(__name__)


class Returning:
    """Carries out ReturnSession. Give it the engine by `bind` before it is asked for anything."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.ReturnSession})

    def __init__(self, read: Read) -> None:
        self._read = read
        self._hearth: Hearth | None = None

    def bind(self, hearth: Hearth) -> None:
        """Use this engine; it cannot be given earlier, because the engine is made of performers."""
        self._hearth = hearth

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Go back, or find out what that would change."""
        if not isinstance(effect, fx.ReturnSession) or self._hearth is None:
            stage.report(r.EffectFailed(effect, NOBODY))
            return
        going = _Going(self._hearth, self._read, session, effect)
        try:
            if effect.to:
                await going.back()
            elif effect.was is not None:
                await going.forth(effect.was)
        except Exception as defect:  # noqa: BLE001 - a performer never raises, whatever happens
            _said.exception("%s could not be taken back", session)
            going.account.problems.append(f"{type(defect).__name__}: {defect}")
        stage.report(going.account.report())

    async def close(self) -> None:
        """Nothing is held."""


class _Going:
    """One return, or what is left of it to do."""

    def __init__(
        self, hearth: Hearth, read: Read, session: SessionId, effect: fx.ReturnSession
    ) -> None:
        self._hearth = hearth
        self._read = read
        self._session = session
        self._effect = effect
        self._past = GoneBack(effect.question)
        self.account = Account(effect)

    async def back(self) -> None:
        """Each part for itself: what cannot go along is told, and the others go."""
        to = self._effect.to
        version = block_place(to)[1]
        if await found(block_at(self._session, version), self._read) is None:
            self.account.failed = NO_BLOCK.format(to)
            return
        await self._catch_up()
        if self._effect.scope.files:
            await self._files(to)
        if self._effect.scope.interpreter:
            await self._interpreter(version)
        await self._conversation(to)

    async def forth(self, was: Returned) -> None:
        """Take the last return back."""
        await self._catch_up()
        if was.files:
            await self._files(BlockId(""))
        if was.undone:
            await self._bring_back(was)
        elif was.version:
            await self._instead(was.version)
        if was.was:
            await self._conversation(was.was)

    # -- commands of its own --------------------------------------------------------------------

    async def _catch_up(self) -> None:
        """Know what was done before a daemon ended; what is still under way is waited for."""
        following = self._hearth.follow(self._session)  # first, so that no end is missed
        try:
            async for envelope in self._since(self._effect.since):
                self._past.take(envelope)
            if not self._past.is_waiting:
                return
            async for item in each(following):
                if isinstance(item, Stored):
                    self._past.take(codec.envelope(item))
                if not self._past.is_waiting:
                    return
            raise ConnectionError(f"the stream of {self._session} ended")
        finally:
            following.close()

    async def _once(self, step: Step, command: c.Command) -> e.Event | None:
        """What it led to, in this attempt or an earlier one; None: it was refused, as is noted."""
        return self._past.end(step) or await self._do(step, command)

    async def _do(self, step: Step, command: c.Command) -> e.Event | None:
        """The event that ended it; None: it was refused, as is noted."""
        number = self._past.count(step) + 1
        own = own_id(self._effect.question, step, number)
        origin = self._effect.origin
        done = await settle(self._hearth, self._session, command, origin, input_id=own)
        if isinstance(done, ShuttingDown):
            # Whoever comes back goes on from here: it must not be told as if it were over.
            await asyncio.get_running_loop().create_future()
        if isinstance(done, DuplicateCommand):
            await self._catch_up()  # whoever is at it as well was a little faster
            return self._past.end(step)
        if isinstance(done, Settled):
            for envelope in done.envelopes:
                self._past.take(envelope)
            return done.outcome.event
        self.account.lacks(step.part, done.why)
        return None

    def _not(self, step: Step, event: e.Event | None) -> None:
        """Tell that something did not end as it should have; what was refused is told already."""
        if event is not None:
            self.account.lacks(step.part, getattr(event, "why", "") or _named(event))

    # -- its parts ------------------------------------------------------------------------------

    async def _files(self, to: BlockId) -> None:
        preview, account = self._effect.preview, self.account
        event = await self._once(Step.FILES, RewindFiles(to, preview))
        if isinstance(event, e.FilesCompared | e.FilesRewound):
            account.changes, account.left_out = event.changes, event.left_out
            account.files = not preview and bool(event.changes or event.left_out)
            if event.kept is None:
                await self._tell_not_kept(to)
        else:
            self._not(Step.FILES, event)

    async def _tell_not_kept(self, to: BlockId) -> None:
        """Nothing can be gone back to; where something may have been changed, that is a problem."""
        wrote: list[str] = []
        async for envelope in self._since(block_place(to)[1]):
            what = may_have_written(envelope.event)
            if what and what not in wrote and envelope.version < self._effect.since:
                wrote.append(what)
        if wrote:
            some = ", ".join(wrote[:MOST_NAMED]) + (" and more" if wrote[MOST_NAMED:] else "")
            self.account.lacks(SessionPart.FILES, NOT_KEPT.format(to, some))

    async def _interpreter(self, version: int) -> None:
        """Have it what it was at a version: by a copy if one is kept, else rebuilt."""
        since = await self._ran_since(version)
        undone = self._past.end(Step.UNDO)
        if isinstance(undone, e.CellsUndone) and since.same:
            self._was_undone(undone)
        elif self._past.is_rebuilt or not since.same:
            await self._instead(version + 1)
        elif undone is not None:
            self._not(Step.UNDO, undone)
        elif since.cells:
            await self._take_back(version, since.cells[0])

    async def _take_back(self, version: int, cell: CellId) -> None:
        """Take this cell back and all since, which came behind a version."""
        status = await self._status()
        if status is None:
            return
        if cell not in status.kept.cells:
            await self._instead(version + 1)
            return
        self.account.how = ForkHow.COPY
        if self._effect.preview:
            return
        told = len(self.account.problems)
        event = await self._do(Step.UNDO, c.UndoCells(cell=cell))
        if isinstance(event, e.CellsUndone):
            self._was_undone(event)
        elif (await self._ran_since(version)).same:
            self._not(Step.UNDO, event)
        else:
            # It was lost meanwhile, and its copies with it.
            del self.account.problems[told:]
            await self._instead(version + 1)

    def _was_undone(self, event: e.CellsUndone) -> None:
        self.account.how = ForkHow.COPY
        self.account.undone = event.cells if event.can_redo else ()

    async def _bring_back(self, was: Returned) -> None:
        """Have the interpreter what it was before cells were taken back, and nothing more."""
        back = BroughtBack(was.cells)
        async for envelope in self._since(was.since):
            back.take(envelope)
        if back.is_there:
            return  # somebody has done it meanwhile
        if not back.times:
            # A new cell has ended that. What it was can be had by running the cells again.
            await self._instead(was.since)
            return
        self.account.how = ForkHow.COPY
        for _ in range(0 if self._effect.preview else back.times):
            event = await self._do(Step.REDO, c.RedoCells())
            if not isinstance(event, e.CellsRedone):
                self._not(Step.REDO, event)
                return

    async def _instead(self, before: int) -> None:
        """Rebuild the interpreter: a new one, in which is run again what it held then."""
        account = self.account
        account.how = ForkHow.REPLAY
        if self._effect.preview:
            return
        if not self._past.is_rebuilt:
            reset = await self._do(Step.RESET, c.HardResetSession())
            account.is_rebuilt = self._past.count(Step.RESET) > 0
            if not isinstance(reset, e.SessionReady):
                self._not(Step.RESET, reset)
                return
            await self._do(Step.REPLAY, c.ReplaySession(before=before))
        account.is_rebuilt = True
        event = self._past.end(Step.REPLAY)
        if not isinstance(event, e.SessionReplayed):
            self._not(Step.REPLAY, event)
            return
        odd = (*event.failed, *(one.cell for one in event.differing), *event.missing)
        if event.problem or odd:
            why = event.problem or f"not as they were: {', '.join(odd)}"
            account.lacks(SessionPart.INTERPRETER, f"the cells that were run again: {why}")

    async def _conversation(self, to: BlockId) -> None:
        leaf = self._effect.leaf
        if self._effect.preview:
            self.account.blocks = await self._blocks_behind(to)
        elif leaf != to:
            event = await self._once(Step.SWITCH, SwitchBranch(to))
            if isinstance(event, e.BranchSwitched):
                self.account.was = leaf
            else:
                self._not(Step.SWITCH, event)

    async def _ran_since(self, version: int) -> RanSince:
        """What came since a version; what was there of it when this was asked for is noted."""
        since = RanSince()
        async for envelope in self._since(version):
            since.take(envelope)
            if envelope.version == self._effect.since:
                self.account.cells = since.cells
        return since

    # -- looking --------------------------------------------------------------------------------

    async def _blocks_behind(self, to: BlockId) -> int:
        """How many blocks of the present branch would leave it."""
        viewed = await self._hearth.view("conversation", self._session)
        if not isinstance(viewed, Viewed) or not isinstance(viewed.value, Conversation):
            return 0
        blocks = [row.block for row in viewed.value.rows]
        return len(blocks) - blocks.index(to) - 1 if to in blocks else len(blocks)

    async def _status(self) -> Status | None:
        viewed = await self._hearth.view("status", self._session)
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Status):
            return viewed.value
        why = viewed.why if isinstance(viewed, Refused) else "it is no status"
        self.account.lacks(SessionPart.INTERPRETER, f"the session cannot be looked at: {why}")
        return None

    async def _since(self, version: int) -> AsyncIterator[Envelope]:
        """The events of the session behind a version."""
        while rows := await self._read(self._session, version, PAGE):
            for row in rows:
                yield codec.envelope(row)
            version = rows[-1].version


def _named(event: e.Event) -> str:
    """What happened instead, where it says nothing of why: "session faulted"."""
    return str(event.__struct_config__.tag).replace("_", " ")
