"""What is typed to be tried: `.try A --- B`, or `.try` and lines, with `---` between variants.

A `.try` alone begins variants of several lines, which an empty line ends.
"""

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Final

from hearth.clients.repl.commands import Said, is_command, understood
from hearth.clients.repl.completeness import Verdict, verdict

DIVIDER: Final = "---"
"""Between two variants: a line of its own, or a word of its own in a single line."""

_BETWEEN_LINES: Final = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_VERB: Final = re.compile(r"\s*\S+\s*")
_BETWEEN_WORDS: Final = re.compile(r"(?:^|[ \t])-{3}(?=[ \t]|$)")


def is_trial(text: str) -> bool:
    """Whether variants are typed, or are about to be."""
    said = understood(text) if is_command(text) else None
    return isinstance(said, Said) and said.verb == "try"


def variants_of(said: str) -> tuple[str, ...]:
    """The variants of what stands behind `.try`."""
    between = _BETWEEN_LINES if "\n" in said else _BETWEEN_WORDS
    pieces = (dedent(piece).strip("\n").rstrip() for piece in between.split(said))
    return tuple(piece.strip() if "\n" not in piece else piece for piece in pieces if piece.strip())


def is_over(text: str, *, python: bool = True) -> bool:
    """Whether Enter has them run; more lines come otherwise."""
    first, *rest = text.split("\n")
    body = _behind(first)
    if not rest:
        last = _BETWEEN_WORDS.split(body)[-1]
        return bool(body) and verdict(last.strip(), python=python) is Verdict.RUN
    if rest[-1].strip():
        return False
    lines = "\n".join([*([body] if body else []), *rest])
    last = dedent(_BETWEEN_LINES.split(lines)[-1]).strip("\n")
    nothing_yet = not body and not any(line.strip() for line in rest[:-1])
    return not nothing_yet and verdict(f"{last}\n", python=python) is Verdict.RUN


def gathered(first: str, rest: Iterator[str], *, python: bool = True) -> str:
    """All of it that begins with this line, out of a text that comes line by line."""
    lines = [first.strip()]
    while not is_over("\n".join(lines), python=python) and (line := next(rest, None)) is not None:
        lines.append(line.rstrip("\r\n"))
    return "\n".join(lines).rstrip()


def piece_at(text: str, cursor: int) -> tuple[str, int]:
    """The variant that the cursor is in, and where in it: what the session is asked about."""
    first = text.find("\n") + 1
    if not first or cursor < first:
        return _piece_of_line(text.partition("\n")[0], cursor)
    begins = max(
        [first, *(found.end() + 1 for found in _BETWEEN_LINES.finditer(text, first, cursor))]
    )
    ends = next((found.start() for found in _BETWEEN_LINES.finditer(text, cursor)), len(text))
    begins = min(begins, cursor)
    return text[begins:ends], cursor - begins


def _piece_of_line(line: str, cursor: int) -> tuple[str, int]:
    verb = _VERB.match(line)
    begins, ends = verb.end() if verb is not None else 0, len(line)
    for found in _BETWEEN_WORDS.finditer(line, begins):
        if found.end() > cursor:
            ends = found.start()
            break
        begins = found.end()
    if not begins <= cursor <= ends:
        return line, cursor
    return line[begins:ends], cursor - begins


def _behind(first: str) -> str:
    """What stands behind the command on its line."""
    return first.strip().partition(" ")[2].strip()
