"""One session as markup: how it stands, and what was sent of it last.

What pages are given is taken from one finished drawing, which the next one replaces all at once:
whoever asks while something is being drawn gets all of what was there before, and none of it twice.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from hearth.api import Item, Viewed
from hearth.core.views.status import Status, TrialWaiting
from hearth.core.views.talk import Talk
from hearth.core.views.timeline import Timeline
from hearth.core.views.timeline_cells import is_open, shown_in
from hearth.core.views.timeline_items import NoticeItem, Placed, SaidItem, TurnEndItem
from hearth.core.views.timeline_reading import newest
from hearth.core.views.validity import Validity
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.progress import EventUnsaved
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.core.vocabulary.undoing import SessionReturned
from hearth.servers.dashboard.composing.composer import composer_state
from hearth.servers.dashboard.composing.head import head
from hearth.servers.dashboard.composing.queue import queue
from hearth.servers.dashboard.composing.state import state
from hearth.servers.dashboard.differing import TIMELINE, moved
from hearth.servers.dashboard.drawing import Drawn
from hearth.servers.dashboard.html import Html, div, joined
from hearth.servers.dashboard.patches import patch
from hearth.servers.dashboard.reading import conversing, found, standing
from hearth.servers.dashboard.rendering.items import drawn
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.http.around import Around

FIRST: Final = 40
"""Items that a page begins with; older ones are read when they are wanted."""
MOST: Final = 200
"""Items that are kept of what comes; a page keeps as many."""
AT_ONCE: Final = 10
"""Items that are drawn before others get their turn."""


class NotRead(Exception):
    """What was to be shown cannot be read now."""


class Finished(NamedTuple):
    """A drawing: what pages have that were sent everything so far."""

    keys: Sequence[str] = ()
    items: Mapping[str, Drawn] = {}
    regions: Mapping[str, Html] = {}
    more: bool = False
    """Whether there are items before the first."""
    cursor: int = 0


class Picture:
    """What is shown of a session, carried on event by event."""

    def __init__(self, around: Around, session: SessionId) -> None:
        self._around = around
        self._session = session
        self._finished = Finished()
        self._cursor = 0
        self._more = False
        self._status: Status | None = None
        self._timeline = Timeline(Talk())
        self._stale = 0
        self._moved = False
        """Something was stored since it was last looked how the session stands."""
        self._regions: dict[str, Html] = {}
        self._look: Look | None = None
        self._looked: tuple[object, ...] = ()
        self._cells: dict[CellId, TrialWaiting | None] = {}
        """Those of which something is offered, as it was last drawn."""
        self._reading = asyncio.Lock()

    # -- how it stands ----------------------------------------------------------------------------

    async def load(self) -> Refusal | None:
        """Read it from the log; or why that cannot be."""
        # What happens meanwhile is taken afterwards: it belongs to what is being read.
        async with self._reading:
            stands = await standing(self._around, self._session)
            if isinstance(stands, Refused):
                return stands
            talking = await conversing(self._around, self._session)
            if isinstance(talking, Refused):
                return talking
            status, cursor = stands
            looking = newest(self._session, talking.now, status.events, FIRST)
            read = await found(looking, self._around.rows)
            if isinstance(read, Refused):
                return read
            self._timeline, self._more = read
            self._timeline.write(talking.open)
            self._status, self._cursor, self._stale = status, cursor, 0
            await self._stand()
            self._timeline.drain()
            self._by_look()
            await self._finish({}, [one.key for one in self._timeline.placed()])
        return None

    async def take(self, items: Sequence[Item]) -> None:
        """What happened, and what is going on."""
        async with self._reading:
            for item in items:
                self._take(item)

    def _take(self, item: Item) -> None:
        if not isinstance(item, Stored):
            self._moved |= isinstance(item.progress, EventUnsaved)
            self._timeline.hear(item.progress)
            return
        self._moved = True
        self._cursor = max(self._cursor, item.seq)
        try:
            self._timeline.take(envelope(item))
        except Unreadable:
            return  # the engine tells of it

    async def step(self) -> bytes:
        """What must be sent to those who have seen all before it. NotRead."""
        if self._timeline.is_cut:
            # The conversation goes on from elsewhere: everything is read and sent again.
            if (trouble := await self.load()) is not None:
                raise NotRead(trouble.why)
            return self.whole()
        before = self._finished
        trimmed = self._trim()
        if self._moved:
            await self._stand()
        await self._finish(before.items, [*self._timeline.drain().touched, *self._by_look()])
        after = self._finished
        # What was only trimmed stays in pages, which let it go themselves.
        shown = [key for key in before.keys if key not in trimmed]
        if not shown and after.keys and before.keys:
            return self.whole()  # so much came at once that what pages have does not join it
        items = moved(shown, after.keys, after.items, before.items)
        changed = [one for name, one in after.regions.items() if before.regions.get(name) != one]
        return items + (patch(joined(*changed)) if changed else b"")

    def _trim(self) -> set[str]:
        """Let go of the oldest; which those are."""
        before = {one.key for one in self._timeline.placed()}
        self._timeline.trim(MOST)
        trimmed = before - {one.key for one in self._timeline.placed()}
        self._more |= bool(trimmed)
        return trimmed

    # -- what pages are given ---------------------------------------------------------------------

    @property
    def cursor(self) -> int:
        """Up to which everything is drawn."""
        return self._finished.cursor

    def whole(self) -> bytes:
        """Everything, for a page that knows nothing or too little."""
        return patch(joined(self.timeline, *self._finished.regions.values()))

    @property
    def timeline(self) -> Html:
        """The newest items."""
        keys, items = self._finished.keys, self._finished.items
        is_more = self._finished.more or len(keys) > FIRST
        return div(
            [items[key].html for key in keys[-FIRST:]],
            id_=TIMELINE,
            role="feed",
            aria_label="What happened",
            data_session=self._session,
            data_more="1" if is_more else None,
        )

    @property
    def standing(self) -> tuple[Status, Talk]:
        """How the session and its conversation stand."""
        if self._status is None:
            raise AssertionError("it was not loaded")
        return self._status, self._timeline.talk

    @property
    def look(self) -> Look:
        """How items are drawn now."""
        if self._look is None:
            raise AssertionError("it was not loaded")
        return self._look

    def region(self, name: str) -> Html:
        """One of the parts around the timeline."""
        return self._finished.regions[name]

    # -- drawing --------------------------------------------------------------------------------

    async def _stand(self) -> None:
        """Draw what stands around the timeline, as it is now."""
        self._moved = False
        stands = await standing(self._around, self._session)
        if not isinstance(stands, Refused):
            self._status = stands[0]
        status = self._status
        if status is None:
            raise AssertionError("it was not loaded")
        if status.stale_events != self._stale:
            await self._judge(status.stale_events)
        talk = self._timeline.talk
        self._regions = {
            "head": head(status, talk),
            "queue": queue(self._session, talk),
            "composer": composer_state(status, talk),
            "state": state(status, talk, len(talk.approvals)),
        }
        self._look = Look(
            session=self._session,
            now=datetime.now(UTC),
            can_talk=talk.turn is None,
            allowed=frozenset(status.available),
            last_turn=self._last_turn(),
            undoable=_undoable(status),
            trial=status.trial if Affordance.KEEP_VARIANT in status.available else None,
            last_return=self._last_return(),
        )

    async def _judge(self, stale: int) -> None:
        """Which cells no longer hold."""
        self._stale = stale
        viewed = await self._around.hearth.view("validity", self._session)
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Validity):
            broken = {"stale", "invalid"}
            cells = (one.cell for one in viewed.value.cells if one.standing in broken)
            self._timeline.judge(frozenset(cells))

    async def _finish(self, known: Mapping[str, Drawn], keys: Sequence[str]) -> None:
        """Draw these items; from then on pages are given them, with all others as they were."""
        items, look, regions = dict(known), self.look, self._regions
        cursor = self._cursor
        for count, key in enumerate(dict.fromkeys(keys), 1):
            if (placed := self._timeline.get(key)) is not None:
                items[key] = drawn(placed, look)
            if count % AT_ONCE == 0:
                await asyncio.sleep(0)
        # What came while they were drawn is drawn the next time.
        order = [one.key for one in self._timeline.placed() if one.key in items]
        self._finished = Finished(
            order, {key: items[key] for key in order}, regions, self._more, cursor
        )

    def _by_look(self) -> list[str]:
        """Items that offer something else now: the agent or the interpreter is busy, or is not."""
        look, cells = self.look, self._cells
        now = (look.can_talk, look.last_turn, look.allowed, look.last_return)
        is_other, self._looked = now != self._looked, now
        self._cells = dict.fromkeys(look.undoable)
        if look.trial is not None:
            self._cells[look.trial.cell] = look.trial
        # Only those of which something else is offered: there may be many others.
        others = {
            one for one in cells | self._cells if cells.get(one, 0) != self._cells.get(one, 0)
        }
        return [
            one.key
            for one in self._timeline.placed()
            if (is_other and _offers(one)) or _cell(one) in others
        ]

    def _last_turn(self) -> str:
        for one in reversed(self._timeline.placed()):
            if isinstance(one.item, TurnEndItem):
                return one.item.turn
        return ""

    def _last_return(self) -> str:
        for one in reversed(self._timeline.placed()):
            if isinstance(one.item, NoticeItem) and isinstance(one.item.event, SessionReturned):
                return one.key
        return ""


def _offers(placed: Placed) -> bool:
    item = placed.item
    if isinstance(item, NoticeItem):
        return isinstance(item.event, SessionReturned)
    return isinstance(item, SaidItem | TurnEndItem) or is_open(item)


def _cell(placed: Placed) -> CellId | None:
    cell = shown_in(placed.item)
    return cell.entry.cell if cell is not None else None


def _undoable(status: Status) -> frozenset[CellId]:
    can = Affordance.UNDO_CODE in status.available
    return frozenset(status.kept.cells) if can else frozenset()
