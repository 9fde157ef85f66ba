"""The engine: the three verbs, in process."""

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from typing import Final

from hearth.api import Accepted, Following, Viewed
from hearth.core.rules.cell_calls import Caller, caller_of
from hearth.core.rules.refusing import too_many_sessions, unknown_session
from hearth.core.rules.resuming import Kept, superseded
from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold
from hearth.core.vocabulary.commands import Command, CreateSession, SessionConfig, SwitchSession
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import DAEMON_STREAM, CellId, InputId, SessionId, event_id
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.progress import StoreWarning
from hearth.core.vocabulary.refusals import OwnedElsewhere, Refusal, Refused
from hearth.engine.claims import Claims
from hearth.engine.clock import Clock, SystemClock
from hearth.engine.fresh_ids import fresh_input_id
from hearth.engine.performing import Performing
from hearth.engine.refusing import (
    bad_id,
    duplicate,
    quarantined,
    shutting_down,
    unavailable,
)
from hearth.engine.restoring import Restored, fold_name, restore
from hearth.engine.saving import Saver
from hearth.engine.session_loop import SessionLoop
from hearth.engine.subscribers import Subscribers
from hearth.engine.surroundings import Surroundings
from hearth.engine.together import some_at_once
from hearth.engine.viewing import Viewing
from hearth.engine.waiting import Waiting
from hearth.log.event_log import EventLog, Lease, LogError, StoreDown
from hearth.log.spool import Spool

USUAL_SESSION_LIMIT: Final = 10

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_said = logging.getLogger(__name__)


class Engine:
    """Runs sessions on a log with performers. Implements `hearth.api.Hearth`."""

    def __init__(
        self,
        log: EventLog,
        performers: Iterable[Performer] = (),
        *,
        spool: Spool | None = None,
        clock: Clock | None = None,
        most_sessions: int = USUAL_SESSION_LIMIT,
    ) -> None:
        clock = clock or SystemClock()
        saver = Saver(log, spool, clock, self)
        self._around = Surroundings(
            log=log,
            saver=saver,
            subscribers=Subscribers(log, clock, self._evolve),
            performing=Performing([*performers, Waiting(clock)], saver.blobs),
            clock=clock,
            fold_name=fold_name(),
        )
        self.most_sessions = most_sessions
        """So many may live at once; it may be changed at any time."""
        self._loops: dict[SessionId, SessionLoop] = {}
        self._claims = Claims(log)
        self._set_aside: dict[SessionId, Refusal] = {}
        self._opening = asyncio.Lock()
        self._closing = False
        self._viewing = Viewing(log, self._around.fold_name, self._loops, self._set_aside)

    # -- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Save what waited on disk, take up every session that is ours, and go on.

        The log must be open. One bad session never keeps the others from starting.
        """
        saver = self._around.saver
        for session in await saver.sessions_waiting():
            await self._claims.claim(session)
        await saver.flush()
        await self._around.subscribers.open()
        heads = [head.session for head in await self._around.log.heads()]
        found = [one for one in await some_at_once(self._left_open, heads) if one is not None]
        twins = superseded(Kept(one.fold.state, one.fold.tally.last_activity) for one in found)

        async def resume_one(one: Restored) -> None:
            session = one.fold.state.session
            await self._take_up(session, one, superseded=session in twins)

        await some_at_once(resume_one, found)

    async def close(self) -> None:
        """Refuse what comes, finish what was accepted, keep snapshots, let everything go.

        The log stays open: it is the caller's.
        """
        self._closing = True
        for loop in tuple(self._loops.values()):
            await loop.drained()
        await self._around.performing.close()
        await self._around.saver.close()
        for loop in tuple(self._loops.values()):
            await loop.save_snapshot()
            if loop.lease is not None:
                await self._claims.release(loop.lease)
        await self._around.subscribers.close()

    # -- the three verbs ----------------------------------------------------------------------

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        """Ask for something; accepted only once it is durable."""
        if input_id is not None and (refusal := await self._repeated(input_id)) is not None:
            return refusal
        loop = await self._loop_for(session, command)
        if isinstance(loop, Refused):
            return loop
        cause = input_id or fresh_input_id()
        return await loop.ask(Asked(cause, self._around.clock.now(), origin, command))

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        """How something looks now."""
        self._forget_lost()
        return await self._viewing.view(name, session)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        """The log from a cursor on (None: from now), of one session or of all, then live."""
        return self._around.subscribers.follow(session, after)

    @property
    def log(self) -> EventLog:
        """The log itself, for what reads or writes sessions as a whole."""
        return self._around.log

    @property
    def store(self) -> str:
        """Where the log is, in words without secrets."""
        return self._around.log.name

    async def fetch(self, sha256: str) -> bytes:
        """Content that is kept as a blob, also while the store is down. KeyError, LogError."""
        return await self._around.saver.blobs.get(sha256)

    async def keep(self, content: bytes, media_type: str) -> Blob:
        """Keep content under its hash, also while the store is down. LogError."""
        return await self._around.saver.blobs.put(content, media_type)

    async def rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        """So many rows of one session behind a version. LogError."""
        return await self._around.log.read_session(session, after, limit)

    def config_of(self, session: SessionId) -> SessionConfig | None:
        """How an open session was set up; None if it is not open here."""
        loop = self._loops.get(session)
        return loop.fold.state.config if loop is not None else None

    def servers_of(self, session: SessionId) -> tuple[str, ...] | None:
        """The MCP servers that a person chose for an open session; None: the settings say."""
        loop = self._loops.get(session)
        return loop.fold.state.talk.servers if loop is not None else None

    def caller_of(
        self, session: SessionId, cell: CellId | None, *, contained: bool
    ) -> Caller | None:
        """Who calls a tool from this cell of an open session; None if it is not open here."""
        loop = self._loops.get(session)
        return caller_of(loop.fold.state, cell, contained=contained) if loop is not None else None

    # -- what the saver wants to know -----------------------------------------------------------

    def saved_at_last(self, session: SessionId, rows: Sequence[Stored]) -> None:
        """Waiting facts of this session got their place in the log."""
        if (loop := self._loops.get(session)) is not None and rows:
            loop.seq = max(loop.seq, rows[-1].seq)

    def cannot_be_saved(self, session: SessionId, error: LogError) -> None:
        """Waiting facts of this session no longer fit the log."""
        trouble = quarantined(session, error)
        self._set_aside[session] = trouble
        if (loop := self._loops.get(session)) is not None:
            loop.set_aside(trouble)

    def lease_of(self, session: SessionId) -> Lease:
        """The right by which this session's facts are appended; a worthless one if we have none.

        What waited on disk must not be forced on a session that another daemon runs meanwhile.
        """
        return self._claims.held(session) or Lease(session, "", 0)

    def warn(self, warning: StoreWarning) -> None:
        """Tell whoever follows anything."""
        for session in self._loops:
            self._around.subscribers.show(session, warning)

    def _evolve(self, row: Stored) -> None:
        if (loop := self._loops.get(row.session)) is not None:
            loop.evolve(row)

    # -- finding and opening sessions -------------------------------------------------------------

    async def _repeated(self, input_id: InputId) -> Refusal | None:
        if not _ID.fullmatch(input_id):
            return bad_id(input_id)
        try:
            found = await self._around.log.find(event_id(input_id, 0))
        except StoreDown:
            return None  # the loop still knows the recent ones
        return duplicate(input_id, found.seq) if found is not None else None

    async def _loop_for(self, session: SessionId, command: Command) -> SessionLoop | Refusal:
        if self._closing:
            return shutting_down()
        if isinstance(command, SwitchSession) and not await self._exists(command.to):
            return unknown_session(command.to)
        self._forget_lost()
        if (loop := self._loops.get(session)) is not None:
            return loop
        async with self._opening:
            return self._loops.get(session) or await self._open_session(session, command)

    async def _open_session(self, session: SessionId, command: Command) -> SessionLoop | Refusal:
        if session == DAEMON_STREAM or await self._exists(session):
            return await self._take_up(session)
        if not isinstance(command, CreateSession):
            return unknown_session(session)
        return too_many_sessions(self._live(), self.most_sessions) or await self._begin(session)

    def _forget_lost(self) -> None:
        """What another daemon took is shown as it is in the log, and may become ours again."""
        for session, loop in tuple(self._loops.items()):
            if isinstance(loop.trouble, OwnedElsewhere):
                del self._loops[session]
                self._claims.forget(session)

    async def _exists(self, session: SessionId) -> bool:
        if session in self._loops or session in self._set_aside:
            return True
        try:
            return bool(await self._around.log.read_session(session, 0, 1))
        except StoreDown:
            return False

    def _live(self) -> int:
        states = (loop.fold.state for loop in self._loops.values() if loop.trouble is None)
        return sum(state.config is not None and not state.stopped for state in states)

    async def _begin(self, session: SessionId) -> SessionLoop | Refusal:
        claimed = await self._claims.claim(session)
        if isinstance(claimed, Refused):
            return claimed
        return self._run(Restored(SessionFold(SessionState(session)), 0, 0))

    async def _left_open(self, session: SessionId) -> Restored | None:
        """At the start: a session that is to be taken up.

        One that was stopped waits for it, unless it is in the middle of something.
        """
        found = await self._restored(session)
        if not isinstance(found, Restored):
            return None
        state = found.fold.state
        is_busy = state.talk.open is not None or state.undo.is_awaited
        if state.config is None or (state.stopped and not is_busy):
            self._viewing.know(found)
            return None
        return found

    async def _take_up(
        self, session: SessionId, known: Restored | None = None, *, superseded: bool = False
    ) -> SessionLoop | Refusal:
        """Open a session that is in the log and bring it into the present, or say why not.

        Whoever ran it last, at our start or later, its interpreter may be gone.
        """
        if (trouble := self._set_aside.get(session)) is not None:
            return trouble
        claimed = await self._claims.claim(session)
        if isinstance(claimed, Refused):
            return claimed
        # Only now can nobody else append to it.
        restored = await self._restored(session, known)
        if isinstance(restored, Refused):
            return restored
        loop = self._run(restored)
        loop.resume(superseded=superseded)
        return loop

    async def _restored(
        self, session: SessionId, known: Restored | None = None
    ) -> Restored | Refusal:
        """The session from the log; one that is broken is set aside, and the others start."""
        if (trouble := self._set_aside.get(session)) is not None:
            return trouble
        try:
            return await restore(self._around.log, session, self._around.fold_name, known)
        except StoreDown as down:
            return unavailable(down)
        except Exception as broken:  # whatever it is
            _said.exception("%s cannot be replayed", session)
            self._set_aside[session] = quarantined(session, broken)
            return self._set_aside[session]

    def _run(self, restored: Restored) -> SessionLoop:
        session = restored.fold.state.session
        loop = SessionLoop(restored, self._claims.held(session), self._around)
        self._loops[session] = loop
        return loop
