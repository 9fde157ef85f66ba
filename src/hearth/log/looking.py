"""Reads the pages that the searches of `core.views.looking_back` ask for."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, TypeVar

from hearth.core.views.looking_back import Looking
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId

Read: TypeAlias = Callable[[SessionId, int, int], Awaitable[Sequence[Stored]]]
"""The rows of a session after a version, at most so many."""

_T = TypeVar("_T")


async def found(looking: Looking[_T], read: Read) -> _T:
    """What a search comes to. Raises what reading raises, and what the search does."""
    try:
        page = next(looking)
        while True:
            page = looking.send(await read(*page))
    except StopIteration as end:
        value: _T = end.value
        return value
