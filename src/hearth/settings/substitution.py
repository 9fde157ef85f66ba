"""`{env:NAME}` in texts becomes what the variable holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hearth.settings.jsonc import Json

_REFERENCE: Final = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Filled:
    """A value with its references replaced."""

    value: Json
    """None if nothing is left of it."""
    missing: tuple[str, ...] = ()
    """The variables that are not set, or empty: nothing stands in their place."""


def filled(value: Json, environ: Mapping[str, str]) -> Filled:
    """The value with every reference in every text of it replaced.

    A text of which nothing is left is left out of its list.
    """
    missing: dict[str, None] = {}

    def text(reference: re.Match[str]) -> str:
        found = environ.get(reference[1], "")
        if not found:
            missing[reference[1]] = None
        return found

    def walk(one: Json) -> Json:
        if isinstance(one, str):
            return _REFERENCE.sub(text, one) or (one and None)
        if isinstance(one, list):
            return [put for part in one if (put := walk(part)) is not None or part is None]
        return one

    return Filled(walk(value), tuple(missing))
