"""Which grants are too wide to be kept for longer than once: narrow by construction.

A grant is for one permission and one pattern. What it would allow must be plain to whoever reads
it: one text, some words of one harmless command, or the contents of one folder.
"""

import re
from typing import Final

from hearth.core.rules import patterns
from hearth.core.rules.harmless import is_harmless
from hearth.core.vocabulary.permitting import (
    EXECUTE,
    EXTERNAL,
    NETWORK,
    READ,
    WRITE,
    Grant,
    Judged,
    Verdict,
)

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
_HOST: Final = re.compile(r"\*(\.[A-Za-z0-9_-]+){2,}(:\d+)?")


def too_wide(grant: Grant, home: str = "") -> str:
    """Why this may not be granted for longer than once; "" if it may.

    `home` is the person's, which no folder that is granted may have in it.
    """
    if _NAME.fullmatch(grant.permission) is None:
        return "a grant is for one permission, by its name"
    pattern = grant.pattern
    if not pattern:
        return "there is no pattern"
    if not patterns.has_wildcard(pattern):
        return ""
    match grant.permission:
        case permission if permission == EXECUTE:
            return _wide_command(pattern)
        case permission if permission in {READ, WRITE, EXTERNAL}:
            return _wide_folder(pattern, home)
        case permission if permission == NETWORK:
            is_narrow = _HOST.fullmatch(pattern) is not None
            return "" if is_narrow else "it would be for hosts of several owners"
        case _:
            # What a tool's targets are is not known here: it begins with something, at least.
            begins = patterns.beginning(pattern)
            return "" if begins else "it would be for everything that this tool does"


def offers_of(asked: tuple[Judged, ...]) -> tuple[Grant, ...]:
    """What could be allowed for longer; nothing if that would not do for all that is asked."""
    grants = tuple(dict.fromkeys(Grant(one.need.permission, one.need.pattern) for one in asked))
    proven = all(one.need.pattern and one.need.least is Verdict.ALLOW for one in asked)
    return grants if proven and not any(map(too_wide, grants)) else ()


def _wide_command(pattern: str) -> str:
    if is_harmless(pattern):
        return ""
    name = patterns.beginning(pattern).partition(" ")[0]
    if not name:
        return "it does not begin with a command"
    return f"{name} could do harm with other words: only its exact words can be granted"


def _wide_folder(pattern: str, home: str) -> str:
    folder = pattern.removesuffix("/*")
    if folder == pattern or patterns.has_wildcard(folder):
        return "what varies must be what lies in one folder: `/srv/data/*`"
    if not patterns.beginning(pattern).strip("/."):
        return "it would be for all files"
    if patterns.matches(pattern, home):
        return "your whole home would be in it"
    return ""
