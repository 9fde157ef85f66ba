"""Text that somebody is to decide about: what a person cannot see in it is made visible.

An agent may have written it so that it looks like something else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

_KEPT: Final = "\n\t"
_UNSEEN: Final = frozenset(
    chr(code)
    for code in (
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164,
        0xFFA0, 0xFFFC, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
    )
)  # fmt: skip
"""Printable, says Unicode, but nothing is to be seen: fillers, joiners, selectors of variants."""


def visible(text: str) -> str:
    """The text with everything that hides, or that a terminal would obey, as its number."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if _is_seen(one) else f"<U+{ord(one):04X}>" for one in text)


def one_line(text: str) -> str:
    """The same on one line: what would begin another one is shown as its number, too."""
    return visible(text).replace("\t", "<U+0009>").replace("\n", "<U+000A>")


def _is_seen(character: str) -> bool:
    if character in _KEPT:
        return True
    return character.isprintable() and character not in _UNSEEN
