"""Listens to a program: to what it says, and beside that to what it says to stderr."""

import os
import select
import subprocess
import time
from typing import Final, Protocol

_STEP: Final = 256 * 1024
_MOST_SAID: Final = 10_000


class Listener(Protocol):
    """Somebody who uses what a program says while it still talks."""

    def hear(self, part: bytes) -> None:
        """Take the next of what it says."""

    def work(self) -> bool:
        """Do a little while nothing is there to be heard; False if there is nothing to do."""


class Talk:
    """What a program says until it has no more to say, or for as long as it may."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        most: int,
        limit: float,
        listener: Listener | None = None,
    ) -> None:
        self._pipes = [one for one in (process.stdout, process.stderr) if one is not None]
        self._out, self._error = (one.fileno() for one in self._pipes)
        self._left = most
        self._limit = limit
        self._listener = listener
        self._said = b""
        self._output: list[bytes] = []
        self.is_cut = False
        """There is more of it than is taken."""
        self.is_late = False
        """It took too long."""

    @property
    def output(self) -> bytes:
        """What it said, as much as is taken; empty if somebody listened."""
        return b"".join(self._output)

    @property
    def words(self) -> str:
        """What it said to stderr, or the beginning of that."""
        return self._said.decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Listen to it no longer."""
        for pipe in self._pipes:
            pipe.close()

    def listen(self) -> None:
        """Until stdout is closed, or one of the bounds is met."""
        poll = select.poll()
        for descriptor in (self._out, self._error):
            poll.register(descriptor, select.POLLIN)
        is_busy = False
        while not self.is_cut:
            left = self._limit - time.monotonic()
            ready = poll.poll(0 if is_busy else left * 1000) if left > 0 else []
            if not ready and not is_busy:
                self.is_late = True
                return
            is_busy = self._listener is not None and (bool(ready) or self._listener.work())
            for descriptor, _ in ready:
                if descriptor == self._out:
                    if not self._heard():
                        return
                elif not self._overheard():
                    poll.unregister(descriptor)

    def finish(self) -> None:
        """Take what it said to stderr before it ended; what it started may still be talking."""
        os.set_blocking(self._error, False)
        try:
            while len(self._said) < _MOST_SAID and self._overheard():
                pass
        except BlockingIOError:
            pass  # that was all

    def _heard(self) -> bool:
        part = os.read(self._out, _STEP)
        taken = part[: max(0, self._left)]
        if self._listener is None:
            self._output.append(taken)
        else:
            self._listener.hear(taken)
        self._left -= len(part)
        self.is_cut = self._left < 0
        return bool(part)

    def _overheard(self) -> bool:
        part = os.read(self._error, _STEP)
        self._said = (self._said + part)[:_MOST_SAID]
        return bool(part)
