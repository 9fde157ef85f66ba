"""One session as markup: how it stands, and what was sent of it last."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from hearth.api import Item, Viewed
from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.core.views.timeline import Timeline
from hearth.core.views.timeline_items import Placed, SaidItem, TurnEndItem
from hearth.core.views.timeline_reading import newest
from hearth.core.views.validity import Validity
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.servers.dashboard.composing.composer import composer_state
from hearth.servers.dashboard.composing.head import head
from hearth.servers.dashboard.composing.queue import queue
from hearth.servers.dashboard.composing.state import state
from hearth.servers.dashboard.differing import TIMELINE, moved
from hearth.servers.dashboard.drawing import Drawn
from hearth.servers.dashboard.html import Html, div, joined
from hearth.servers.dashboard.patches import patch, told
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


class Picture:
    """What is shown of a session, carried on event by event."""

    def __init__(self, around: Around, session: SessionId) -> None:
        self.cursor = 0
        self.more = False
        """Whether there are items before the first."""
        self._around = around
        self._session = session
        self._status: Status | None = None
        self._timeline = Timeline(Talk())
        self._stale = 0
        self._drawn: dict[str, Drawn] = {}
        self._keys: list[str] = []
        self._regions: dict[str, Html] = {}
        self._look: Look | None = None
        self._looked: tuple[bool, str] | None = None

    # -- how it stands ----------------------------------------------------------------------------

    async def load(self) -> Refusal | None:
        """Read it from the log; or why that cannot be."""
        stands = await standing(self._around, self._session)
        if isinstance(stands, Refused):
            return stands
        talking = await conversing(self._around, self._session)
        if isinstance(talking, Refused):
            return talking
        self._status, self.cursor = stands
        looking = newest(self._session, talking.now, self._status.events, FIRST)
        timeline, self.more = await found(looking, self._around.rows)
        timeline.write(talking.open)
        self._timeline, self._stale = timeline, 0
        self._drawn = {}
        await self._stand()
        await self._redraw([one.key for one in timeline.placed()])
        timeline.drain()
        self._keys = [one.key for one in timeline.placed() if one.key in self._drawn]
        self._by_look()
        return None

    def take(self, items: Sequence[Item]) -> None:
        """What happened, and what is going on."""
        for item in items:
            if not isinstance(item, Stored):
                self._timeline.hear(item.progress)
                continue
            self.cursor = max(self.cursor, item.seq)
            try:
                self._timeline.take(envelope(item))
            except Unreadable:
                continue  # the engine tells of it

    async def step(self) -> bytes:
        """What must be sent to those who have seen all before it."""
        if self._timeline.is_cut:
            return await self._anew()
        self._timeline.trim(MOST)
        before, shown, regions = dict(self._drawn), self._keys, dict(self._regions)
        await self._stand()
        touched, removed = self._timeline.drain()
        await self._redraw([*touched, *self._by_look()])
        for key in removed:
            self._drawn.pop(key, None)
        wanted = [one.key for one in self._timeline.placed() if one.key in self._drawn]
        self._keys = wanted
        items = self._moved(shown, wanted, before)
        changed = [one for name, one in self._regions.items() if regions.get(name) != one]
        return items + (patch(joined(*changed)) if changed else b"")

    def _moved(self, shown: list[str], wanted: list[str], before: dict[str, Drawn]) -> bytes:
        """What was only trimmed stays in pages, which let it go themselves."""
        first = next((key for key in wanted if key in before), None)
        if first is not None and first in shown:
            return moved(shown[shown.index(first) :], wanted, self._drawn, before)
        # So much came at once that nothing of before is left: what pages have ends with a gap.
        gap = told("hearth-gap") if shown and wanted else b""
        return gap + moved([], wanted, self._drawn, before)

    async def _anew(self) -> bytes:
        """The conversation goes on from elsewhere: everything is read and sent again."""
        await self.load()
        return self.whole()

    def whole(self) -> bytes:
        """Everything, for a page that knows nothing or too little."""
        return patch(joined(self.timeline, *self._regions.values()))

    @property
    def timeline(self) -> Html:
        """The newest items."""
        return div(
            [self._drawn[key].html for key in self._keys],
            id_=TIMELINE,
            role="feed",
            aria_label="What happened",
            data_session=self._session,
            data_more="1" if self.more else None,
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
        return self._regions[name]

    # -- drawing --------------------------------------------------------------------------------

    async def _stand(self) -> None:
        """Draw what stands around the timeline, as it is now."""
        stands = await standing(self._around, self._session)
        if not isinstance(stands, Refused):
            self._status = stands[0]
        status, talk = self._status, self._timeline.talk
        if status is None:
            return
        if status.stale_events != self._stale:
            await self._judge()
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
        )

    async def _judge(self) -> None:
        """Which cells no longer hold."""
        if self._status is None or self._status.stale_events == self._stale:
            return
        self._stale = self._status.stale_events
        viewed = await self._around.hearth.view("validity", self._session)
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Validity):
            broken = {"stale", "invalid"}
            stale = (one.cell for one in viewed.value.cells if one.standing in broken)
            self._timeline.judge(frozenset(stale))

    async def _redraw(self, keys: Sequence[str]) -> None:
        look = self._look
        if look is None:
            return
        for count, key in enumerate(dict.fromkeys(keys), 1):
            placed = self._timeline.get(key)
            if placed is not None:
                self._drawn[key] = drawn(placed, look)
            if count % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _by_look(self) -> list[str]:
        """Items that look otherwise now that the agent is busy, or idle again."""
        look = self._look
        now = (look.can_talk, look.last_turn) if look is not None else None
        if now == self._looked:
            return []
        self._looked = now
        return [one.key for one in self._timeline.placed() if _offers(one)]

    def _last_turn(self) -> str:
        for one in reversed(self._timeline.placed()):
            if isinstance(one.item, TurnEndItem):
                return one.item.turn
        return ""


def _offers(placed: Placed) -> bool:
    return isinstance(placed.item, SaidItem | TurnEndItem)
