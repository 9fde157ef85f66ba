"""What two interpreters hold otherwise, as far as their lists of variables show it."""

import re
from collections.abc import Sequence
from typing import Final

from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.wire import Part

_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]+\b")
"""Where an object lies says nothing about it, and is another in every interpreter."""


class Differing(Part, frozen=True):
    """One name that is not the same on both sides; None where it is missing."""

    name: str
    here: Variable | None = None
    there: Variable | None = None


def differing(here: Sequence[Variable], there: Sequence[Variable]) -> tuple[Differing, ...]:
    """The names that differ, sorted.

    Compared is what is seen of them: type, length, shape and preview. Two long values that begin
    alike and are of one length are therefore taken for the same.
    """
    left, right = {one.name: one for one in here}, {one.name: one for one in there}
    return tuple(
        Differing(name, left.get(name), right.get(name))
        for name in sorted(left.keys() | right.keys())
        if _seen(left.get(name)) != _seen(right.get(name))
    )


def _seen(variable: Variable | None) -> tuple[object, ...]:
    if variable is None:
        return ()
    # Without its size: a list that grew takes more room than one that was written down.
    preview = _ADDRESS.sub("", variable.preview)
    return variable.value_type, variable.length, variable.shape, preview
