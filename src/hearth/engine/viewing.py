"""Answers `view`: from open sessions, or from the log for those that are not open here."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hearth.api import Viewed
from hearth.core.rules.refusing import unknown_session
from hearth.core.rules.session import IllegalEvent
from hearth.core.views.activity import activity
from hearth.core.views.approvals import approvals, permissions
from hearth.core.views.named import OF_A_SESSION, OF_ALL
from hearth.core.views.open_blocks import OpenBlock
from hearth.core.views.session_fold import SessionFold
from hearth.core.views.sessions import SessionRow, session_row, sessions
from hearth.core.views.status import status
from hearth.core.views.talking import talking
from hearth.core.views.tasks import tasks
from hearth.core.views.transcript import transcript
from hearth.core.views.usage import usage
from hearth.core.views.validity import environment, validity
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.engine.conversing import branches_of, conversation_of
from hearth.engine.refusing import cannot_be_read, quarantined, unknown_view
from hearth.engine.restoring import Restored, restore
from hearth.engine.session_loop import SessionLoop
from hearth.log.event_log import CorruptRow, EventLog, Head, LogError, StoreDown

TRANSCRIPT_ROWS: Final = 1000
"""So many of the newest events are read for a transcript, and to see what still holds."""

VIEWS_KEPT: Final = 8
"""Of each kind, those that were asked for last."""


_FOLDED: Final[Mapping[str, Callable[[SessionFold], msgspec.Struct]]] = {
    "diagnostics": lambda fold: fold.diagnostics,
    "environment": lambda fold: environment(fold.state),
    "permissions": permissions,
    "status": status,
    "tasks": lambda fold: tasks(fold.state),
    "usage": lambda fold: usage(fold.spending),
}
"""The views for which nothing is read."""


class Viewing:
    """Makes views on demand; only the small folds of open sessions are kept in memory."""

    def __init__(
        self,
        log: EventLog,
        fold_name: str,
        loops: Mapping[SessionId, SessionLoop],
        set_aside: Mapping[SessionId, Refusal],
    ) -> None:
        self._log = log
        self._fold_name = fold_name
        self._loops = loops
        self._set_aside = set_aside
        self._elsewhere: dict[SessionId, Restored] = {}
        """Sessions that are not open here, as they were when we last looked."""
        self._kept: dict[str, dict[SessionId, Viewed]] = {}
        """Views out of the log that were asked for last, for when the store is down."""

    def know(self, session: Restored) -> None:
        """Remember a session that is not open here."""
        self._elsewhere[session.fold.state.session] = session

    async def view(self, name: str, session: SessionId | None) -> Viewed | Refusal:
        """How something looks now."""
        if session is None and name in OF_ALL:
            return await self._of_all(name)
        if session is None or name not in OF_A_SESSION:
            return unknown_view(name, tuple(OF_ALL if session is None else OF_A_SESSION))
        found = await self._find(session)
        return found if isinstance(found, Refused) else await self._of_one(name, found)

    async def _of_one(self, name: str, found: Restored) -> Viewed | Refusal:
        if (folded := _FOLDED.get(name)) is not None:
            return Viewed(folded(found.fold), found.seq)
        if name == "talking":
            return Viewed(talking(found.fold.talk, self._written(found)), found.seq)
        if name == "validity":
            return await self._validity(found)
        return await self._from_log(name, found)

    async def _find(self, session: SessionId) -> Restored | Refusal:
        if (loop := self._loops.get(session)) is not None:
            restored = Restored(loop.fold, loop.seq, 0)
        elif (trouble := self._set_aside.get(session)) is not None:
            return trouble
        else:
            try:
                restored = await self._replayed(session)
            except StoreDown as down:
                return cannot_be_read(down)
            except (CorruptRow, IllegalEvent) as broken:
                return quarantined(session, broken)
        return restored if restored.fold.state.config else unknown_session(session)

    async def _replayed(self, session: SessionId) -> Restored:
        """A session that is not open here: as we knew it, if that still stands, and on from it.

        However long its log is, it is replayed once and not for everybody who looks.
        """
        known = self._elsewhere.get(session)
        if known is not None:
            last = await self._log.read_session(session, known.fold.state.version - 1, 1)
            if not last or last[0].seq != known.seq:
                known = None  # it was removed, or is another one by now
        restored = await restore(self._log, session, self._fold_name, known)
        if restored.fold.state.config:
            self._elsewhere[session] = restored
        else:
            self._elsewhere.pop(session, None)
        return restored

    async def _newest(self, found: Restored) -> Sequence[Stored]:
        state = found.fold.state
        first = max(0, state.version - TRANSCRIPT_ROWS)
        return await self._log.read_session(state.session, first, TRANSCRIPT_ROWS)

    async def _validity(self, found: Restored) -> Viewed | Refusal:
        state = found.fold.state
        try:
            rows = await self._newest(found)
            # What came since we looked is judged by an environment of before.
            known = [row for row in rows if row.version <= state.version]
            return Viewed(validity(state, map(envelope, known)), found.seq)
        except StoreDown as down:
            return cannot_be_read(down)
        except Unreadable as broken:
            return quarantined(state.session, broken)

    async def _from_log(self, name: str, found: Restored) -> Viewed | Refusal:
        """A view for which the log is read."""
        session = found.fold.state.session
        kept = self._kept.setdefault(name, {})
        try:
            viewed = await self._read(name, found)
        except StoreDown as down:
            # Old is better than none: its cursor says how old, and what is unsaved is shown live.
            return kept.get(session) or cannot_be_read(down)
        except Unreadable as broken:
            return quarantined(session, broken)
        kept.pop(session, None)
        kept[session] = viewed
        if len(kept) > VIEWS_KEPT:
            del kept[next(iter(kept))]
        return viewed

    async def _read(self, name: str, found: Restored) -> Viewed:
        match name:
            case "conversation":
                # Taken now, while it fits what the fold says: reading takes a while.
                return await conversation_of(self._log, found, self._written(found))
            case "branches":
                return await branches_of(self._log, found)
            case _:
                rows = await self._newest(found)
                view = transcript(envelope(row) for row in rows)
                return Viewed(view, rows[-1].seq if rows else found.seq)

    def _written(self, found: Restored) -> tuple[OpenBlock, ...]:
        """What a model is writing in this session."""
        loop = self._loops.get(found.fold.state.session)
        return loop.writing.blocks() if loop is not None else ()

    async def _of_all(self, name: str) -> Viewed:
        folds, newest = await self._folds()
        if name == "approvals":
            return Viewed(approvals(folds.values()), newest)
        if name == "activity":
            counted = ((session, each.tally.authors) for session, each in folds.items())
            return Viewed(activity(counted), newest)
        rows = [
            session_row(each, self._trouble(session), resuming=self._is_resuming(session))
            for session, each in folds.items()
        ]
        rows += [_broken(s, why) for s, why in self._set_aside.items() if s not in folds]
        return Viewed(sessions(rows), newest)

    def _is_resuming(self, session: SessionId) -> bool:
        loop = self._loops.get(session)
        return loop is not None and loop.is_resuming

    def _trouble(self, session: SessionId) -> str:
        loop = self._loops.get(session)
        trouble = loop.trouble if loop is not None else self._set_aside.get(session)
        return trouble.why if trouble is not None else ""

    async def _folds(self) -> tuple[dict[SessionId, SessionFold], int]:
        """Every session that was started, open here or not; stale while the store is down."""
        try:
            heads = await self._log.heads()
        except StoreDown:
            heads = ()
        for head in heads:
            known = self._elsewhere.get(head.session)
            here = head.session in self._loops or head.session in self._set_aside
            if here or (known is not None and known.seq == head.seq):
                continue
            found = await self._find_quietly(head.session)
            if found is not None:
                self._elsewhere[head.session] = found
        folds = {session: each.fold for session, each in self._elsewhere.items()}
        folds |= {session: loop.fold for session, loop in self._loops.items()}
        started = {s: f for s, f in folds.items() if f.state.config and s != DAEMON_STREAM}
        return started, self._safe_cursor(heads)

    def _safe_cursor(self, heads: Sequence[Head]) -> int:
        """The newest seq that the folds surely contain: a commit may not have reached its loop."""
        cursor = max((head.seq for head in heads), default=0)
        for head in heads:
            loop = self._loops.get(head.session)
            if loop is not None and loop.seq < head.seq:
                cursor = min(cursor, loop.seq)
        return cursor

    async def _find_quietly(self, session: SessionId) -> Restored | None:
        try:
            return await restore(self._log, session, self._fold_name)
        except (LogError, IllegalEvent):
            return None


def _broken(session: SessionId, trouble: Refusal) -> SessionRow:
    return SessionRow(
        session=session,
        name=session,
        directory="",
        state=PhaseName.UNINITIALIZED,
        trouble=trouble.why,
    )
