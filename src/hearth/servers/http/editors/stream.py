"""A stream of signals: the whole on connect, then what changes, event by event."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import Any, Final, Protocol

from hearth.api import Following, Item
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import EventId
from hearth.core.vocabulary.progress import EventUnsaved, Progress
from hearth.servers.http.editors.signals import Signals, changes, patch_frame
from hearth.servers.http.streams.channels import IDLE
from hearth.servers.http.streams.frames import KEEP_ALIVE
from hearth.servers.http.streams.pace import Pace

INTERVAL: Final = 0.05
"""Seconds between two writes while much happens: a browser draws no faster."""
BURST: Final = 8


class Shape(Protocol):
    """What one kind of stream shows, as it changes."""

    name: str
    """Of the one signal that it is."""

    @property
    def now(self) -> Signals:
        """All of it, as it is now. `request` is in every patch, changed or not."""

    def happened(self, envelope: Envelope) -> Awaitable[bool]:
        """An event came; whether it is to be shown."""

    def shown(self, progress: Progress) -> bool:
        """Something is going on; whether it is to be shown."""


class SignalStream:
    """Feeds a shape with what happens in a session, and sends what it changes."""

    def __init__(self, shape: Shape, following: Following) -> None:
        """`following` goes on from where the shape was made."""
        self._shape = shape
        self._following = following
        self._sent: dict[str, Any] = dict(shape.now)
        self._unsaved: set[EventId] = set()
        self._poked = asyncio.Event()
        self._over = False
        self._frames: list[bytes] = []
        self._reading: asyncio.Task[Sequence[Item]] | None = None
        self._pace = Pace(INTERVAL, INTERVAL, BURST)
        self.beginning = patch_frame({shape.name: self._sent})

    def poke(self) -> None:
        """The shape changed by itself."""
        self._poked.set()

    def end(self) -> None:
        """End it: the daemon goes."""
        self._over = True
        self._poked.set()

    async def next(self) -> bytes:
        """What to send now, waiting until there is something; empty at the end."""
        while not self._over:
            if self._frames:
                frames, self._frames = b"".join(self._frames), []
                self._pace.wrote(asyncio.get_running_loop().time(), 1)
                return frames
            if not await self._more():
                return KEEP_ALIVE
        return b""

    def close(self) -> None:
        """Let go of everything, at once."""
        self._over = True
        self._following.close()

    async def _more(self) -> bool:
        """Wait for something to happen; False if nothing did for so long."""
        await self._rest()
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._following.batch())
        poked = asyncio.ensure_future(self._poked.wait())
        try:
            await asyncio.wait(
                {self._reading, poked}, timeout=IDLE, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            poked.cancel()
        if self._poked.is_set():
            self._poked.clear()
            self._send_changes()
            return True
        if not self._reading.done():
            return False
        items, self._reading = self._reading.result(), None
        if not items:
            self._over = True
        async for envelope in self._told(items):
            if await self._shape.happened(envelope):
                self._send_changes()
        return True

    async def _told(self, items: Sequence[Item]) -> AsyncIterator[Envelope]:
        """The events among the items, each once; progress is shown on the way."""
        for item in items:
            if isinstance(item, Stored):
                try:
                    envelope = codec.envelope(item)
                except codec.Unreadable:
                    continue  # it stands in the log as it is; `hearth log check` tells of it
                if envelope.id in self._unsaved:
                    self._unsaved.discard(envelope.id)
                    continue
                yield envelope
            elif isinstance(item.progress, EventUnsaved):
                envelope = codec.decode_envelope(item.progress.json.encode())
                self._unsaved.add(envelope.id)
                yield envelope
            elif self._shape.shown(item.progress):
                self._send_changes()

    def _send_changes(self) -> None:
        now = dict(self._shape.now)
        patch = changes(self._sent, now)
        if not patch:
            return
        if "request" in now:
            patch["request"] = now["request"]
        self._frames.append(patch_frame({self._shape.name: patch}))
        self._sent = now

    async def _rest(self) -> None:
        """Let what happens meanwhile be joined by whoever follows."""
        if (pause := self._pace.delay(asyncio.get_running_loop().time())) > 0:
            await asyncio.sleep(pause)
