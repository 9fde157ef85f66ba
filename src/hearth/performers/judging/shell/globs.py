"""Which files a pattern in a command line becomes, as far as they are in the project."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hearth.performers.judging.paths import Place, resolved
from hearth.performers.judging.shell.words import Piece, PieceKind

MOST: Final = 1000
"""So many names are looked at for all patterns of a line."""


MOST_IN_A_PATTERN: Final = 255
"""No name is longer, so no usual pattern is."""


_CHECKED_AT_ONCE: Final = 2000


class Unlisted(Exception):
    """It cannot be said what a pattern becomes; says why."""


@dataclass(slots=True)
class Budget:
    """How many names may still be looked at."""

    left: int = MOST

    def spend(self) -> None:
        """Look at one more."""
        self.check()
        self.left -= 1

    def check(self) -> None:
        """Whether one more may be looked at."""
        if self.left <= 0:
            raise Unlisted(f"more than {MOST} names would have to be looked at")


@dataclass(frozen=True, slots=True)
class _Step:
    """A component of a pattern."""

    literal: str
    pattern: re.Pattern[str] | None
    """None: the component is no pattern."""


def listed(pieces: Sequence[Piece], place: Place, budget: Budget) -> tuple[str, ...]:
    """The paths that a pattern becomes; the pattern itself if there are none, as in the shell.

    Folders through which it leads must be in the project and no links. Raises Unlisted.
    """
    budget.check()
    steps = _steps(pieces)
    start = ""
    while steps and steps[0].pattern is None:
        start += steps.pop(0).literal
    found = sorted(_below(start, steps, place, budget))
    return tuple(found) or ("".join(piece.text for piece in pieces),)


def _below(start: str, steps: Sequence[_Step], place: Place, budget: Budget) -> Iterator[str]:
    if not steps:
        if os.path.lexists(os.path.join(place.here, start)):  # noqa: PTH118 - text, not a Path
            yield start
        return
    step, rest = steps[0], steps[1:]
    if step.pattern is None:
        yield from _below(start + step.literal, rest, place, budget)
        return
    for name in _names(start, place, budget):
        # To find a part between stars takes as long as it is, at each place of a name.
        budget.left -= len(name) * len(step.literal) // _CHECKED_AT_ONCE
        if step.pattern.match(name):
            if name.startswith("-") and not start:
                raise Unlisted(f"a file is called {name!r}, like an option")
            yield from _below(start + name, rest, place, budget)


def _names(start: str, place: Place, budget: Budget) -> list[str]:
    budget.check()
    folder = resolved(start or ".", place)
    if folder is None or place.is_outside(folder):
        raise Unlisted("it is a pattern over a folder outside of the project")
    names: list[str] = [".", ".."]
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                budget.spend()
                names.append(entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise Unlisted(f"a folder cannot be listed ({error.strerror})") from None
    return names


def _steps(pieces: Sequence[Piece]) -> list[_Step]:
    """The components with the slashes between them as components of their own."""
    steps: list[_Step] = []
    signs: list[tuple[str, bool]] = []
    for piece in pieces:
        is_pattern = piece.kind is PieceKind.LITERAL
        signs += ((one, is_pattern) for one in piece.text)
    component: list[tuple[str, bool]] = []
    for sign, is_pattern in [*signs, ("/", False)]:
        if sign != "/":
            component.append((sign, is_pattern))
            continue
        if component:
            steps.append(_step(component))
            component = []
        steps.append(_Step("/", None))
    return steps[:-1]


def _step(signs: list[tuple[str, bool]]) -> _Step:
    literal = "".join(sign for sign, _ in signs)
    if len(literal) > MOST_IN_A_PATTERN:
        raise Unlisted("a part of it is too long")
    if not any(is_pattern and sign in "*?[" for sign, is_pattern in signs):
        return _Step(literal, None)
    parts = [""]
    at = 0
    while at < len(signs):
        sign, is_pattern = signs[at]
        at += 1
        if not is_pattern or sign not in "*?[":
            parts[-1] += re.escape(sign)
        elif sign == "*":
            parts.append("")
        elif sign == "?":
            parts[-1] += "."
        else:
            # Any one character: more than the brackets mean, never less.
            parts[-1] += "."
            at = _end_of_bracket(signs, at)
    begins_with_dot = signs[0][0] == "."
    hidden = "" if begins_with_dot else r"(?!\.)"
    return _Step(literal, re.compile(rf"{hidden}{_expression(parts)}\Z", re.DOTALL))


def _expression(parts: list[str]) -> str:
    """What stands between stars, each found where it comes first.

    A place further on could not lead to a match where the first does not, so none is tried.
    """
    first, *middle = parts
    last = middle.pop() if middle else None
    found = "".join(f"(?>.*?{part})" for part in middle if part)
    return f"{first}{found}" if last is None else f"{first}{found}.*{last}"


def _end_of_bracket(signs: list[tuple[str, bool]], start: int) -> int:
    """Behind the bracket that closes the one before `start`."""
    at = start + (start < len(signs) and signs[start][0] in "!^")
    # A closing bracket that comes first is one of the characters.
    for end in range(at + 1, len(signs)):
        inside = signs[start:end]
        if signs[end][0] == "]":
            if all(is_pattern and sign != "[" for sign, is_pattern in [*inside, signs[end]]):
                return end + 1
            break
    raise Unlisted("what stands in brackets is not plain")
