"""Which session is meant by what somebody typed: an id, a name, or how either begins."""

from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

from hearth.core.rules.interpreter import ALWAYS
from hearth.core.rules.refusing import unknown_session
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import AmbiguousSession, UnknownSession

_MOST_SHOWN = 5
_LONGEST = 190
"""Characters of a name that has a number behind it."""


class Called(NamedTuple):
    """A session, and what people call it."""

    session: SessionId
    name: str
    stopped: bool = False


def meant(said: str, sessions: Iterable[Called]) -> SessionId | UnknownSession | AmbiguousSession:
    """The one session that is meant.

    An id counts before a name, a whole one before a beginning; among several, those that live
    before those that were stopped.
    """
    known = tuple(sessions)
    if not said:
        return unknown_session(SessionId(said))
    ways = (
        [one for one in known if one.session == said],
        [one for one in known if one.name == said],
        [one for one in known if one.session.startswith(said) or _short(one).startswith(said)],
        [one for one in known if one.name.casefold().startswith(said.casefold())],
    )
    for found in ways:
        alive = [one for one in found if not one.stopped] or found
        if len(alive) == 1:
            return alive[0].session
        if alive:
            return _ambiguous(said, [one.session for one in alive])
    return unknown_session(SessionId(said))


def fork_name(name: str, taken: Iterable[str]) -> str:
    """What a fork is called if nobody says: as the other one is, with the first number left."""
    known = {one.casefold() for one in taken}
    base = name[:_LONGEST].strip() or "fork"
    numbers = count(2)
    while (found := f"{base}-{next(numbers)}").casefold() in known:
        pass
    return found


def _short(one: Called) -> str:
    """The part of an id that tells it from the others: `a1b2c3` of `session-a1b2c3`."""
    return one.session.removeprefix("session-")


def _ambiguous(said: str, sessions: list[SessionId]) -> AmbiguousSession:
    shown = ", ".join(sessions[:_MOST_SHOWN]) + (", …" if len(sessions) > _MOST_SHOWN else "")
    return AmbiguousSession(
        name=said,
        sessions=tuple(sessions),
        why=f"{len(sessions)} sessions can be meant by {said!r}",
        available=ALWAYS,
        remedy=(f"use one of their ids: {shown}",),
    )
