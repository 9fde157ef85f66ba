"""From the log back to state and views: all of it, and from a snapshot of a very long session."""

import subprocess
import sys
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Final

from bench.histories import facts_of, write_history
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    scratch,
    seconds_of,
)

from hearth.app import run
from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.transcript import transcript
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.restoring import fold_name, restore, snapshot_of
from hearth.engine.session_loop import SNAPSHOT_EVERY
from hearth.log.sqlite import SqliteLog

REPLAY: Final = "replay of a log into state and views"
TRANSCRIPT: Final = "replay into a transcript"
OPENING: Final = "opening 1,000,000 events from a snapshot"
MEMORY: Final = "memory for that"
LONG: Final = SessionId("long")


def measure(scale: Scale) -> list[Figure]:
    """The rates, then the time and memory of a process that opens one long session."""
    number = scale.of(200_000, 2000)
    with scratch() as folder:
        path = folder / "hearth.db"
        write_history(path, LONG, number)
        rates = [number / run(_replay_seconds(path)) for _ in range(scale.rounds)]
    shown = scale.of(50_000, 1000)
    rows = _rows(shown)
    in_view = [shown / _transcript_seconds(rows) for _ in range(scale.rounds)]
    opened = _openings(scale)
    return [
        Figure(REPLAY, "events/s", [Round(r, 100_000) for r in rates], bound=at_least(1.0)),
        Figure(TRANSCRIPT, "events/s", [Round(r, 100_000) for r in in_view], bound=at_least(1.0)),
        against_limit(OPENING, "ms", [milliseconds for milliseconds, _ in opened], 100.0),
        against_limit(MEMORY, "MiB", [size / MIB for _, size in opened], 20e6 / MIB),
    ]


async def _replay_seconds(path: Path) -> float:
    """As the engine does it at start: read, decode, check against the tables, fold."""
    log = SqliteLog(path)
    await log.open()
    try:
        start = perf_counter()
        await restore(log, LONG, fold_name())
        return perf_counter() - start
    finally:
        await log.close()


def _rows(number: int) -> list[Stored]:
    facts = enumerate(islice(facts_of(LONG), number), 1)
    return [Stored(place, LONG, place, codec.draft(fact).data) for place, fact in facts]


def _transcript_seconds(rows: list[Stored]) -> float:
    return seconds_of(lambda: transcript(codec.envelope(row) for row in rows))


def _openings(scale: Scale) -> list[tuple[float, int]]:
    """With as many events after the snapshot as there can be: the engine makes the next then."""
    number = scale.of(1_000_000, 5000)
    with scratch() as folder:
        path = folder / "hearth.db"
        kept = number - SNAPSHOT_EVERY + 1
        write_history(path, LONG, kept)
        run(_save_snapshot(path, kept))
        write_history(path, LONG, number, after=kept)
        return [_in_a_child(path) for _ in range(scale.rounds)]


async def _save_snapshot(path: Path, version: int) -> None:
    current = SessionFold(SessionState(LONG))
    for fact in islice(facts_of(LONG), version):
        current = fold(current, fact)
    log = SqliteLog(path)
    await log.open()
    await log.save_snapshot(snapshot_of(current, version, fold_name()))
    await log.close()


def _in_a_child(path: Path) -> tuple[float, int]:
    """Milliseconds and bytes, as a new process sees them."""
    root = Path(__file__).resolve().parent.parent
    told = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", "bench.opening", str(path), LONG],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    return float(told[0]), int(told[1])
