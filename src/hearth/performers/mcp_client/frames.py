"""Lines of JSON over the pipes of a server, within bounds: noise is skipped, giants are refused.

Reading and writing happen in callbacks of the event loop: a message costs no task of its own.
"""

import asyncio
import contextlib
import os
import re
from collections import deque
from typing import Final

LARGEST: Final = 16 * 1024 * 1024
"""A longer line is not kept; what was asked is answered with an error."""
MOST_WAITING: Final = 256
"""So many lines wait to be taken; meanwhile nothing more is read."""
_PIECE: Final = 256 * 1024
_MOST_UNSENT: Final = 64 * 1024 * 1024
_ENOUGH: Final = 1024 * 1024
_KEPT: Final = 512
_BEGINS: Final = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18})\b')
_ENDS: Final = re.compile(rb'"id"\s*:\s*(\d{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


class Giant:
    """A line that was too long to be kept: which request it answers, if that could be seen."""

    def __init__(self, head: bytes, tail: bytes) -> None:
        found = _BEGINS.match(head) or _ENDS.search(tail)
        self.answers: int | None = int(found[1]) if found else None


class LineReader:
    """Lines that come through a pipe, the oldest first."""

    def __init__(self, fd: int, largest: int = LARGEST) -> None:
        self._fd = fd
        self._largest = largest
        self._lines: deque[bytes | Giant] = deque()
        self._waiting_bytes = 0
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""
        self._is_over = False
        self._is_reading = False
        self._waiter: asyncio.Future[None] | None = None
        self._resume()

    async def line(self) -> bytes | Giant | None:
        """The next one without its end; None if there will be none."""
        while not self._lines:
            if self._is_over:
                return None
            self._resume()
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        line = self._lines.popleft()
        self._waiting_bytes -= len(line) if isinstance(line, bytes) else 0
        if not self._is_full:
            self._resume()
        return line

    def close(self) -> None:
        """Read no more. The pipe is its owner's to close."""
        self._end()

    @property
    def _is_full(self) -> bool:
        return len(self._lines) >= MOST_WAITING or self._waiting_bytes > self._largest

    def _resume(self) -> None:
        if not self._is_reading and not self._is_over:
            self._is_reading = True
            asyncio.get_running_loop().add_reader(self._fd, self._read)

    def _pause(self) -> None:
        if self._is_reading:
            self._is_reading = False
            asyncio.get_running_loop().remove_reader(self._fd)

    def _read(self) -> None:
        try:
            piece = os.read(self._fd, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self._end()
            return
        first, *rest = piece.split(b"\n")
        self._extend(first)
        for one in rest:
            self._complete()
            self._extend(one)
        if self._is_full:
            self._pause()

    def _extend(self, part: bytes) -> None:
        self._size += len(part)
        self._parts.append(part)
        if self._size > self._largest:
            # Only its end is kept from here on.
            whole = b"".join(self._parts)
            self._head = self._head or whole[:_KEPT]
            self._parts = [whole[-_KEPT:]]

    def _complete(self) -> None:
        whole = b"".join(self._parts)
        is_giant = self._size > self._largest
        self._lines.append(Giant(self._head, whole) if is_giant else whole)
        self._waiting_bytes += 0 if is_giant else len(whole)
        self._parts, self._size, self._head = [], 0, b""
        self._wake()

    def _end(self) -> None:
        self._is_over = True
        self._pause()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class LineWriter:
    """Lines that go into a pipe, whole ones only: whoever stops waiting leaves none cut off."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._unsent = bytearray()
        self._is_over = False
        self._room = asyncio.Event()

    async def write(self, line: bytes) -> None:
        """Send a line, which has its end. BrokenPipeError: nobody reads any more."""
        if self._is_over:
            raise BrokenPipeError
        if len(self._unsent) + len(line) > _MOST_UNSENT:
            raise BlockingIOError("the server does not read what it is sent")
        is_first = not self._unsent
        self._unsent += line
        if is_first:
            self._send()
        while len(self._unsent) > _ENOUGH and not self._is_over:
            self._room.clear()
            await self._room.wait()
        if self._is_over:
            raise BrokenPipeError

    def close(self) -> None:
        """Send no more. The pipe is its owner's to close."""
        if not self._is_over:
            self._is_over = True
            with contextlib.suppress(ValueError, OSError):
                asyncio.get_running_loop().remove_writer(self._fd)
            self._room.set()

    def _send(self) -> None:
        try:
            sent = os.write(self._fd, self._unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        del self._unsent[:sent]
        loop = asyncio.get_running_loop()
        if self._unsent:
            loop.add_writer(self._fd, self._send)
        else:
            loop.remove_writer(self._fd)
        if len(self._unsent) <= _ENOUGH:
            self._room.set()
