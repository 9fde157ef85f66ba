"""Looks at all sessions: asks the views, and knows from the log's rows which agents are at work.

It never raises. A view that cannot be had leaves what was known of it before.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from hearth.api import Hearth, Item
from hearth.core.views.activity import Activity
from hearth.core.views.approvals import Approvals
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.status import Status
from hearth.core.views.talking import Talking
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import EventUnsaved
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.dashboard.sidebar.lines import Author, Beside, Line, authors_of, line_of

MOST_ASKED: Final = 16
"""So many sessions are looked at one by one at a time."""
BEGUN: Final = b'"event":{"type":"turn_started'
ENDED: Final = b'"event":{"type":"turn_finished'
HEAD: Final = 4096
"""Bytes of a row in which the type of its event stands."""

_said = logging.getLogger(__name__)
_T = TypeVar("_T", bound=msgspec.Struct)


class Glancing:
    """What is known of all sessions."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth
        self.lines: tuple[Line, ...] = ()
        self.trouble = ""
        """Why the lines may be old; empty: they are not."""
        self._rows: tuple[SessionRow, ...] = ()
        self._needs: dict[SessionId, int] = {}
        self._authors: dict[SessionId, tuple[Author, ...]] = {}
        self._working: set[SessionId] = set()
        self._known: set[SessionId] = set()
        """Sessions of which it is known whether their agent works."""
        self._why: dict[str, str] = {}

    def begin(self) -> None:
        """From now on every row is heard; what happened before has to be asked for."""
        self._known.clear()

    def hear(self, items: Iterable[Item]) -> bool:
        """Take note of what happened; whether it can be seen in a list of sessions."""
        is_news = False
        for item in items:
            if isinstance(item, Stored):
                self._note(item.session, item.data[:HEAD])
            elif isinstance(item.progress, EventUnsaved):
                self._note(item.session, item.progress.json[:HEAD].encode())
            else:
                continue
            is_news = True
        return is_news

    async def look(self) -> bool:
        """Look anew; whether anything is another than before."""
        before = (self.lines, self.trouble)
        found = await self._seen("sessions", Sessions)
        if found is not None:
            is_moved = found.rows != self._rows
            self._rows = found.rows
            if is_moved or "activity" in self._why:
                await self._look_at_authors()
            await self._look_at_agents()
        await self._look_at_needs()
        beside = Beside(self._needs, frozenset(self._working), self._authors)
        self.lines = tuple(line_of(row, beside) for row in self._rows)
        self.trouble = next(iter(self._why.values()), "")
        return (self.lines, self.trouble) != before

    # -- the parts ----------------------------------------------------------------------------

    async def _look_at_authors(self) -> None:
        found = await self._seen("activity", Activity)
        if found is not None:
            self._authors = authors_of(found.authors)

    async def _look_at_agents(self) -> None:
        """Of sessions that we were not there for, whether a turn is under way."""
        live = {row.session: row for row in self._rows if not row.stopped and not row.trouble}
        self._known &= live.keys()
        self._working &= live.keys()
        unknown = [one for one in live.values() if one.session not in self._known]
        for row in unknown[:MOST_ASKED]:
            # First: a row that comes while we look is newer than what we see.
            self._known.add(row.session)
            if row.messages or row.talked is not None:
                found = await self._seen("talking", Talking, row.session)
                if found is not None and found.now.turn is not None:
                    self._working.add(row.session)
                elif found is not None:
                    self._working.discard(row.session)

    async def _look_at_needs(self) -> None:
        asked = await self._seen("approvals", Approvals)
        if asked is None:
            return
        needs = Counter(row.session for row in asked.rows)
        busy = [row.session for row in self._rows if row.state is PhaseName.EVALUATING]
        for session in busy[:MOST_ASKED]:
            now = await self._seen("status", Status, session)
            if now is not None and now.current is not None and now.current.question is not None:
                needs[session] += 1
        self._needs = dict(needs)

    async def _seen(self, name: str, kind: type[_T], session: SessionId | None = None) -> _T | None:
        """A view; None if it cannot be had now, and then `trouble` says why."""
        try:
            viewed = await self._hearth.view(name, session)
        except Exception as error:  # noqa: BLE001 - whatever it is, the list stays
            if name not in self._why:
                _said.exception("the view %s cannot be had", name)
            self._why[name] = f"what is stored cannot be read now ({type(error).__name__})"
            return None
        if isinstance(viewed, Refused):
            if session is None:
                self._why[name] = viewed.why
            return None
        self._why.pop(name, None)
        return viewed.value if isinstance(viewed.value, kind) else None

    def _note(self, session: SessionId, head: bytes) -> None:
        if BEGUN in head:
            self._working.add(session)
        elif ENDED in head:
            self._working.discard(session)


def needing(lines: Sequence[Line]) -> int:
    """So many questions wait for a person, in all of these sessions."""
    return sum(line.needs for line in lines)
