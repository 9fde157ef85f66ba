"""Shows lines of files as searches show them: the path, then `12:line` and `11-line before it`.

Where a search says at which byte a line begins, only that line is read, unless anything hints at
that the file is another by now, or is not written as plain bytes; then all of it is read.
"""

import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hearth.performers.tools.files.binary import HEAD, is_binary, wide_encoding
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.opening import CHUNK, NotOpened, Opened, all_of, open_in
from hearth.performers.tools.files.searching import Hit
from hearth.performers.tools.files.texts import text_of

WIDEST: Final = 300
"""Longer lines are shown in part, around what was found."""
_LARGEST: Final = 32 * CHUNK
_BLOCK: Final = 1024
_WINDOW: Final = 4 * WIDEST + 2
"""No line that is shown in full has more bytes, with its end."""
_MARKS: Final = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)
_CLOCK_NS: Final = 50_000_000
"""The times that the system notes of files are older than they say by less than this."""


@dataclass(frozen=True, slots=True)
class Quote:
    """How lines are quoted."""

    around: int = 0
    """So many lines before and after each."""
    in_bytes: bool = False
    """Columns count bytes, not characters."""
    since_ns: int = 0
    """When the search began; 0: nobody knows, so where it found lines means nothing any more."""


class Quoting:
    """Quotes from one file after the other; neighbours are opened from the folder they share."""

    def __init__(self, quote: Quote, descent: Descent) -> None:
        self._quote = quote
        self._descent = descent
        self._unchanged_ns = quote.since_ns - _CLOCK_NS

    def quoted(self, path: str, hits: Sequence[Hit]) -> list[str] | None:
        """The lines of a file as it is now; None if it cannot be read, or is no text any more."""
        folder, _, name = path.rpartition("/")
        try:
            file = open_in(self._descent.folder(folder), name, path)
        except NotOpened:
            return None
        try:
            if (rows := self._only(file, hits)) is not None:
                return rows
            text = _utf_8(all_of(file, path, _LARGEST))
        except NotOpened:
            return None
        finally:
            os.close(file.fd)
        return None if text is None else list(_rows(text, hits, self._quote))

    def _only(self, file: Opened, hits: Sequence[Hit]) -> list[str] | None:
        """The same without reading the rest of the file; None if that is not safe to say."""
        if self._quote.around or not self._is_as_it_was(file.about):
            return None
        try:
            if os.pread(file.fd, 3, 0).startswith(_MARKS):
                return None  # where things are was counted without the mark, or in other bytes
            rows = []
            for hit in hits:
                line = _line_at(file.fd, hit.offset)
                if line is None:
                    return None
                rows.append(f"{hit.line}:{line}")
        except OSError:
            return None
        return rows

    def _is_as_it_was(self, about: os.stat_result) -> bool:
        return about.st_mtime_ns < self._unchanged_ns and about.st_ctime_ns < self._unchanged_ns


def _line_at(descriptor: int, offset: int) -> str | None:
    """A line that begins there; None if none does, or it is too long or no text."""
    if offset < 0:
        return None
    before = min(offset, 1)
    window = os.pread(descriptor, before + _WINDOW, offset - before)
    if len(window) == before or (before and not window.startswith(b"\n")):
        return None
    end = window.find(b"\n", before)
    if end < 0 and len(window) == before + _WINDOW:
        return None  # it goes on
    end = end if end >= 0 else len(window)
    raw = window[before:end]
    if b"\0" in raw:
        return None
    line = raw.decode("utf-8", "replace").removesuffix("\r")
    return line if len(line) <= WIDEST else None


def _utf_8(content: bytes) -> bytes | None:
    if wide_encoding(content[:HEAD]):
        text = text_of(content)
        return None if text is None else text[0].encode("utf-8", "replace")
    return None if is_binary(content[:HEAD]) else content.removeprefix(BOM_UTF8)


def _rows(text: bytes, hits: Sequence[Hit], quote: Quote) -> Iterator[str]:
    columns = {hit.line: hit.column for hit in hits}
    around = range(-quote.around, quote.around + 1)
    wanted = sorted({number + one for number in columns for one in around} - {0})
    last = 0
    for number, raw in _picked(text, [one for one in wanted if one > 0]):
        if last and number > last + 1 and quote.around:
            yield "--"
        line = raw.decode("utf-8", "replace").removesuffix("\r")
        is_found = number in columns
        column = _column(line, columns[number], quote) if is_found else 1
        yield f"{number}{':' if is_found else '-'}{_part(line, column)}"
        last = number


def _picked(text: bytes, wanted: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Some lines of a text, in their order, without looking at each of the others."""
    at, line = 0, 1
    for number in wanted:
        while line < number and at < len(text):
            there = text.count(b"\n", at, at + _BLOCK)
            if line + there < number:
                at, line = at + _BLOCK, line + there
                continue
            for _ in range(number - line):
                at = text.index(b"\n", at) + 1
            line = number
        start = text.rfind(b"\n", 0, at) + 1
        if line < number or start >= len(text):
            return  # there are not so many any more
        end = text.find(b"\n", start)
        yield number, text[start:] if end < 0 else text[start:end]


def _column(line: str, column: int, quote: Quote) -> int:
    if not quote.in_bytes or len(line) <= WIDEST:
        return column
    return len(line.encode()[: column - 1].decode("utf-8", "ignore")) + 1


def _part(line: str, column: int) -> str:
    if len(line) <= WIDEST:
        return line
    start = max(0, min(column - 1 - WIDEST // 3, len(line) - WIDEST))
    end = start + WIDEST
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
