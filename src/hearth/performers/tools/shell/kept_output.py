"""What a command wrote: its beginning and its end in memory, most of the rest in a file.

Whoever writes without an end fills neither: what is too much is counted.
"""

import os
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from hearth.performers.tools.shell.cleaning import complete, readable

HEAD: Final = 256 * 1024
TAIL: Final = 256 * 1024
MOST_ON_DISK: Final = 64 * 1024 * 1024
MOST_FILES: Final = 16
"""Of one session; the oldest go for new ones."""
_BATCH: Final = 1024 * 1024
_SMALL: Final = 8 * 1024
"""Pieces below this are put together: a thousand small ones take more than their bytes."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of an output."""

    before: bytes
    missing: int
    """So many bytes are left out between both."""
    after: bytes

    def text(self, where: str) -> str:
        """For reading; `where` says what became of what is left out."""
        if not self.missing:
            return readable(self.before + self.after)
        gap = f"\n… {self.missing} bytes are left out here; {where} …\n"
        return f"{readable(self.before)}{gap}{readable(self.after)}"


class KeptOutput:
    """The output of one command. Never waits, but for `write`, which belongs in a thread."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        head: int = HEAD,
        tail: int = TAIL,
        most_on_disk: int = MOST_ON_DISK,
    ) -> None:
        self._file = file
        self._head_size = head
        self._tail_size = tail
        self._most = most_on_disk
        self._head = bytearray()
        self._tail: deque[bytearray] = deque()
        self._tail_held = 0
        self._waiting: list[bytes] = []
        self._waiting_size = 0
        self._wanted = 0
        self._opened: BinaryIO | None = None
        self._problem = "" if file else "it is not kept"
        self.total = 0

    @property
    def must_write(self) -> bool:
        """So much waits to be written that no more should be taken before it is."""
        return self._waiting_size >= _BATCH

    @property
    def where(self) -> str:
        """Where the whole of it is, or how much of it, in words; "" if memory has it all."""
        if self.total <= self._head_size + self._tail_size:
            return ""
        if self._problem:
            return self._problem
        if self.total <= self._most:
            return f"the whole is in {self._file}"
        return f"the first {self._most} bytes are in {self._file}, the rest is not kept"

    def take(self, piece: bytes) -> None:
        """Add what was written."""
        in_memory = self._head_size + self._tail_size
        if self.total + len(piece) > in_memory and not self._problem:
            if self.total <= in_memory:
                self._spill(b"".join((self._head, *self._tail)))
            self._spill(piece)
        self.total += len(piece)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if piece:
            if self._tail and len(self._tail[-1]) < _SMALL:
                self._tail[-1] += piece
            else:
                self._tail.append(bytearray(piece))
            self._tail_held += len(piece)
        while self._tail and self._tail_held - len(self._tail[0]) >= self._tail_size:
            self._tail_held -= len(self._tail.popleft())

    def write(self) -> None:
        """Put on disk what waits for it."""
        waiting, self._waiting, self._waiting_size = self._waiting, [], 0
        if not waiting or self._file is None or self._problem:
            return
        try:
            if self._opened is None:
                self._opened = _opened(self._file)
            for piece in waiting:
                self._opened.write(piece)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            self._problem = f"it is not kept: {self._file} cannot be written ({why})"
            self.close()

    def close(self) -> None:
        """Write no more."""
        opened, self._opened = self._opened, None
        if opened is not None:
            try:
                opened.close()
            except OSError as error:
                self._problem = f"it is not kept: {self._file} cannot be written ({error.strerror})"

    def since(self, position: int, *, is_over: bool = True) -> tuple[Excerpt, int]:
        """What was written from a position on, as far as it is in memory, and where that ends.

        If more may come, half a character at the end is left for the next time.
        """
        tail = b"".join(self._tail)
        if self.total > len(self._head) + self._tail_size:
            tail = tail[-self._tail_size :]
        begins = self.total - len(tail)
        before = bytes(self._head[position:])
        after = tail[max(0, position - begins) :]
        missing = max(0, begins - max(position, len(self._head)))
        end = self.total
        if not is_over:
            last = after or before
            cut = len(last) - complete(last)
            end -= cut
            if cut and after:
                after = after[:-cut]
            elif cut:
                before = before[:-cut]
        return Excerpt(before, missing, after), end

    def _spill(self, piece: bytes) -> None:
        piece = piece[: self._most - self._wanted]
        if piece:
            self._wanted += len(piece)
            self._waiting.append(piece)
            self._waiting_size += len(piece)


def _opened(file: Path) -> BinaryIO:
    for folder in (file.parent.parent, file.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    _make_room(file)
    # For its owner's eyes alone, whoever may look into the folder; what has its name already is
    # replaced, never followed.
    file.unlink(missing_ok=True)
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _make_room(file: Path) -> None:
    """Have a session's long outputs take no more of the disk than a gigabyte."""
    others = {one: one.lstat().st_mtime_ns for one in file.parent.glob(f"*{file.suffix}")}
    for one in sorted(others, key=others.__getitem__)[: max(0, len(others) + 1 - MOST_FILES)]:
        one.unlink(missing_ok=True)
