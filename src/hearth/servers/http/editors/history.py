"""`/events` as signals: the newest of the past in one patch, then one patch for each event."""

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from hearth.api import Following, Hearth, Item, Viewed
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.http.editors.signals import patch_frame
from hearth.servers.http.streams.channels import IDLE
from hearth.servers.http.streams.frames import KEEP_ALIVE

USUAL: Final = 200
MOST: Final = 1000
"""So many events of the past are shown at most."""


class History:
    """A stream of events as signals. `new` is a list, so that it is replaced and never merged."""

    def __init__(
        self, following: Following, session: SessionId | None, until: int, limit: int | None
    ) -> None:
        """The past reaches up to `until`; without a limit there is none to show."""
        self.beginning = b""
        self._following = following
        self._session = session
        self._until = until
        self._past: deque[Any] | None = None if limit is None else deque(maxlen=limit)
        self._reading: asyncio.Task[Sequence[Item]] | None = None
        self._over = asyncio.Event()

    @classmethod
    async def of(
        cls, hearth: Hearth, session: SessionId | None, after: int | None, limit: int
    ) -> "History":
        """From a cursor, if there is one; else with the past before it."""
        if after is not None:
            return cls(hearth.follow(session, after=after), session, after, None)
        viewed = await hearth.view("sessions" if session is None else "status", session)
        until = viewed.seq if isinstance(viewed, Viewed) else 0
        # The events of all sessions are counted without a gap; those of one must be looked for.
        begin = max(0, until - limit) if session is None or not limit else 0
        history = cls(hearth.follow(session, after=begin), session, until, limit)
        if begin >= until:
            history.beginning = history._whole()
        return history

    def end(self) -> None:
        """End it: the daemon goes."""
        self._over.set()

    async def next(self) -> bytes:
        """What to send now, waiting until there is something; empty at the end."""
        while not self._over.is_set():
            items = await self._batch()
            if items is None:
                return KEEP_ALIVE
            if not items:
                break
            if frames := b"".join(self._frames(items)):
                return frames
        return b""

    def close(self) -> None:
        """Let go of everything, at once."""
        self._over.set()
        self._following.close()

    def _frames(self, items: Sequence[Item]) -> list[bytes]:
        frames = []
        for item in items:
            if not isinstance(item, Stored):
                continue
            event = json.loads(codec.envelope_json(item))
            if self._past is None:
                frames.append(patch_frame({"events": {"seq": item.seq, "new": [event]}}, item.seq))
                continue
            if item.seq <= self._until:
                self._past.append(event)
            if item.seq >= self._until:
                frames.append(self._whole())
            if item.seq > self._until:
                frames.append(patch_frame({"events": {"seq": item.seq, "new": [event]}}, item.seq))
        return frames

    def _whole(self) -> bytes:
        past, self._past = list(self._past or ()), None
        told = {"session": self._session, "seq": self._until, "history": past, "new": []}
        return patch_frame({"events": told}, self._until)

    async def _batch(self) -> Sequence[Item] | None:
        """What came; None if nothing did for so long, empty at the end."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._following.batch())
        over = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait(
                {self._reading, over}, timeout=IDLE, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            over.cancel()
        if self._over.is_set():
            return ()
        if not self._reading.done():
            return None
        items, self._reading = self._reading.result(), None
        return items
