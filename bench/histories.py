"""Logs to measure on: real facts of a session that ran many cells, written in bulk."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import chain, count, islice
from pathlib import Path
from typing import Final

from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.envelope import Draft, Fact
from hearth.core.vocabulary.ids import InputId, SessionId, cell_id, event_id
from hearth.core.vocabulary.origin import SYSTEM, Actor, Door, Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.log.sqlite_schema import connect, prepare

ANNA: Final = Origin(Actor.PERSON, "anna", Door.CLI)
NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
CODE: Final = "total = sum(range({}))\nprint(total)"


def facts_of(session: SessionId) -> Iterator[Fact]:
    """The life of a session, without end: it starts, then runs one cell after another."""
    return chain(_beginning(session), chain.from_iterable(_cell(session, n) for n in count(1)))


def drafts_of(session: SessionId, number: int) -> list[Draft]:
    """The first events of a session as a log takes them."""
    return [codec.draft(fact) for fact in islice(facts_of(session), number)]


def write_history(path: Path, session: SessionId, number: int, after: int = 0) -> None:
    """Put the events after `after` up to `number` of a session into the file, all at once."""
    write_facts(path, session, islice(facts_of(session), after, number), after)


def write_facts(path: Path, session: SessionId, facts: Iterable[Fact], after: int = 0) -> None:
    """Put facts of a session that follow its first `after` into the file, all at once."""
    prepare(path)
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # nobody relies on it yet
        connection.execute("BEGIN IMMEDIATE")
        (last,) = connection.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()
        place = 0
        for place, draft in enumerate(map(codec.draft, facts), 1):
            connection.execute(
                "INSERT INTO events (seq, session, version, id, type, data)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (last + place, session, after + place, draft.id, draft.type, draft.data),
            )
        connection.execute(
            "INSERT OR REPLACE INTO streams VALUES (?, ?, ?)",
            (session, after + place, last + place),
        )
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _beginning(session: SessionId) -> Iterator[Fact]:
    asked, told = InputId(f"{session}-0000000a"), InputId(f"{session}-0000000b")
    # Each in a folder of its own: of twins, only one is brought back.
    config = SessionConfig(directory=f"/home/anna/{session}")
    yield _fact(asked, 0, ANNA, e.SessionStarted(config))
    yield _fact(asked, 1, ANNA, e.SessionWarmUpStarted(1))
    yield _fact(asked, 2, ANNA, _moved(PhaseName.UNINITIALIZED, PhaseName.WARMING_UP))
    yield _fact(told, 0, ANNA, e.SessionWarmUpCompleted(0.8))
    yield _fact(told, 1, ANNA, e.SessionReady())
    yield _fact(told, 2, SYSTEM, _moved(PhaseName.WARMING_UP, PhaseName.READY))


def _cell(session: SessionId, number: int) -> Iterator[Fact]:
    asked, told = InputId(f"{session}-{number:08d}a"), InputId(f"{session}-{number:08d}b")
    at = NOON + timedelta(seconds=number)
    cell = cell_id(number)
    yield _fact(asked, 0, ANNA, e.CellStarted(cell, CODE.format(number)), at)
    yield _fact(asked, 1, ANNA, _moved(PhaseName.READY, PhaseName.EVALUATING), at)
    finished = e.CellFinished(
        cell, 0.012, str(number), "int", (StreamText("stdout", f"{number}\n"),), ("total",)
    )
    yield _fact(told, 0, ANNA, finished, at)
    yield _fact(told, 1, SYSTEM, _moved(PhaseName.EVALUATING, PhaseName.READY), at)


def _moved(before: PhaseName, after: PhaseName) -> e.StateTransitioned:
    return e.StateTransitioned(before, after, "run_cell")


def _fact(cause: InputId, place: int, origin: Origin, event: e.Event, at: datetime = NOON) -> Fact:
    return Fact(id=event_id(cause, place), at=at, origin=origin, cause=cause, event=event)
