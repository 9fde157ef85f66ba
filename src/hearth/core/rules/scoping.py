"""Which servers count where: the nearest level that says something decides alone."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Levels:
    """The names that each level gives; None: it says nothing."""

    overall: Collection[str] | None = None
    role: Collection[str] | None = None
    session: Collection[str] | None = None
    agent: Collection[str] | None = None


@dataclass(frozen=True)
class Scope:
    """What counts."""

    names: tuple[str, ...]
    """Sorted."""
    unknown: tuple[str, ...] = ()
    """Those that are wanted, and that there are not."""


@dataclass(frozen=True)
class Transition:
    """What a change of scope takes: what both need stays as it is."""

    kept: tuple[str, ...]
    added: tuple[str, ...]
    dropped: tuple[str, ...]


def effective(levels: Levels, there_are: Collection[str]) -> Scope:
    """The names that count: agent before session before role before all; without any, all."""
    nearest = (levels.agent, levels.session, levels.role, levels.overall)
    wanted = next((one for one in nearest if one is not None), None)
    if wanted is None:
        return Scope(tuple(sorted(there_are)))
    found = frozenset(there_are)
    return Scope(tuple(sorted(frozenset(wanted) & found)), tuple(sorted(frozenset(wanted) - found)))


def transition(before: Collection[str], after: Collection[str]) -> Transition:
    """How one set becomes another."""
    old, new = frozenset(before), frozenset(after)
    return Transition(tuple(sorted(old & new)), tuple(sorted(new - old)), tuple(sorted(old - new)))
