"""How many questions of agents wait for people, in all sessions, for as long as somebody looks."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from hearth.api import Following, Hearth, Item, Viewed
from hearth.core.views.approvals import Approvals
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionStopped
from hearth.core.vocabulary.turns import ApprovalAnswered, ApprovalRequested, TurnFinished

_CHANGING: Final = tuple(
    f'"{one.__struct_config__.tag}"'.encode()
    for one in (ApprovalRequested, ApprovalAnswered, TurnFinished, SessionStopped)
)

_said = logging.getLogger(__name__)


class Waiting:
    """Counts them. One follower of the engine serves all who look; without any there is none."""

    def __init__(self, hearth: Hearth) -> None:
        self.count = 0
        self._hearth = hearth
        self._watchers: set[Callable[[], None]] = set()
        self._following: Following | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def look(self) -> int:
        """How many there are now; whoever watches is told if that is news."""
        viewed = await self._hearth.view("approvals")
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Approvals):
            before, self.count = self.count, len(viewed.value.rows)
            if self.count != before:
                for watcher in tuple(self._watchers):
                    watcher()
        return self.count

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever there are more or fewer, until what this gives is called."""
        self._watchers.add(watcher)
        if self._task is None and not self._closed:
            self._following = self._hearth.follow()
            self._task = asyncio.create_task(self._follow(self._following))

        def leave() -> None:
            self._watchers.discard(watcher)
            if not self._watchers:
                self._end()

        return leave

    async def close(self) -> None:
        """Look no more."""
        self._closed = True
        task = self._task
        self._end()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    def _end(self) -> None:
        if self._following is not None:
            self._following.close()
        self._following = self._task = None

    async def _follow(self, following: Following) -> None:
        try:
            # What happened between the look of whoever watches and now is not on the stream.
            await self.look()
            while items := await following.batch():
                if _may_change(items):
                    await self.look()
        except Exception:  # noqa: BLE001 - a defect here must not end those who look at more
            _said.exception("what waits for people is not counted any more")


def _may_change(items: Sequence[Item]) -> bool:
    rows = (item.data for item in items if isinstance(item, Stored))
    return any(word in row for row in rows for word in _CHANGING)
