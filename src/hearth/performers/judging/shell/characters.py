"""Characters that make people see another line than the one the shell gets."""

import re
import unicodedata
from typing import Final

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""All but the tab and the end of a line. A carriage return hides what stands before it."""

_MOST_NAMED: Final = 8

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
"""Categories of what is not seen, or not for what it is."""

_UNSEEN: Final = frozenset(
    [
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164,
        0xFFA0, 0xFFFC, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
    ]
)  # fmt: skip
"""Letters and marks that show nothing: fillers, joiners, selectors of variants."""

_LIKE_ASCII: Final = (
    "аɑсԁеһіјӏոорԛѕԝхуʏᴠᴡᴢɡօսցΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЅІЈКМНОРСТХҮԌԚԜονρυϲϳ"
    "‐‑‒–—―−⁃﹘－⁄∕⧸／∖＼․。．∙˸：；︔｜∣ǀ＆＞＜＄＂＇‘’“”ʼʹ`´｀＊∗⁎～∼˜！ǃ"  # noqa: RUF001 - it is them
)
_LOOK_ALIKES: Final = frozenset(_LIKE_ASCII) - {"`"}
"""Letters and signs that look like one of ASCII."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")

_SCRIPTS: Final = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "FULLWIDTH", "MATHEMATICAL")
"""Whose letters are not mixed with Latin ones in a word of any language."""


def hidden(text: str) -> tuple[str, ...]:
    """What cannot be seen in a text, or not for what it is: named, each once."""
    found = [f"U+{ord(one):04X}" for one in _CONTROL.findall(text)]
    if not text.isascii():
        found += [named(one) for one in text if _is_hidden(one)]
    return tuple(dict.fromkeys(found))[:_MOST_NAMED]


def look_alikes(word: str) -> tuple[str, ...]:
    """What looks in this word like something that it is not: named, each once.

    Words of a language that has such letters are left alone, and so are dashes in sentences.
    """
    if word.isascii():
        return ()
    letters = [one for one in word if one.isalpha() and not one.isascii()]
    found = [one for one in word if _is_styled(one)]
    if all(one in _LOOK_ALIKES for one in letters):
        found += letters
    found += [one for run in _LETTERS.findall(word) if _is_mixed(run) for one in run]
    if " " not in word:
        found += [one for one in word if one in _LOOK_ALIKES and not one.isalpha()]
    return foreign("".join(found))


def foreign(word: str) -> tuple[str, ...]:
    """Everything in a word that is not ASCII: named, each once."""
    if word.isascii():
        return ()
    return tuple(dict.fromkeys(named(one) for one in word if not one.isascii()))[:_MOST_NAMED]


def named(character: str) -> str:
    """A character by its number and name."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()


def visible(text: str) -> str:
    """The text with everything that hides replaced by its number."""
    if text.isascii() and not _CONTROL.search(text):
        return text
    return "".join(
        f"<U+{ord(one):04X}>" if _CONTROL.match(one) or _is_hidden(one) else one for one in text
    )


def _is_hidden(character: str) -> bool:
    if character.isascii():
        return False
    return unicodedata.category(character) in _HIDDEN or ord(character) in _UNSEEN


def _is_styled(character: str) -> bool:
    """Whether it is a letter of ASCII in other clothes."""
    if character.isascii():
        return False
    plain = unicodedata.normalize("NFKC", character)
    return plain != character and plain.isascii()


def _is_mixed(word: str) -> bool:
    if not any(one.isascii() and one.isalpha() for one in word):
        return False
    return any(unicodedata.name(one, "").startswith(_SCRIPTS) for one in word if not one.isascii())
