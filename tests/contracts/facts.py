"""Facts for the log's tests: real words with ids of their own."""

from datetime import UTC, datetime
from itertools import count
from typing import Final

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Draft, Fact
from hearth.core.vocabulary.events import CellStarted, Event, SessionRenamed
from hearth.core.vocabulary.ids import CellId, EventId, InputId, SessionId, event_id
from hearth.core.vocabulary.origin import Actor, Door, Origin

ANNA: Final = Origin(Actor.PERSON, "anna", Door.CLI)
NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
_numbers = count(1)


def new_cause() -> InputId:
    """An input id that no other fact of this process has."""
    return InputId(f"in-{next(_numbers):08d}")


def new_session(word: str = "session") -> SessionId:
    """A session that no other test of this process uses."""
    return SessionId(f"{word}-{next(_numbers):06d}")


def draft_of(event: Event, id_: EventId | None = None) -> Draft:
    """One event as an event log takes it."""
    cause = new_cause()
    return codec.draft(
        Fact(id=id_ or event_id(cause, 0), at=NOON, origin=ANNA, cause=cause, event=event)
    )


def renamed(name: str = "a name") -> Draft:
    """A small event with some text."""
    return draft_of(SessionRenamed(name))


def started(code: str) -> Draft:
    """A cell's code."""
    return draft_of(CellStarted(CellId("c1"), code))


def some(number: int) -> list[Draft]:
    """So many small events."""
    return [renamed(f"name {place}") for place in range(number)]


def of_size(size: int) -> Draft:
    """An event whose stored bytes are exactly this many."""
    frame = len(started("").data)
    return started("x" * (size - frame))
