"""How a command is called in rules, and what of it a grant may be for.

Its name in rules is its words with a blank between them. A word that has something in it which is
not plain is quoted there, so that no argument looks like several, and none like a pattern.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from hearth.core.rules.harmless import generalised
from hearth.core.rules.patterns import escape

_PLAIN: Final = re.compile(r"[A-Za-z0-9_@%+=:,./-][A-Za-z0-9_@%+=:,./^~{}-]*\Z")


def is_plain(text: str) -> bool:
    """Whether a word stands for itself in rules, and has nothing in it that nobody sees."""
    return _PLAIN.match(text) is not None


def word(text: str) -> str:
    """One word of a command's name."""
    return text if is_plain(text) else "'" + text.replace("'", "'\\''") + "'"


def name_of(words: Sequence[str]) -> str:
    """How a command with these words is called in rules; they are already named."""
    return " ".join(words)


@lru_cache(2048)
def pattern_of(words: tuple[str, ...]) -> str:
    """What a grant for a command may be for.

    The very same words, unless the command is one of those of which it is known what others of
    its words can do.
    """
    return generalised(words) or escape(name_of(words))
