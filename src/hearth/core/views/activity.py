"""Who does what, over all sessions."""

from collections.abc import Iterable
from datetime import datetime

from hearth.core.views.tally import AuthorTally
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.wire import Part


class AuthorActivity(Part, frozen=True):
    """What one author did everywhere."""

    author: Origin
    evals: int
    errors: int
    sessions: tuple[SessionId, ...]
    last_active: datetime | None


class Activity(Part, frozen=True):
    """Every author, the most recently active first."""

    authors: tuple[AuthorActivity, ...] = ()


def activity(tallies: Iterable[tuple[SessionId, tuple[AuthorTally, ...]]]) -> Activity:
    """The activity over all sessions, from what each session counted."""
    found: dict[tuple[str, str, str], AuthorActivity] = {}
    for session, authors in tallies:
        for mine in authors:
            key = (mine.author.actor, mine.author.name, mine.author.door)
            found[key] = _joined(found.get(key), session, mine)
    ordered = sorted(found.values(), key=_recent_first)
    return Activity(tuple(ordered))


def _joined(known: AuthorActivity | None, session: SessionId, mine: AuthorTally) -> AuthorActivity:
    if known is None:
        return AuthorActivity(mine.author, mine.evals, mine.errors, (session,), mine.last_active)
    times = [time for time in (known.last_active, mine.last_active) if time is not None]
    return AuthorActivity(
        known.author,
        known.evals + mine.evals,
        known.errors + mine.errors,
        (*known.sessions, session),
        max(times, default=None),
    )


def _recent_first(author: AuthorActivity) -> tuple[float, str, str, str]:
    time = author.last_active.timestamp() if author.last_active else 0.0
    return (-time, author.author.actor, author.author.name, author.author.door)
