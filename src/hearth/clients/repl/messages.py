"""What is typed to the agent: it begins with `>`, which no code does.

`> text` is sent at once, and goes on in the next line where one ends in a backslash. A `>` alone
begins a message of several lines, which an empty one ends. `>>> x` is code, copied with its prompt.
"""

import re
from collections.abc import Iterator
from typing import Final

SIGN: Final = "> "
"""What speaking to the agent begins with, as the key for it writes it."""

_SIGNED: Final = re.compile(r"\s*>(?!>) ?")


def is_message(text: str) -> bool:
    """Whether this is meant for the agent."""
    return _SIGNED.match(text) is not None


def is_bare(text: str) -> bool:
    """Whether nothing is said yet: the sign alone, or not even that."""
    return text.strip() in {"", SIGN.strip()}


def is_over(text: str) -> bool:
    """Whether Enter sends it; it goes on otherwise."""
    first, *rest = text.split("\n")
    if is_bare(first):
        return bool(rest) and not rest[-1].strip()
    return not text.endswith("\\")


def message_of(text: str) -> str:
    """What the agent is told."""
    said = _SIGNED.sub("", text, count=1)
    if not is_bare(text.split("\n", 1)[0]):
        said = said.replace("\\\n", "\n")
    return said.strip()


def gathered(first: str, rest: Iterator[str]) -> str:
    """The whole message that begins with this line, out of a text that comes line by line."""
    lines = [first]
    while not is_over("\n".join(lines)) and (line := next(rest, None)) is not None:
        lines.append(line.rstrip("\r\n"))
    return "\n".join(lines).rstrip()
