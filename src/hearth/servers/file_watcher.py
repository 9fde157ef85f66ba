"""The door by which saved files come in: each save of a source becomes a command."""

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import Final

from hearth.api import Following, Hearth, Viewed, each
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import ReloadSources
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionStopped, SessionWarmUpCompleted
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.change_stream import ChangeStream
from hearth.servers.watched_folders import folders_of, is_folder_news, is_source, saved_since

MOST_AT_ONCE: Final = 200
OVERLAP: Final = 0.1
"""Seconds: rather is a save told twice than never, and clocks of file systems are coarse."""

_said = logging.getLogger(__name__)


class FileWatcher:
    """Watches the roots of all live sessions. `close` it before the engine."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth
        self._following: asyncio.Task[None] | None = None
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._sessions: dict[SessionId, str] = {}
        self.watched = asyncio.Event()
        """Set whenever a root has begun to be watched."""

    async def open(self) -> None:
        """Watch for the sessions that live now, and for those that come."""
        following = self._hearth.follow()
        known = await self._hearth.view("sessions")
        if isinstance(known, Viewed) and isinstance(known.value, Sessions):
            for row in known.value.rows:
                status = await self._hearth.view("status", row.session)
                if isinstance(status, Viewed) and isinstance(status.value, Status):
                    self._look_at(row.session, status.value)
        self._following = asyncio.get_running_loop().create_task(self._follow(following))

    async def close(self) -> None:
        """Watch nothing more."""
        tasks = [task for task in (self._following, *self._watching.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watching.clear()

    def _look_at(self, session: SessionId, status: Status) -> None:
        if not status.stopped and status.root and status.source != "directory":
            self._watch(session, status.root, time.time())

    async def _follow(self, following: Following) -> None:
        try:
            async for item in each(following):
                if isinstance(item, Stored):
                    self._hear(item)
        finally:
            following.close()

    def _hear(self, row: Stored) -> None:
        # Most events are neither: their tag is looked for before they are decoded.
        if b"session_warm_up_completed" not in row.data and b"session_stopped" not in row.data:
            return
        heard = codec.envelope(row)
        event = heard.event
        if isinstance(event, SessionStopped):
            self._leave(row.session)
        elif isinstance(event, SessionWarmUpCompleted) and event.surroundings is not None:
            found = event.surroundings
            if found.root and found.source != "directory":
                self._watch(row.session, found.root, heard.at.timestamp())

    def _watch(self, session: SessionId, root: str, since: float) -> None:
        if self._sessions.get(session) != root:
            self._leave(session)
        self._sessions[session] = root
        if root not in self._watching:
            watching = self._watch_root(root, since)
            self._watching[root] = asyncio.get_running_loop().create_task(watching)

    def _leave(self, session: SessionId) -> None:
        root = self._sessions.pop(session, None)
        if root is not None and root not in self._sessions.values():
            self._watching.pop(root).cancel()

    async def _watch_root(self, root: str, since: float) -> None:
        """Until it is cancelled; begins anew when folders come or go, and misses nothing."""
        try:
            while folders := await asyncio.to_thread(folders_of, root):
                async with ChangeStream(folders) as changes:
                    missed = await asyncio.to_thread(saved_since, folders, since - OVERLAP)
                    await self._saved(root, missed)
                    self.watched.set()
                    since = await self._watch_folders(root, changes, set(folders))
        except OSError as error:
            _said.warning("%s is not watched any more: %s", root, error)

    async def _watch_folders(self, root: str, changes: ChangeStream, known: set[str]) -> float:
        """Until other folders are to be watched; since when saves may be missed."""
        while True:
            paths = sorted(await changes.next())
            heard = time.time()
            await self._saved(root, [path for path in paths if is_source(root, path)])
            if any(is_folder_news(path, known) for path in paths):
                return heard

    async def _saved(self, root: str, paths: list[str]) -> None:
        if not paths:
            return
        shown = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        origin = Origin(Actor.FILE_WATCHER, shown, Door.WATCHER)
        for session in self._of(root):
            # A refusal is fine: an interpreter that is being prepared reads the newest anyway.
            await self._hearth.submit(session, ReloadSources(tuple(paths[:MOST_AT_ONCE])), origin)

    def _of(self, root: str) -> Iterable[SessionId]:
        return [session for session, its in self._sessions.items() if its == root]
