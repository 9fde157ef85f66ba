"""Where in a text something most likely was meant that is not there, and what differs."""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from hearth.performers.tools.files.lines import numbered

_SHOWN: Final = 20
_WIDEST: Final = 300
_MOST_LINES: Final = 50_000
_MOST_WANTED: Final = 200
"""So many lines of what was meant say where it is: all of them may be alike, and so may those of
the file."""
_MOST_ALIKE: Final = 1000
"""So many lines are compared letter by letter."""
_NUMBERED: Final = re.compile(r"\s*\d+→")
_LOOKALIKES: Final = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "`": "'", "\u00b4": "'",
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-",
        "\u2212": "-", "\u00a0": " ", "\u2026": "...",
    }
)  # fmt: skip


def closest(text: str, old: str) -> str:
    """A hint for whoever looked for `old`: the place most like it, its lines, what differs."""
    filled = [line for line in old.split("\n") if line]
    if filled and all(_NUMBERED.match(line) for line in filled):
        return (
            "It begins with line numbers (`12→`), which are not part of the file: leave them out."
        )
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    wanted = old.strip("\n").split("\n", _MOST_WANTED)[:_MOST_WANTED]
    for compared, differs in _WAYS:
        if at := _found(lines, wanted, compared):
            return _told(lines, at, wanted, f"which differ in {differs}")
    at = _voted(lines, wanted) or _alike(lines, wanted)
    if not at:
        return "Nothing in the file is like it: read the file again."
    return _told(lines, at, wanted, _first_difference(lines[at - 1 :], wanted))


def _bare(line: str) -> str:
    return " ".join(line.split())


def _plain(line: str) -> str:
    return _bare(line.translate(_LOOKALIKES)).replace('"', "'")


_WAYS: Final[tuple[tuple[Callable[[str], str], str], ...]] = (
    (str.rstrip, "white space at the end of lines"),
    (str.strip, "indentation"),
    (_bare, "white space"),
    (lambda line: line.translate(_LOOKALIKES), "look-alike characters (quotes, dashes, spaces)"),
    (_plain, "white space and in quotes or dashes"),
    (lambda line: _plain(line).casefold(), "upper and lower case"),
)


def _found(lines: Sequence[str], wanted: Sequence[str], same: Callable[[str], str]) -> int:
    """The line from which all lines are the same in a way of comparing; 0 if none is."""
    sought = [same(line) for line in wanted]
    first = max(range(len(sought)), key=lambda index: len(sought[index]))
    if not sought[first]:
        return 0
    there = [same(line) for line in lines]
    for index, line in enumerate(there):
        begin = index - first
        if line == sought[first] and begin >= 0 and there[begin : begin + len(sought)] == sought:
            return begin + 1
    if len(sought) == 1:  # it may be a part of a line
        return next((at for at, line in enumerate(there, 1) if sought[0] in line), 0)
    return 0


def _voted(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """The place where most lines are where they should be."""
    places: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if len(plain := _plain(line)) > 3:
            places.setdefault(plain, []).append(index)
    votes: Counter[int] = Counter()
    for index, line in enumerate(wanted):
        for place in places.get(_plain(line), ())[:100]:
            if place >= index:
                votes[place - index] += 1
    return votes.most_common(1)[0][0] + 1 if votes else 0


def _alike(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """The place with the line that is most like the longest one that is sought."""
    index = max(range(len(wanted)), key=lambda one: len(wanted[one].strip()))
    sought = wanted[index].strip()[:_WIDEST]
    near = difflib.get_close_matches(
        sought, [line.strip()[:_WIDEST] for line in lines[:_MOST_ALIKE]], 1, 0.6
    )
    if not near or not near[0]:
        return 0
    at = next(at for at, line in enumerate(lines, 1) if line.strip()[:_WIDEST] == near[0])
    return max(1, at - index)


def _first_difference(there: Sequence[str], wanted: Sequence[str]) -> str:
    for index, line in enumerate(wanted):
        if index >= len(there):
            return "where the file ends earlier"
        if there[index] != line:
            return f"which differ first in line {index + 1} of `old` ({_short(line)})"
    return "which differ in what comes after them"


def _told(lines: Sequence[str], at: int, wanted: Sequence[str], differs: str) -> str:
    shown = lines[at - 1 : at - 1 + min(len(wanted), _SHOWN)]
    last = at + len(shown) - 1
    which = f"line {at}" if len(shown) == 1 else f"lines {at}-{last}"
    rows = numbered((at + index, line[:_WIDEST]) for index, line in enumerate(shown))
    return "\n".join((f"Closest: {which}, {differs}:", *rows))


def _short(line: str) -> str:
    return repr(line if len(line) <= 80 else f"{line[:79]}…")
