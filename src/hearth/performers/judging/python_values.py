"""What an expression may give, as far as that can be told without running it.

An expression has several possible values, because a name may be bound in several places. What is
not known is `UNKNOWN`, and that is one of the possibilities wherever it cannot be ruled out.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Known:
    """Just this: a text, a number, None."""

    value: object


@dataclass(frozen=True, slots=True)
class Origin:
    """What is found under a dotted name; with `()` what calling that gives."""

    name: str


@dataclass(frozen=True, slots=True)
class PathAt:
    """A path object."""

    path: str | None
    """None: nobody knows of what."""
    is_below: bool = False
    """It is something below that, not that itself."""


@dataclass(frozen=True, slots=True)
class Several:
    """A list, a tuple, or the keys and values of a mapping."""

    items: tuple["Values", ...]
    is_loose: bool = False
    """They may come in another order, and each any number of times or not at all."""


@dataclass(frozen=True, slots=True)
class Bound:
    """An attribute of something that is not found under a dotted name."""

    base: "Value"
    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything."""


Value: TypeAlias = Known | Origin | PathAt | Several | Bound | Unknown
Values: TypeAlias = tuple[Value, ...]

UNKNOWN: Final = Unknown()
ANYTHING: Final[Values] = (UNKNOWN,)
CHOSEN: Final = Origin("?")
"""Something that was looked up under a name which nobody knows."""

CLASS: Final = Origin("?class")
"""The class of something that nobody knows: to call it may open or start anything."""

_MOST: Final = 16


def joined(*several: Values) -> Values:
    """All of these possibilities; too many are anything."""
    if len(several) == 1 and len(several[0]) <= 1:
        return several[0]  # by far the most
    found = tuple(dict.fromkeys(value for values in several for value in values))
    if len(found) <= _MOST:
        return found
    # What has a name stays: it may be what needs permission.
    named = tuple(value for value in found if isinstance(value, Origin))
    return (*named[:_MOST], UNKNOWN)


def texts(values: Values) -> list[str] | None:
    """All texts and paths that these may be; None if one of them is not known."""
    found: list[str] = []
    for value in values:
        match value:
            case Known(value=str(text)):
                found.append(text)
            case Known(value=bytes(raw)):
                found.append(raw.decode("utf-8", "surrogateescape"))
            case PathAt(path=str(path), is_below=False):
                found.append(path)
            case _:
                return None
    return found
