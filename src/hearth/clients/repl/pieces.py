"""What is written to a terminal, piece by piece: words, and pictures that have to be fetched."""

from typing import Final, NamedTuple, TypeAlias

from hearth.clients.repl.marking import Markdown
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary.content import Blob, RichData, Text

PICTURES: Final = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")


class Words(NamedTuple):
    """Whole lines, fit for the terminal, without the newline at their end."""

    text: str
    is_aside: bool = False
    """Not what somebody asked for, but about it: errors, notices, what goes to stderr."""


class Picture(NamedTuple):
    """An image: base64 as it came (plain text for SVG), or where to fetch that."""

    media_type: str
    data: Text
    name: str
    """What to call it, for people and for a file."""


Piece: TypeAlias = Words | Picture


def aside(text: str) -> list[Piece]:
    """Lines about something; nothing where there are none."""
    return [Words(text, is_aside=True)] if text else []


def text_of(text: Text) -> str:
    """A text as far as it is here; `.show` fetches the rest."""
    return text.head if isinstance(text, Blob) else text


def is_whole(text: Text) -> bool:
    """Whether all of a text is here."""
    return not isinstance(text, Blob)


def picture_in(data: RichData, name: str) -> Picture | None:
    """The image among the representations of an object, if there is one."""
    for media_type in PICTURES:
        if media_type in data.bundle:
            return Picture(media_type, data.bundle[media_type], name)
    return None


def readable(data: RichData, *, colour: bool) -> str:
    """An object as text for a terminal. HTML is never shown as more than its being there."""
    bundle = data.bundle
    if "text/markdown" in bundle:
        return markdown(text_of(bundle["text/markdown"]), colour=colour)
    if "text/plain" in bundle:
        return clean(text_of(bundle["text/plain"]), colour=colour)
    for kind in ("application/json", "text/latex"):
        if kind in bundle:
            return clean(text_of(bundle[kind]), colour=False)
    return f"<{', '.join(sorted(clean(kind, colour=False) for kind in bundle)) or 'nothing'}>"


def markdown(source: str, *, colour: bool) -> str:
    """Markdown lightly: headings and strong words stand out, everything else is as written."""
    return Markdown(colour=colour).lines(source)
