"""What `$'…'` of bash stands for."""

import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})"
    r"|U([0-9A-Fa-f]{1,8}))"
)
_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_SURE: Final = re.compile(r"[\t\n\x20-\x7e]*\Z")


def decoded(written: str) -> str | None:
    """The text; None if it is not sure, or has something in it that nobody types."""
    parts: list[str] = []
    at = 0
    for found in _ESCAPE.finditer(written):
        between = written[at : found.start()]
        if "\\" in between:
            return None
        parts += [between, _one(found)]
        at = found.end()
    rest = written[at:]
    text = "".join([*parts, rest])
    return None if "\\" in rest or not _SURE.match(text) else text


def _one(found: re.Match[str]) -> str:
    letter, octal, *hexadecimal = found.groups()
    if letter:
        return _LETTERS[letter]
    if octal:
        return chr(int(octal, 8))
    number = int(next(filter(None, hexadecimal)), 16)
    return chr(number) if number <= 0x7F else "\x7f"
