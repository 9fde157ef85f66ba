"""Characters that nobody can see, or that a browser would obey, as something that can be read.

`fit` is for text that is shown as what it is; `visible` for text that a person decides about, and
that somebody may have written so that it looks like something else.
"""

from typing import Final

_TURNING: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
"""They would turn the text around them the other way."""
_KEPT: Final = "\n\t"
_UNSEEN: Final = frozenset(
    chr(code)
    for code in (
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164,
        0xFFA0, 0xFFFC, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
    )
)  # fmt: skip
"""Printable, says Unicode, but nothing is to be seen: fillers, joiners, selectors of variants."""
_MARKS: Final = {
    **{ord(one): f"⟨U+{ord(one):04X}⟩" for one in _TURNING},
    **{number: chr(0x2400 + number) for number in range(32) if chr(number) not in "\t\n\r"},
    **{number: f"⟨U+{number:04X}⟩" for number in range(0xD800, 0xE000)},
    **dict.fromkeys((*range(0x7F, 0xA0), 0xFFFE, 0xFFFF), "\ufffd"),
}


def fit(text: str) -> str:
    """The text with what a page cannot carry as its number: controls, turns, halves of pairs."""
    return text if text.isascii() and text.isprintable() else text.translate(_MARKS)


def visible(text: str) -> str:
    """The text with everything that hides as its number; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if _is_seen(one) else f"⟨U+{ord(one):04X}⟩" for one in text)


def one_line(text: str) -> str:
    """The same on one line: what would begin another one is shown as its number, too."""
    return visible(text).replace("\t", "⟨U+0009⟩").replace("\n", "⟨U+000A⟩")


def _is_seen(character: str) -> bool:
    if character in _KEPT:
        return True
    return character.isprintable() and character not in _UNSEEN
