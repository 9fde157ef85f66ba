"""Makes `.hearth/` in projects that people trust and work in."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

from hearth.api import Hearth, each
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionWarmUpCompleted
from hearth.settings.project_folder import ProjectFolder
from hearth.settings.roots import Root, find_root_anyway

_TAG = b'"session_warm_up_completed"'
_said = logging.getLogger(__name__)


class ProjectFolders:
    """Looks where sessions begin. `close` it before the engine."""

    def __init__(self, hearth: Hearth, trusts: Callable[[Root], bool]) -> None:
        self._hearth = hearth
        self._trusts = trusts
        self._known: set[str] = set()
        self._looking: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin."""
        following = self._hearth.follow()

        async def look() -> None:
            with contextlib.closing(following):
                async for item in each(following):
                    # Most rows are none of ours: they are not even decoded.
                    if isinstance(item, Stored) and _TAG in item.data:
                        await self._see(item)

        self._looking = asyncio.get_running_loop().create_task(look())

    async def close(self) -> None:
        """End."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _see(self, row: Stored) -> None:
        event = envelope(row).event
        if not isinstance(event, SessionWarmUpCompleted):
            return
        found = event.surroundings
        if found is None or found.source == "directory":
            return
        if not found.root or found.root in self._known:
            return
        try:
            if await asyncio.to_thread(self._made, Path(found.root)):
                self._known.add(found.root)
        except OSError as error:
            # A project that cannot be written to is worked in all the same.
            _said.info("%s gets no folder of hearth's: %s", found.root, error.strerror)
            self._known.add(found.root)

    def _made(self, path: Path) -> bool:
        root, _ = find_root_anyway(path)
        if root.path != path or not self._trusts(root):
            return False
        ProjectFolder(path).make()
        return True
