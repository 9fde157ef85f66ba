"""Takes up changed settings while the daemon runs, and has them recorded."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from hearth.api import Hearth
from hearth.core.vocabulary.commands import NoteSettings
from hearth.core.vocabulary.ids import DAEMON_STREAM
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.refusals import Refused
from hearth.engine.clock import Clock
from hearth.settings.keeping import Change, SettingsKeeper
from hearth.settings.schema import Settings

MOST_NOTED: Final = 100
PAUSE: Final = 1.0
"""Seconds between two looks at a few files: next to nothing, where watching folders that others
write to all day would wake an idle daemon up again and again."""

_said = logging.getLogger(__name__)


class Reloading:
    """Looks for changes of the settings files that count. `close` it before the engine."""

    def __init__(
        self,
        keeper: SettingsKeeper,
        hearth: Hearth,
        clock: Clock,
        apply: Callable[[Settings], None] = lambda _: None,
    ) -> None:
        """`apply` is given the person's settings whenever they have changed."""
        self._apply = apply
        self._keeper = keeper
        self._hearth = hearth
        self._clock = clock
        self._changes: asyncio.Queue[Change] = asyncio.Queue()
        self._wanted = asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._stop_listening: Callable[[], None] | None = None

    def open(self) -> None:
        """Begin."""
        loop = asyncio.get_running_loop()

        def told(change: Change) -> None:
            # From whichever thread noticed it.
            loop.call_soon_threadsafe(self._changes.put_nowait, change)

        self._stop_listening = self._keeper.listen(told)
        self._tasks = (
            loop.create_task(self._note()),
            loop.create_task(self._look()),
            loop.create_task(self._watch()),
        )

    async def close(self) -> None:
        """End."""
        if self._stop_listening is not None:
            self._stop_listening()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def reload(self) -> None:
        """Read all files again, soon; what changed is recorded."""
        self._wanted.set()

    async def _look(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                await asyncio.to_thread(self._keeper.reload)
            except OSError as error:
                _said.warning("settings cannot be read again: %s", error)

    async def _watch(self) -> None:
        """Read again what has changed and is left in peace: it may be in the middle of a save."""
        read: dict[Path, tuple[int, ...]] = {}
        before: dict[Path, tuple[int, ...]] = {}
        self.reload()  # what was saved while the daemon started
        while True:
            now = await asyncio.to_thread(_signs, self._keeper.files())
            # A file that is seen for the first time was read a moment ago.
            read = {path: read.get(path, sign) for path, sign in now.items()}
            if now != read and now == before:
                self.reload()
                read = now
            before = now
            await self._clock.sleep(PAUSE)

    async def _note(self) -> None:
        while True:
            change = await self._changes.get()
            self._apply((await asyncio.to_thread(self._keeper.current)).settings)
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


def _signs(paths: Iterable[Path]) -> dict[Path, tuple[int, ...]]:
    """By which a changed file is known from the same one; nothing is read."""
    return {path: _sign(path) for path in paths}


def _sign(path: Path) -> tuple[int, ...]:
    try:
        now = path.stat()
    except OSError:
        return ()  # not there, or not to be seen: the same for whoever would read it
    return (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
