"""Which paths a glob means. Takes a time that is bounded for every pattern and every path."""

import fnmatch
import re
from collections.abc import Callable, Iterator
from typing import Final

_MOST_ALTERNATIVES: Final = 64
_LONGEST: Final = 1000

_Match = Callable[[str], object]


class NotAGlob(ValueError):
    """What is wrong with a pattern, and what would be right."""


class Glob:
    """`*` and `?` within a name, `**` for any folders, `[ab]`, `{a,b}`. NotAGlob.

    A pattern without `/` is about names at any depth; one that ends in `/` is about folders.
    """

    def __init__(self, pattern: str) -> None:
        _check(pattern)
        self.is_about_folders = pattern.endswith("/")
        plain = pattern.strip("/").removeprefix("./")
        is_anywhere = "/" not in pattern.rstrip("/")
        self._ways = [
            [*([None] if is_anywhere else []), *map(_part, one.split("/"))]
            for one in _alternatives(plain)
        ]

    def matches(self, path: str) -> bool:
        """Whether a path, from the folder that is looked in, is meant."""
        parts = path.split("/")
        return any(_fits(parts, way) for way in self._ways)


def _check(pattern: str) -> None:
    if not pattern.strip("/"):
        raise NotAGlob("the pattern is empty: `**` means every file")
    if len(pattern) > _LONGEST or "\0" in pattern:
        raise NotAGlob(f"the pattern is no text of at most {_LONGEST} characters")
    if ".." in pattern.split("/") or pattern.startswith("~"):
        raise NotAGlob("the pattern leads out of the folder: give the folder as `path` instead")


def _part(part: str) -> _Match | None:
    """How one name is compared; None for any number of them."""
    return None if part == "**" else re.compile(fnmatch.translate(part)).match


def _alternatives(pattern: str) -> list[str]:
    """One pattern for each way through its braces."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop()
        braces = _innermost(one)
        if braces is None:
            done.append(one)
        else:
            start, end = braces
            choices = one[start + 1 : end].split(",")
            waiting += [f"{one[:start]}{choice}{one[end + 1 :]}" for choice in reversed(choices)]
        if len(done) + len(waiting) > _MOST_ALTERNATIVES:
            raise NotAGlob(f"its braces mean more than {_MOST_ALTERNATIVES} patterns")
    return done


def _innermost(pattern: str) -> tuple[int, int] | None:
    """Where braces are that hold choices and no other braces."""
    found = re.search(r"\{[^{}]*,[^{}]*\}", pattern)
    return (found.start(), found.end() - 1) if found else None


def _fits(parts: list[str], way: list[_Match | None]) -> bool:
    at = step = 0
    any_step, any_at = -1, 0
    while at < len(parts):
        if step < len(way) and way[step] is None:
            any_step, any_at = step, at
            step += 1
        elif step < len(way) and _is(way[step], parts[at]):
            at, step = at + 1, step + 1
        elif any_step >= 0:  # the last ** takes one more
            any_at += 1
            at, step = any_at, any_step + 1
        else:
            return False
    return all(one is None for one in way[step:])


def _is(match: _Match | None, part: str) -> bool:
    return match is not None and bool(match(part))


def folders_of(paths: list[str]) -> Iterator[str]:
    """Every folder that files are in, once."""
    known: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in known:
            known.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]
