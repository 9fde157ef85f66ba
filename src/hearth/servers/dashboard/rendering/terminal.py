"""What was written for a terminal, as markup: colours as classes, everything else dropped.

A long text is cut into parts whose bounds do not move when it grows, so that only the last parts
of what is being written change.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from hearth.servers.dashboard.html import Html, joined, span, text
from hearth.servers.dashboard.rendering.visible import fit

PART: Final = 4096
"""A part ends with the first line that ends behind so many characters."""
SLACK: Final = 4096
"""A line that is longer by so much is cut in the middle."""
LONGEST_LINE: Final = 8192

_SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<colours>[0-9;:]{0,64})m"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # moves the cursor, erases, asks
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # clipboard, title, links, images
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x07|\x0e|\x0f"
)
_BACKSPACE: Final = re.compile(r"[^\x08\n]\x08")
_CUBE: Final = (0, 95, 135, 175, 215, 255)
_SIXTEEN: Final = (
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0)),
    *((0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0)),
    *((92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)),
)


class Colours(NamedTuple):
    """What the next character looks like; colours are numbers below 16, -1: as the rest."""

    front: int = -1
    back: int = -1
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underlined: bool = False
    inverse: bool = False
    struck: bool = False

    @property
    def classes(self) -> str:
        """The classes of it."""
        front, back = (self.back, self.front) if self.inverse else (self.front, self.back)
        named = (
            f"af{front}" if front >= 0 else "",
            f"ab{back}" if back >= 0 else "",
            *("ai" if self.inverse and front < 0 and back < 0 else "", "aB" if self.bold else ""),
            *("aD" if self.dim else "", "aI" if self.italic else ""),
            *("aU" if self.underlined else "", "aS" if self.struck else ""),
        )
        return " ".join(one for one in named if one)


PLAIN: Final = Colours()


def settled(written: str) -> str:
    """What is left of a text when every line has been written over as often as it was."""
    if "\x08" in written:
        for _ in range(3):  # bars that turn step back by a few characters
            written = _BACKSPACE.sub("", written)
    if "\r" not in written:
        return written
    return "\n".join(map(_last, written.split("\n")))


def _last(line: str) -> str:
    if "\r" not in line:
        return line
    return line.rstrip("\r").rpartition("\r")[2]


def parted(written: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The parts of a settled text with their numbers; `start` characters stand before it."""
    place = 0
    while place < len(written):
        number = (start + place) // PART
        bound = (number + 1) * PART - start
        end = written.find("\n", bound - 1, bound + SLACK) + 1 or bound + SLACK
        yield number, written[place:end]
        place = end


@lru_cache(maxsize=512)
def drawn_part(part: str, colours: Colours = PLAIN) -> tuple[Html, Colours]:
    """A part as markup, and what the text behind it looks like."""
    made: list[Html] = []
    place = 0
    for found in _SEQUENCE.finditer(part):
        _write(made, part[place : found.start()], colours)
        place = found.end()
        if found["colours"] is not None:
            colours = _coloured(colours, found["colours"])
    _write(made, part[place:], colours)
    return joined(*made), colours


def stripped(written: str) -> str:
    """The text without anything that a terminal would obey."""
    return fit(_SEQUENCE.sub("", settled(written)))


def screen(written: str) -> Html:
    """A whole short text as markup."""
    return drawn_part(settled(written))[0]


def _write(made: list[Html], words: str, colours: Colours) -> None:
    if words:
        classes = colours.classes
        made.append(span(fit(words), class_=classes) if classes else text(fit(words)))


def _coloured(colours: Colours, parameters: str) -> Colours:
    numbers = [int(one[:4] or 0) for one in parameters.replace(":", ";").split(";")]
    place = 0
    while place < len(numbers):
        number = numbers[place]
        place += 1
        if number in {38, 48}:
            which, place = _chosen(numbers, place)
            if which is not None:
                colours = _with_colour(colours, which, is_back=number == 48)
        else:
            colours = _set(colours, number)
    return colours


def _chosen(numbers: list[int], place: int) -> tuple[int | None, int]:
    """The colour that is named behind 38 or 48, as one of sixteen, and where the next word is."""
    match numbers[place : place + 5]:
        case [5, index, *_]:
            return _of_256(min(index, 255)), place + 2
        case [2, red, green, blue, *_]:
            return _nearest(red, green, blue), place + 4
        case _:
            return None, len(numbers)


def _of_256(index: int) -> int:
    if index < 16:
        return index
    if index >= 232:
        level = 8 + 10 * (index - 232)
        return _nearest(level, level, level)
    cube = index - 16
    return _nearest(_CUBE[cube // 36], _CUBE[cube // 6 % 6], _CUBE[cube % 6])


@lru_cache(maxsize=256)
def _nearest(red: int, green: int, blue: int) -> int:
    def distance(number: int) -> int:
        other = _SIXTEEN[number]
        return sum((a - b) ** 2 for a, b in zip((red, green, blue), other, strict=True))

    return min(range(16), key=distance)


def _with_colour(colours: Colours, which: int, *, is_back: bool) -> Colours:
    return colours._replace(back=which) if is_back else colours._replace(front=which)


_SWITCHES: Final[dict[int, dict[str, bool | int]]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underlined": True},
    7: {"inverse": True},
    9: {"struck": True},
    21: {"underlined": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underlined": False},
    27: {"inverse": False},
    29: {"struck": False},
    39: {"front": -1},
    49: {"back": -1},
}


def _set(colours: Colours, number: int) -> Colours:
    if number == 0:
        return PLAIN
    for first, bright, is_back in ((30, 0, False), (40, 0, True), (90, 8, False), (100, 8, True)):
        if first <= number < first + 8:
            return _with_colour(colours, number - first + bright, is_back=is_back)
    return Colours(**{**colours._asdict(), **_SWITCHES.get(number, {})})
