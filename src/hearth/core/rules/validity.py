"""Whether what a cell showed still holds, by what it used and what is loaded now."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from hearth.core.rules.state import Held

MOST_HELD: Final = 100
"""So many different sets of used parts are told apart; those met longest ago are dropped."""


class Standing(StrEnum):
    """How far a recorded result can be trusted."""

    VALID = "valid"
    STALE = "stale"
    """Something it used is another now."""
    INVALID = "invalid"
    """Something it used is gone."""
    UNKNOWN = "unknown"
    """Nobody looked at the environment, then or now."""


def standing(
    uses: Mapping[str, str], then: str | None, environment: Mapping[str, str], now: str
) -> Standing:
    """How a cell stands that used these parts when the fingerprint was `then`.

    `environment` has the hash of every part that is there now, and `now` is its fingerprint.
    """
    if not then or not now:
        return Standing.UNKNOWN
    if then == now:
        return Standing.VALID
    if missing(uses, environment):
        return Standing.INVALID
    return Standing.STALE if _differ(uses, environment) else Standing.VALID


def missing(uses: Mapping[str, str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The used parts that are not there any more."""
    return tuple(part for part, digest in uses.items() if digest and not environment.get(part))


def others(uses: Mapping[str, str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The used parts that are there and are not what they were; one that was not there is."""
    return tuple(
        part for part, digest in uses.items() if environment.get(part) not in {None, "", digest}
    )


def with_changes(environment: Mapping[str, str], changed: Mapping[str, str]) -> dict[str, str]:
    """The environment after a change, in which a part that is gone has no hash."""
    parts = {**environment, **changed}
    return {part: digest for part, digest in parts.items() if digest}


def holding(held: tuple[Held, ...], uses: Mapping[str, str]) -> tuple[Held, ...]:
    """With one more cell that used these parts; the latest first, so that the usual is cheap."""
    if not uses:
        return held  # what uses nothing always holds
    for place, one in enumerate(held):
        if one.uses == uses:
            return (Held(one.uses, one.cells + 1), *held[:place], *held[place + 1 :])
    return (Held(dict(uses), 1), *held[: MOST_HELD - 1])


def stale_cells(held: Iterable[Held], environment: Mapping[str, str]) -> int:
    """How many cells no longer hold. Its cost grows with the different sets of parts alone."""
    return sum(one.cells for one in held if _differ(one.uses, environment))


def _differ(uses: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    return any(environment.get(part, "") != digest for part, digest in uses.items())
