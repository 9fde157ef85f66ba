"""Takes up changed settings while the daemon runs, and has them recorded."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hearth.api import Hearth
from hearth.core.vocabulary.commands import NoteSettings
from hearth.core.vocabulary.ids import DAEMON_STREAM
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.change_stream import ChangeStream
from hearth.settings.keeping import Change, SettingsKeeper

_said = logging.getLogger(__name__)

MOST_NOTED: Final = 100


class Reloading:
    """Watches the person's settings file. `close` it before the engine."""

    def __init__(self, keeper: SettingsKeeper, hearth: Hearth) -> None:
        self._keeper = keeper
        self._hearth = hearth
        self._changes: asyncio.Queue[Change] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._stop_listening: Callable[[], None] | None = None

    def open(self) -> None:
        """Begin."""
        loop = asyncio.get_running_loop()

        def told(change: Change) -> None:
            # From whichever thread noticed it.
            loop.call_soon_threadsafe(self._changes.put_nowait, change)

        self._stop_listening = self._keeper.listen(told)
        file = self._keeper.files()[0]
        self._tasks = [loop.create_task(self._note()), loop.create_task(self._watch(file))]

    async def close(self) -> None:
        """End."""
        if self._stop_listening is not None:
            self._stop_listening()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def reload(self) -> None:
        """Look at all files again, soon; whoever listens is told what changed."""
        self._tasks.append(asyncio.get_running_loop().create_task(self._look()))

    async def _look(self) -> None:
        await asyncio.to_thread(self._keeper.reload)

    async def _watch(self, file: Path) -> None:
        """Until it is cancelled. The folder of the file need not be there yet."""
        try:
            while True:
                folder = await asyncio.to_thread(_nearest, file)
                async with ChangeStream([str(folder)]) as changes:
                    await self._look()  # what was saved before it was watched
                    while await asyncio.to_thread(_nearest, file) == folder:
                        paths = await changes.next()
                        if any(file.is_relative_to(path) for path in paths):
                            await self._look()
        except OSError as error:
            _said.warning("%s is not watched: %s; send SIGHUP when it changes", file, error)

    async def _note(self) -> None:
        while True:
            change = await self._changes.get()
            for problem in change.problems:
                _said.warning("settings: %s", problem)
            _said.info("settings were read again; changed: %s", ", ".join(change.changed) or "none")
            noted = await self._hearth.submit(
                DAEMON_STREAM,
                NoteSettings(
                    change.sources[:MOST_NOTED],
                    change.changed[:MOST_NOTED],
                    change.problems[:MOST_NOTED],
                ),
                SYSTEM,
            )
            if isinstance(noted, Refused):
                _said.warning("changed settings could not be recorded: %s", noted.why)


def _nearest(file: Path) -> Path:
    """The folder in which something must happen before this file can change."""
    return next(folder for folder in file.parents if folder.is_dir())
