"""Which of the files below a folder a command that searches is told to leave out.

A file counts as left out only if that is sure: patterns that are not plain leave nothing out, and
let everything in.
"""

import re
from dataclasses import dataclass
from typing import Final

from hearth.core.rules.patterns import matches
from hearth.performers.judging.shell.words import alternatives

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.*?-]+\Z")


@dataclass(frozen=True, slots=True)
class Sieve:
    """What a command looks into. Without anything said: into all."""

    only: tuple[str, ...] = ()
    """Patterns of names, of which one lets a file through."""
    but: tuple[str, ...] = ()
    """Patterns of names that keep files back which none of the others lets through."""
    begins_closed: bool = False
    """What none of them is about is kept back."""
    folders: tuple[str, ...] = ()
    """Patterns of folders that are not gone into."""
    endings: tuple[str, ...] = ()
    """If there are any, only files whose names end so are let through."""
    skips_hidden: bool = False
    """What begins with a dot is kept back, unless a pattern lets it through."""
    unhidden: tuple[str, ...] = ()
    """Patterns of names that are not kept back for the dot they begin with."""

    def may_read(self, name: str) -> bool:
        """Whether a file of this name may be let through."""
        if self.endings:
            return name.endswith(self.endings)
        if any(may_match(pattern, name) for pattern in self.only):
            return True
        if self.begins_closed or (self._is_hidden(name) and not self._is_taken_back(name)):
            return False
        return not any(must_match(pattern, name) for pattern in self.but)

    def may_enter(self, name: str) -> bool:
        """Whether a folder of this name may be gone into."""
        if any(must_match(pattern, name) for pattern in self.folders):
            return False
        if not self._is_hidden(name) or self._is_taken_back(name):
            return True
        return any("/" in pattern or may_match(pattern, name) for pattern in self.only)

    def _is_hidden(self, name: str) -> bool:
        return self.skips_hidden and name.startswith(".")

    def _is_taken_back(self, name: str) -> bool:
        return any(may_match(pattern, name) for pattern in self.unhidden)


def may_match(pattern: str, name: str) -> bool:
    """Whether a pattern for names may match; if it is not plain it may."""
    # One with a slash is for paths, of which the name is the last part.
    plain = _plain(pattern.rpartition("/")[2])
    return plain is None or any(matches(one.lower(), name.lower()) for one in plain)


def must_match(pattern: str, name: str) -> bool:
    """Whether a pattern for names surely matches; if it is not plain that is not sure."""
    return any(matches(one, name) for one in _plain(pattern) or ())


def _plain(pattern: str) -> tuple[str, ...] | None:
    """What stands in braces by itself; None if the pattern is none of those that are known."""
    found = alternatives(pattern) if "{" in pattern else (pattern,)
    return found if found is not None and all(map(_PLAIN.match, found)) else None
