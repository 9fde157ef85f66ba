"""Which sessions of an earlier daemon are up again."""

import asyncio
import contextlib

from hearth.api import Hearth, Shown, Viewed, each
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import SessionResumed

UP = frozenset({PhaseName.READY, PhaseName.EVALUATING})


class Resumed:
    """Counts sessions as they come up. Open it before anyone can create one."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth
        self._sessions: set[SessionId] = set()
        self._counting: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """So many are up again."""
        return len(self._sessions)

    async def open(self) -> None:
        """Count those that are up already, and those that come."""
        following = self._hearth.follow()

        async def hear() -> None:
            with contextlib.closing(following):
                async for item in each(following):
                    if isinstance(item, Shown) and isinstance(item.progress, SessionResumed):
                        self._sessions.add(item.session)

        self._counting = asyncio.get_running_loop().create_task(hear())
        viewed = await self._hearth.view("sessions")
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Sessions):
            self._sessions |= {
                row.session
                for row in viewed.value.rows
                if row.state in UP and not row.stopped and not row.resuming
            }

    async def close(self) -> None:
        """Count no more."""
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.gather(self._counting, return_exceptions=True)
