"""Exact replacements in a text: all of them, or none and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hearth.performers.tools.files.closest import closest

_TOLD: Final = 10
"""So many places are named."""


class NotApplied(Exception):
    """Why the text stays as it is, and what would be right."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement."""

    old: str
    new: str
    everywhere: bool = False
    """Wherever it is found; otherwise it must be there exactly once."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of it."""

    text: str
    places: int
    """So many were replaced."""


def edited(text: str, edits: Sequence[Edit]) -> Edited:
    """Apply one edit after the other, each to what the ones before it made. NotApplied."""
    places = 0
    for number, edit in enumerate(edits):
        where = f"edits[{number}]" if len(edits) > 1 else "The edit"
        text, count = _applied(text, edit, where, is_first=number == 0)
        places += count
    return Edited(text, places)


def _applied(text: str, edit: Edit, where: str, *, is_first: bool) -> tuple[str, int]:
    if not edit.old:
        raise NotApplied(f"{where}: `old` is empty. To make or fill a file use write_file.")
    if edit.old == edit.new:
        raise NotApplied(f"{where}: `old` and `new` are the same.")
    old, new = edit.old, edit.new
    count = text.count(old)
    if not count and "\r\n" in text and "\n" in old:
        # Only some lines of the file end in CR LF, and whoever read it did not see which.
        old, new = _as_written(text, old, new)
        count = text.count(old) if old else 0
    if not count:
        after = "" if is_first else " after the edits before it"
        raise NotApplied(f"{where}: `old` is not in the file{after}. {closest(text, edit.old)}")
    if count > 1 and not edit.everywhere:
        raise NotApplied(
            f"{where}: `old` is in the file {count} times, at lines {_lines(text, old)}. Add lines "
            "around it to `old` until there is one, or set `all` to replace every one."
        )
    return text.replace(old, new), count


def _as_written(text: str, old: str, new: str) -> tuple[str, str]:
    """The same with the line ends of the first place that has these lines; "" if none has."""
    # Looked for as a plain text: an expression would be tried at every place, for as long as it
    # takes, and nothing else in this process would go on meanwhile.
    lines = text.split("\n")
    bare = "\n".join(line.removesuffix("\r") for line in lines)
    sought = "\n".join(line.removesuffix("\r") for line in old.split("\n"))
    at = bare.find(sought)
    if at < 0:
        return "", new
    found = text[_place(lines, bare, at) : _place(lines, bare, at + len(sought))]
    if "\r\n" in found:
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    return found, new


def _place(lines: Sequence[str], bare: str, at: int) -> int:
    """Where something is in a text that is there without the returns at the ends of its lines."""
    line = bare.count("\n", 0, at)
    column = at - (bare.rfind("\n", 0, at) + 1)
    return sum(len(one) + 1 for one in lines[:line]) + column


def _lines(text: str, old: str) -> str:
    """The numbers of the lines where it begins."""
    numbers: list[str] = []
    at, line, last = text.find(old), 1, 0
    while at >= 0 and len(numbers) < _TOLD:
        line += text.count("\n", last, at)
        numbers.append(str(line))
        last, at = at, text.find(old, at + len(old))
    return ", ".join(numbers) + (", …" if at >= 0 else "")
