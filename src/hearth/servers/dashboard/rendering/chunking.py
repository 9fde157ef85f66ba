"""Markdown cut into chunks that stand for themselves, so that a growing text grows by its last.

Chunks end at blank lines outside of fences, where the next line is not part of a list item. Every
rule looks at a line and what stands before it, never at what comes later: when the text grows, only
the last two chunks can change.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST: Final = 4096
"""A chunk that is longer than this ends with the line, whatever stands in it."""
LONGEST_LINE: Final = 4096
"""A line that is longer is cut."""
_FENCE_MOST: Final = 3 * MOST
_LIST_MOST: Final = 1024
"""A list that is longer than this is cut before its next item."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_INNER_FENCE: Final = re.compile(r"\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM: Final = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")


class Chunk(NamedTuple):
    """A part of a text that is Markdown by itself."""

    text: str
    is_open: bool = False
    """It ends inside of a fence, which nothing has closed yet."""


class _Cutter:
    """What is known at a line of what stands before it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.size = 0
        self.fence = ""
        self.opening = ""
        self.is_list = False
        self.after_blank = False

    def take(self, line: str) -> Iterator[Chunk]:
        """One more line, and the chunk that it ends, if it does."""
        if self.fence:
            yield from self._take_fenced(line)
            return
        if not line.strip():
            self.after_blank = True
            if self.lines:
                self._add(line)
            return
        if self.lines and self._begins(line):
            yield self.end()
        self.after_blank = False
        if not self.lines:
            self.is_list = bool(_ITEM.match(line))
        opens = (_INNER_FENCE if self.is_list else _FENCE).match(line.rstrip("\n"))
        if opens:
            self.fence, self.opening = opens[1], line if not self.is_list else ""
        self._add(line)

    def end(self) -> Chunk:
        """All that stands in the chunk; the next one begins."""
        made = Chunk("".join(self.lines).rstrip("\n"), bool(self.fence))
        self.lines, self.size = [], 0
        return made

    def _take_fenced(self, line: str) -> Iterator[Chunk]:
        bare = line.strip()
        if len(bare) >= len(self.fence) and not bare.strip(self.fence[0]):
            self.fence = ""
            self._add(line)
        elif self.size > _FENCE_MOST and self.opening:
            # A long fence goes on in a chunk of its own, with the same words behind its marks.
            yield Chunk("".join(self.lines))
            self.lines, self.size = [self.opening], 0
            self._add(line)
        else:
            self._add(line)

    def _begins(self, line: str) -> bool:
        """Whether a chunk begins with this line."""
        if self.size > MOST:
            return True
        is_item = bool(_ITEM.match(line))
        if self.after_blank:
            return is_item or not (self.is_list and line[:1] in " \t")
        return self.is_list and is_item and line[:1] not in " \t" and self.size > _LIST_MOST

    def _add(self, line: str) -> None:
        self.lines.append(line)
        self.size += len(line)


def chunks(text: str) -> tuple[Chunk, ...]:
    """The chunks of a text, in order. Linear in its length."""
    cutter = _Cutter()
    made: list[Chunk] = []
    for line in _lines(text):
        made += cutter.take(line)
    if cutter.lines and cutter.size:
        made.append(cutter.end())
    return tuple(made)


def _lines(text: str) -> Iterator[str]:
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        for place in range(0, max(1, len(line)), LONGEST_LINE):
            yield f"{line[place : place + LONGEST_LINE]}\n"


def is_fenced(chunk: Chunk) -> re.Match[str] | None:
    """The opening of the fence, if the chunk is nothing else than code between marks."""
    first, _, rest = chunk.text.partition("\n")
    opens = _FENCE.match(first)
    if opens is None:
        return None
    closing = re.compile(rf"^ *{re.escape(opens[1][0])}{{{len(opens[1])},}} *$", re.MULTILINE)
    closed = closing.search(rest)
    return opens if closed is None or not rest[closed.end() :].strip() else None
