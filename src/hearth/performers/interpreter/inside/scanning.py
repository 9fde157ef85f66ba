"""Where a cursor stands in code that may be half written: in a string, a comment, a call."""

import re
from typing import NamedTuple

LONGEST = 20_000
"""How many characters before a cursor are looked at."""

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3}|"|')|[()\[\]{}]"""
)
_ENDS = {
    quote: re.compile(rf"(?:\\.|(?!{quote}|\\).)*?{quote}", re.DOTALL) for quote in ('"""', "'''")
} | {quote: re.compile(rf"(?:\\.|[^\\\n{quote}])*(?:{quote}|\n)", re.DOTALL) for quote in "\"'"}
_PAIRS = {")": "(", "]": "[", "}": "{"}
_CLOSING = {")", "]", "}"}


class Place(NamedTuple):
    """What is open where the text ends."""

    string: int | None = None
    """Where the content of the open string begins."""
    prefix: str = ""
    """The letters before that string's quote."""
    quote: str = ""
    is_comment: bool = False
    brackets: tuple[tuple[str, int], ...] = ()
    """The open brackets and where they stand, outermost first."""


def code_before(code: str, cursor: int) -> str:
    """The code up to the cursor; of very long code its last lines, so that answers stay quick."""
    if cursor <= LONGEST:
        return code[:cursor]
    return code[code.find("\n", cursor - LONGEST, cursor) + 1 or cursor - LONGEST : cursor]


def place_at_end(text: str) -> Place:
    """What is open at the end of the text."""
    brackets: list[tuple[str, int]] = []
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match["comment"] is not None:
            if at == len(text):
                return Place(is_comment=True, brackets=tuple(brackets))
        elif match["quote"]:
            end = _ENDS[match["quote"]].match(text, at)
            if end is None:
                return Place(at, match["prefix"].lower(), match["quote"], brackets=tuple(brackets))
            at = end.end()
        elif match[0] in _CLOSING:
            if brackets and brackets[-1][0] == _PAIRS[match[0]]:
                brackets.pop()
        else:
            brackets.append((match[0], match.start()))
    return Place(brackets=tuple(brackets))


def expression_before(text: str) -> str:
    """The expression that the text ends with: names, dots, and whatever is in closed brackets."""
    at = len(text)
    while at > 0:
        char = text[at - 1]
        if char.isalnum() or char in "_.":
            at -= 1
        elif char in _CLOSING:
            start = _opening(text, at - 1)
            if start is None:
                break
            at = start
            if not (at and (text[at - 1].isalnum() or text[at - 1] in "_])")):
                break  # A literal: nothing before it belongs to it.
        elif char in "\"'" and at == len(text.rstrip()):
            start = text.rfind(char, 0, at - 1)
            return text[start:] if start >= 0 else ""
        else:
            break
    return text[at:].lstrip(".")


def _opening(text: str, closing: int) -> int | None:
    """Where the bracket was opened that is closed here."""
    line = text[: closing + 1]
    depth = 0
    quote = ""
    for at in range(closing, -1, -1):
        char = line[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in _CLOSING:
            depth += 1
        elif char in "([{":
            depth -= 1
            if depth == 0:
                return at
    return None
