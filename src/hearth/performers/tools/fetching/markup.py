"""Takes a page apart: text and tags in their order, in a time that grows with its length alone.

The standard library's own parser can be made to take hours by a page of a megabyte, so this one is
simpler: it never looks at a place twice, and what is broken is text.
"""

import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

_START: Final = re.compile(r"<(?:(/?)([a-zA-Z][a-zA-Z0-9:-]*)|[!?])")
_ATTRIBUTE: Final = re.compile(
    r"([a-zA-Z][a-zA-Z0-9:_-]{0,40})\s{0,20}=\s{0,20}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
)
_LONG_NUMBER: Final = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")
_MOST_OF_TAG: Final = 4_000
"""Characters of a tag in which attributes are looked for, and which one of them may have."""
_MOST_QUOTES: Final = 50
_RAW: Final = {
    name: re.compile(rf"</{name}(?![a-z0-9])", re.IGNORECASE)
    for name in ("script", "style", "svg", "template", "iframe", "noembed", "noframes", "textarea")
}
"""What is inside of these is no text of the page."""


class Words(NamedTuple):
    """Text, as it is meant."""

    text: str


class Tag(NamedTuple):
    """The beginning of an element, or its end."""

    name: str
    """In lower case."""
    is_end: bool = False
    written: str = ""
    """What stands behind the name."""

    def attribute(self, name: str) -> str:
        """What an attribute says; "" if it is not there."""
        for found in _ATTRIBUTE.finditer(self.written[:_MOST_OF_TAG]):
            if found[1].lower() == name:
                return plain(found[2] or found[3] or found[4] or "").strip()
        return ""


Piece: TypeAlias = Words | Tag


def pieces(page: str) -> Iterator[Piece]:
    """What a page consists of, without comments, scripts and the like."""
    at, end = 0, len(page)
    while at < end:
        found = _START.search(page, at)
        start = found.start() if found else end
        if start > at:
            yield Words(plain(page[at:start]))
        if found is None:
            return
        if not found[2]:
            at = _past_comment(page, start)
            continue
        close = _close(page, found.end())
        if close < 0:
            return  # a tag without its end: no browser shows what stands in it
        tag = Tag(found[2].lower(), bool(found[1]), page[found.end() : close])
        yield tag
        at = close + 1
        if not tag.is_end and tag.name in _RAW and not tag.written.endswith("/"):
            after = _RAW[tag.name].search(page, at)
            at = after.start() if after else end


def plain(text: str) -> str:
    """Text with its entities as the characters that they stand for."""
    if "&" not in text:
        return text
    # A number of so many digits is no character, and Python refuses to read a long one.
    return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


def _past_comment(page: str, start: int) -> int:
    """Where it goes on behind what is only for machines."""
    # `<!-->` is a whole one, too.
    sign, first = ("-->", start + 2) if page.startswith("<!--", start) else (">", start)
    close = page.find(sign, first)
    return close + len(sign) if close >= 0 else len(page)


def _close(page: str, start: int) -> int:
    """Where a tag ends; a `>` in quotes does not end it. Negative: nowhere."""
    if page.startswith(">", start):
        return start
    at = start
    for _ in range(_MOST_QUOTES):
        close = page.find(">", at)
        if close < 0:
            break
        quote = _first_quote(page, at, close)
        if quote < 0:
            return close
        after = page.find(page[quote], quote + 1, quote + _MOST_OF_TAG)
        if after < 0:
            break
        at = after + 1
    return page.find(">", start)


def _first_quote(page: str, start: int, end: int) -> int:
    found = [at for sign in "\"'" if (at := page.find(sign, start, end)) >= 0]
    return min(found, default=-1)
