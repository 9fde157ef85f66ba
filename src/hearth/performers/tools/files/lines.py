"""Some lines out of a stream of UTF-8, which is never held as a whole."""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

LINES: Final = 500
"""So many lines are read unless others are asked for."""
LONGEST: Final = 2000
"""Lines are cut at so many characters."""
ROOM: Final = 19_000
"""So many characters in all: with its frame, a result is shorter than what is cut by default."""

_DECODER: Final = codecs.getincrementaldecoder("utf-8")


@dataclass(frozen=True, slots=True)
class Span:
    """Which lines, and which part of each."""

    offset: int = 1
    """The first line, from 1."""
    limit: int = LINES
    column: int = 1
    """The first character of each line, from 1."""
    width: int = LONGEST
    room: int = ROOM


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or the part of it that was asked for."""

    number: int
    text: str
    length: int
    """Of the whole line, without its end."""

    def is_cut(self, span: Span) -> bool:
        """Whether more of it comes after what is shown."""
        return span.column - 1 + len(self.text) < self.length


@dataclass(slots=True)
class Lines:
    """What was found."""

    lines: list[Line] = field(default_factory=list)
    total: int = 0
    """So many lines there are, or were until the stream was cut."""
    ends_in_newline: bool = True
    carriage_returns: int = 0
    """So many of the lines end in CR LF."""
    is_damaged: bool = False
    """Something in the lines is not UTF-8."""


def taken(chunks: Iterable[bytes], span: Span) -> Lines:
    """Read on to the end, and take the lines of the span that fit into its room."""
    found = Lines()
    taker = _Taker(found, span)
    last = b""
    for chunk in chunks:
        rest = taker.take(chunk)
        found.total += rest.count(b"\n")
        last = chunk[-1:]
    taker.finish()
    found.ends_in_newline = last in {b"", b"\n"}
    found.total += not found.ends_in_newline
    return found


class _Taker:
    """Takes lines as the chunks come; what it does not look at it hands back."""

    def __init__(self, found: Lines, span: Span) -> None:
        self._found = found
        self._span = span
        self._room = span.room
        self._frame = len(str(span.offset + span.limit)) + 2  # the number, the arrow, the newline
        self._line = _Growing(span)
        self._is_done = span.limit < 1

    def take(self, chunk: bytes) -> bytes:
        """Use what belongs to the lines; give back what comes after them."""
        start = self._skipped(chunk)
        while not self._is_done and start < len(chunk):
            end = chunk.find(b"\n", start)
            if end < 0:
                self._line.grow(chunk[start:])
                return b""
            self._line.grow(chunk[start:end])
            self._found.total += 1
            self._close()
            start = end + 1
        return chunk[start:] if start else chunk

    def finish(self) -> None:
        """A last line may end without a newline."""
        if not self._is_done and self._line.is_begun:
            self._found.total += 1  # `taken` counts it, too, and is put right here
            self._close()
            self._found.total -= 1

    def _skipped(self, chunk: bytes) -> int:
        """Where in the chunk the lines begin."""
        missing = self._span.offset - 1 - self._found.total
        if self._is_done or missing <= 0:
            return 0
        there = chunk.count(b"\n")
        if there < missing:
            self._found.total += there
            return len(chunk)
        self._found.total += missing
        start = 0
        for _ in range(missing):
            start = chunk.index(b"\n", start) + 1
        return start

    def _close(self) -> None:
        line, self._line = self._line, _Growing(self._span)
        closed = line.closed(self._found.total)
        self._room -= len(closed.text) + self._frame
        if self._room < 0 and self._found.lines:
            self._is_done = True
            return
        self._found.lines.append(closed)
        self._found.carriage_returns += line.has_return
        self._found.is_damaged |= line.is_damaged
        self._is_done = len(self._found.lines) >= self._span.limit


class _Growing:
    """A line as it comes, of which only the part that was asked for is held."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self._decoder = _DECODER("replace")
        self._parts: list[str] = []
        self._length = 0
        self._held = 0
        self.is_begun = False
        self.has_return = False
        self.is_damaged = False

    def grow(self, piece: bytes) -> None:
        self.is_begun = True
        text = self._decoder.decode(piece)
        self.is_damaged |= "\ufffd" in text and b"\xef\xbf\xbd" not in piece
        self._hold(text)

    def closed(self, number: int) -> Line:
        text = self._decoder.decode(b"", final=True)
        self.is_damaged |= bool(text)
        self._hold(text)
        shown = "".join(self._parts)
        if self.has_return:
            self._length -= 1
            shown = shown[: max(0, self._length - (self._span.column - 1))]
        return Line(number, shown[: self._span.width].replace("\0", "\u2400"), self._length)

    def _hold(self, text: str) -> None:
        if not text:
            return
        begin = max(0, self._span.column - 1 - self._length)
        # One more than is shown, which may be the CR of the end.
        part = text[begin : begin + self._span.width + 1 - self._held]
        if part:
            self._parts.append(part)
            self._held += len(part)
        self._length += len(text)
        self.has_return = text.endswith("\r")


def numbered(lines: Iterable[tuple[int, str]], width: int = 0) -> Iterator[str]:
    """Lines with their numbers before them, as every file tool shows them."""
    rows = list(lines)
    width = max([width, *(len(str(number)) for number, _ in rows)])
    for number, text in rows:
        yield f"{number:>{width}}→{text}"
