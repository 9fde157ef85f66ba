"""A session as lists show it: one line of what several views say about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

from hearth.core.views.activity import AuthorActivity
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.core.vocabulary.phases import PhaseName

MOST_AUTHORS: Final = 8
LONGEST_NAME: Final = 200


class State(StrEnum):
    """How a session stands, in words for people."""

    READY = "ready"
    STARTING = "starting"
    RUNNING = "running a cell"
    WORKING = "agent working"
    NEEDS = "needs you"
    FAULTED = "faulted"
    SET_ASIDE = "set aside"
    RESUMING = "resuming"
    STOPPED = "stopped"
    ASLEEP = "not started"


DOTS: Final[Mapping[State, str]] = {
    State.READY: "ready",
    State.STARTING: "running",
    State.RUNNING: "running",
    State.WORKING: "running",
    State.NEEDS: "needs",
    State.FAULTED: "bad",
    State.SET_ASIDE: "bad",
    State.RESUMING: "running",
    State.STOPPED: "off",
    State.ASLEEP: "off",
}
"""The dot of each state; base.css gives each a shape of its own."""


@dataclass(frozen=True, slots=True)
class Author:
    """Somebody who did something in a session."""

    actor: Actor
    name: str
    last_active: datetime | None
    """Anywhere."""


@dataclass(frozen=True, slots=True)
class Line:
    """One session."""

    session: SessionId
    name: str
    state: State
    directory: str = ""
    model: str = ""
    preview: str = ""
    needs: int = 0
    """So many questions wait for a person."""
    stopped: bool = False
    trouble: str = ""
    at: datetime | None = None
    """When somebody last did something in it."""
    began: datetime | None = None
    authors: tuple[Author, ...] = ()
    forked_from: SessionId | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of sessions beside the list of them."""

    needs: Mapping[SessionId, int] = field(default_factory=dict)
    working: frozenset[SessionId] = frozenset()
    """Those whose agent is in a turn."""
    authors: Mapping[SessionId, tuple[Author, ...]] = field(default_factory=dict)


def line_of(row: SessionRow, beside: Beside) -> Line:
    """One session out of the list."""
    needs = 0 if row.stopped else beside.needs.get(row.session, 0)
    return Line(
        session=row.session,
        name=(row.name or row.session)[:LONGEST_NAME],
        state=_state(row, needs, is_working=row.session in beside.working),
        directory=row.directory,
        model=row.model.rpartition(":")[2],
        preview=row.preview,
        needs=needs,
        stopped=row.stopped,
        trouble=row.trouble,
        at=row.last_activity,
        began=row.started_at,
        authors=beside.authors.get(row.session, ()),
        forked_from=row.forked_from or None,
    )


def authors_of(authors: Iterable[AuthorActivity]) -> dict[SessionId, tuple[Author, ...]]:
    """Who was active in each session, by whichever door; the most recently active first."""
    found: dict[SessionId, dict[tuple[Actor, str], Author]] = {}
    for one in authors:
        author = one.author
        if author.actor is Actor.SYSTEM:
            continue
        mine = Author(author.actor, author.name, one.last_active)
        for session in one.sessions:
            known = found.setdefault(session, {})
            if len(known) < MOST_AUTHORS:
                known.setdefault((author.actor, author.name), mine)
    return {session: tuple(known.values()) for session, known in found.items()}


def is_unread(line: Line, person: str, seen: float) -> bool:
    """Whether something happened since this person looked, and somebody else may have done it."""
    if line.at is None or line.at.timestamp() <= seen:
        return False
    return any(
        one.last_active is not None and one.last_active.timestamp() > seen
        for one in line.authors
        if (one.actor, one.name) != (Actor.PERSON, person)
    )


def _state(row: SessionRow, needs: int, *, is_working: bool) -> State:  # noqa: PLR0911 - one for each state
    if row.trouble:
        return State.SET_ASIDE
    if row.stopped:
        return State.STOPPED
    if row.resuming:
        return State.RESUMING
    if needs:
        return State.NEEDS
    match row.state:
        case PhaseName.FAULTED:
            return State.FAULTED
        case PhaseName.EVALUATING:
            return State.WORKING if is_working else State.RUNNING
        case PhaseName.WARMING_UP:
            return State.STARTING
        case PhaseName.READY:
            return State.WORKING if is_working else State.READY
        case PhaseName.UNINITIALIZED:
            return State.WORKING if is_working else State.ASLEEP
        case _:
            assert_never(row.state)
