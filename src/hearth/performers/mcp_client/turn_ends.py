"""Notices when turns and sessions end, so that what they held is let go."""

import asyncio
import contextlib
from collections.abc import Callable

from hearth.api import Hearth, each
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionStopped, TurnFinished
from hearth.core.vocabulary.ids import SessionId

_TAGS = (b'"turn_finished"', b'"session_stopped"')


class TurnEnds:
    """Tells of each end. `close` it before the engine."""

    def __init__(self, hearth: Hearth, tell: Callable[[SessionId], None]) -> None:
        self._hearth = hearth
        self._tell = tell
        self._looking: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin."""
        following = self._hearth.follow()

        async def look() -> None:
            with contextlib.closing(following):
                async for item in each(following):
                    # Most rows are none of ours: they are not even decoded.
                    if isinstance(item, Stored) and any(tag in item.data for tag in _TAGS):
                        self._see(item)

        self._looking = asyncio.get_running_loop().create_task(look())

    async def close(self) -> None:
        """End."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    def _see(self, row: Stored) -> None:
        found = envelope(row)
        if isinstance(found.event, TurnFinished | SessionStopped):
            self._tell(found.session)
