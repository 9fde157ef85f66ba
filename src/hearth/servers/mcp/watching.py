"""Tells who subscribed that something can be read anew: the log is followed while somebody is."""

import asyncio
import logging
from collections.abc import Callable

from hearth.api import Following, Hearth
from hearth.core.vocabulary.envelope import Stored
from hearth.servers.mcp.reading import SESSIONS, changed_by

_said = logging.getLogger(__name__)
_LISTED = (b'"session_started"', b'"session_stopped"')


class Watching:
    """Follows the log of all sessions for as long as somebody wants to hear of a resource."""

    def __init__(
        self, hearth: Hearth, changed: Callable[[str], None], listed: Callable[[], None]
    ) -> None:
        self._hearth = hearth
        self._changed = changed
        self._listed = listed
        self._wanted: set[str] = set()
        self._following: Following | None = None
        self._task: asyncio.Task[None] | None = None

    def watched(self, uri: str, is_wanted: bool) -> None:  # noqa: FBT001 - as it is called
        """Somebody wants to hear of this resource, or nobody does any more."""
        if is_wanted:
            self._wanted.add(uri)
            if self._following is None:
                self._following = self._hearth.follow()
                self._task = asyncio.create_task(self._watch(self._following))
        else:
            self._wanted.discard(uri)
            if not self._wanted:
                self._stop()

    async def close(self) -> None:
        """Follow no more."""
        self._wanted.clear()
        task = self._task
        self._stop()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    def _stop(self) -> None:
        if self._following is not None:
            self._following.close()
            self._following = None

    async def _watch(self, following: Following) -> None:
        try:
            while items := await following.batch():
                for item in items:
                    if isinstance(item, Stored):
                        self._tell(item)
        except Exception:  # noqa: BLE001 - those who subscribed read anew by themselves
            _said.exception("resources are no longer followed until somebody subscribes again")
            if self._following is following:
                self._stop()

    def _tell(self, row: Stored) -> None:
        for uri in changed_by(row):
            if uri in self._wanted:
                self._changed(uri)
        if any(word in row.data for word in _LISTED):
            self._listed()
            if SESSIONS in self._wanted:
                self._changed(SESSIONS)
