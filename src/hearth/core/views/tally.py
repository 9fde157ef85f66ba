"""What is counted about a session, and about each of its authors."""

from datetime import datetime

from msgspec.structs import replace

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.wire import Part

HEAD = 200
"""So many characters of the last code are kept."""

MOST_AUTHORS = 64
"""Per session; those silent for longest are dropped."""


class AuthorTally(Part, frozen=True):
    """What one author did in one session."""

    author: Origin
    evals: int = 0
    errors: int = 0
    last_active: datetime | None = None


class Tally(Part, frozen=True):
    """The counters of one session. Cancelled cells count neither as done nor as failed."""

    started_at: datetime | None = None
    last_activity: datetime | None = None
    evals: int = 0
    errors: int = 0
    cancelled: int = 0
    last_code: str = ""
    last_duration: float | None = None
    authors: tuple[AuthorTally, ...] = ()


def count(tally: Tally, fact: Fact) -> Tally:
    """The counters after this fact."""
    event = fact.event
    match event:
        case e.StateTransitioned():  # first, because every second event is one
            return tally
        case e.CellStarted():
            return replace(
                tally,
                last_activity=fact.at,
                last_code=event.script or _head(event.code),
                authors=_authors(tally, fact, 0, 0),
            )
        case e.TrialStarted():
            return replace(
                tally,
                last_activity=fact.at,
                last_code=_head(event.variants[0] if event.variants else ""),
                authors=_authors(tally, fact, 0, 0),
            )
        case e.CellFinished() | e.CellFailed() | e.CellCancelled():
            done, failed = isinstance(event, e.CellFinished), isinstance(event, e.CellFailed)
            return replace(
                tally,
                last_activity=fact.at,
                evals=tally.evals + done,
                errors=tally.errors + failed,
                cancelled=tally.cancelled + (not done and not failed),
                last_duration=event.duration,
                authors=_authors(tally, fact, done, failed),
            )
        case e.SessionStarted():
            return replace(tally, started_at=fact.at, last_activity=fact.at)
        case _ if fact.origin.actor is not Actor.SYSTEM:
            return replace(tally, last_activity=fact.at, authors=_authors(tally, fact, 0, 0))
        case _:
            return tally


def _head(code: Text) -> str:
    return code.head[:HEAD] if isinstance(code, Blob) else code[:HEAD]


def _authors(tally: Tally, fact: Fact, evals: int, errors: int) -> tuple[AuthorTally, ...]:
    """With what this fact adds; most recently active first, so that the usual case is cheap."""
    author, authors = fact.origin, tally.authors
    if authors and authors[0].author == author:
        mine, others = authors[0], authors[1:]
    else:
        mine = next((known for known in authors if known.author == author), AuthorTally(author))
        others = tuple(known for known in authors if known.author != author)[: MOST_AUTHORS - 1]
    return (AuthorTally(author, mine.evals + evals, mine.errors + errors, fact.at), *others)
