"""Doing the same for many, some of them at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

AT_ONCE: Final = 16
"""So many sessions are taken up together, so that their claims share a commit."""

_A = TypeVar("_A")
_B = TypeVar("_B")


async def some_at_once(
    do: Callable[[_A], Awaitable[_B]], each: Sequence[_A], most: int = AT_ONCE
) -> list[_B]:
    """What `do` makes of each, in order; at most so many are under way at a time."""
    made: list[_B] = []
    for start in range(0, len(each), most):
        made += await asyncio.gather(*(do(one) for one in each[start : start + most]))
    return made
