"""Which words of a command that is not known may be paths."""

import os
import re
from collections.abc import Iterator
from typing import Final

from hearth.performers.judging.paths import Place

_URL: Final = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://")
_PARTS: Final = re.compile(r"[=:,@;]")
_LONGEST: Final = 4096
_MOST_PARTS: Final = 8


def may_be_paths(text: str, place: Place, *, has_program: bool = False) -> Iterator[str]:
    """Everything in a word that could be the path of something.

    `has_program`: words that begin with a slash are patterns, unless such a folder is there.
    """
    for path in _candidates(text, place):
        if not has_program or not path.startswith("/") or _begins_with_folder(path):
            yield path


def _begins_with_folder(path: str) -> bool:
    return os.path.lexists(f"/{path.lstrip('/').partition('/')[0]}")


def _candidates(text: str, place: Place) -> Iterator[str]:
    if not text or _URL.match(text) or "\0" in text:
        return
    if len(text) > _LONGEST:
        # No path is so long; but there may be some in it, as in a program.
        text = text[:_LONGEST]
    if not text.startswith("-") and (_looks_like_one(text) or is_there(text, place)):
        yield text
    if text.startswith("-") and not text.startswith("--") and len(text) > 2:
        attached = text[2:]
        if _looks_like_one(attached):
            yield attached
    for part in _PARTS.split(text, maxsplit=_MOST_PARTS)[1:]:
        cleaned = part.removeprefix("//") if text.startswith("file:") else part
        if _looks_like_one(cleaned):
            yield cleaned


def is_there(text: str, place: Place) -> bool:
    """Whether something has this name, where the command is run."""
    try:
        return os.path.lexists(os.path.join(place.here, text))  # noqa: PTH118 - text, not a Path
    except ValueError:
        return False


def _looks_like_one(text: str) -> bool:
    return "/" in text or text in {".", "..", "~"} or text.startswith("~")
