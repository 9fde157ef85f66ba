"""Puts what an interpreter says into its order, each message once, with the journal's help.

Replies and published messages come by different sockets, and what a dead daemon was to hear
comes by none: the numbers tell, and what is missing is read from the journal.
"""

import asyncio
import logging
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.heard import unlink_before
from hearth.performers.interpreter.inside import journal

PATIENCE: Final = 0.05
"""So long a message may be overtaken by others before it is looked for in the journal."""

MUCH: Final = 256
"""Messages, after which it is worth looking for segments of the journal that can go."""

Frames = list[bytes]

_said = logging.getLogger(__name__)


class Sequence:
    """Delivers numbered messages in order."""

    def __init__(self, folder: Path, deliver: Callable[[Frames], None]) -> None:
        self._folder = folder
        self._deliver = deliver
        self._waiting: dict[int, Frames] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None
        self._closed = False
        self._forgotten = 0
        self.last = 0
        """The number of the last message that was delivered."""
        self.lost = 0
        """How many messages were in neither place."""

    def feed(self, number: int, frames: Frames) -> None:
        """A message came by a socket."""
        if number <= self.last or self._closed:
            return
        if number > self.last + 1 or self._reading is not None:
            self._waiting[number] = frames
            self._look_soon()
            return
        self._take(number, frames)
        self._take_waiting()

    async def catch_up(self) -> None:
        """Deliver everything that the journal holds beyond what was delivered."""
        records = await asyncio.to_thread(_records, self._folder, self.last)
        for number, _, frames in records:
            if self._closed:
                return
            if number > self.last:
                self.lost += number - self.last - 1 if self.last else 0
                self._take(number, frames)
                await asyncio.sleep(0)  # others have their turn, however long the journal is
        self._take_waiting()

    @property
    def has_much_behind(self) -> bool:
        """Whether it is worth to `forget`."""
        return self.last - self._forgotten >= MUCH

    async def forget(self) -> None:
        """What was delivered so far is kept elsewhere: the journal need not hold it any longer."""
        self._forgotten = self.last
        await asyncio.to_thread(unlink_before, self._folder, self._forgotten)

    def close(self) -> None:
        """Deliver nothing more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._reading is not None:
            self._reading.cancel()

    def _take(self, number: int, frames: Frames) -> None:
        self.last = number
        self._deliver(frames)

    def _take_waiting(self) -> None:
        for number in sorted(self._waiting):
            if number > self.last + 1:
                self._look_soon()
                return
            frames = self._waiting.pop(number)
            if number > self.last:
                self._take(number, frames)

    def _look_soon(self) -> None:
        if self._timer is None and self._reading is None:
            self._timer = asyncio.get_running_loop().call_later(PATIENCE, self._look, self.last)

    def _look(self, last: int) -> None:
        self._timer = None
        if not self._waiting or self._closed:
            return
        if self.last == last:
            self._reading = asyncio.get_running_loop().create_task(self._read())
        else:
            # What was missing came. What is missing now may have been overtaken a moment ago.
            self._look_soon()

    async def _read(self) -> None:
        last = self.last
        try:
            await self.catch_up()
        finally:
            self._reading = None
        if not self._waiting or self._closed:
            return
        if self.last > last:
            # As above: it may have been written after the journal was read.
            self._look_soon()
        else:
            # Not in the journal either: it was dropped there, or could not be written.
            first = min(self._waiting)
            self.lost += first - self.last - 1
            self.last = first - 1
            self._take_waiting()


def _records(folder: Path, last: int) -> list[journal.Record]:
    """What the journal holds beyond the number, as far as it can be read."""
    found: list[journal.Record] = []
    try:
        found.extend(journal.read_after(folder, last))
    except (OSError, ValueError, struct.error) as broken:
        # The folder is the interpreter's, and its code can write there. What comes by the sockets
        # is whole, and who waits for the end of a cell must not wait for ever.
        _said.warning("the journal in %s cannot be read to its end: %s", folder, broken)
    return found
