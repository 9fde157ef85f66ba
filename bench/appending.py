"""Durable appends: one by one against raw sqlite3, and many sessions sharing commits."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from time import perf_counter
from typing import Final

from bench.histories import drafts_of
from bench.measuring import Figure, Round, Scale, at_least, scratch

from hearth.app import run
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import Lease
from hearth.log.sqlite import SqliteLog
from hearth.log.sqlite_schema import connect, prepare

SEQUENTIAL: Final = "appends one by one, SQLite FULL"
TOGETHER: Final = "50 sessions appending at once"
SESSIONS: Final = 50
IN_TURN: Final = 50


def measure(scale: Scale) -> list[Figure]:
    """Both figures, from rounds in which everything is measured in turn."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    alone, together = [], []
    for _ in range(scale.rounds):
        with scratch() as folder:
            drafts = drafts_of(SessionId("alone"), scale.of(1000, 50))
            each = scale.of(200, 5)
            log = SqliteLog(folder / "hearth.db")
            await log.open()
            try:
                ours, raw = await _in_turn(log, folder / "raw.db", drafts)
                many = SESSIONS * each / await _seconds_together(log, each)
            finally:
                await log.close()
            alone.append(Round(len(drafts) / ours, len(drafts) / raw))
            together.append(Round(many, len(drafts) / ours))
    return [
        Figure(SEQUENTIAL, "events/s", alone, "raw sqlite3", at_least(0.6)),
        Figure(TOGETHER, "events/s", together, "one by one", at_least(5.0)),
    ]


async def _in_turn(log: SqliteLog, path: Path, drafts: Sequence[Draft]) -> tuple[float, float]:
    """Seconds of ours and of raw sqlite3, a few appends of each in turn: disks have their moods."""
    session = SessionId("alone")
    lease = await log.claim(session)
    ours = raw = 0.0
    prepare(path)
    with closing(connect(path)) as connection:
        for start in range(0, len(drafts), IN_TURN):
            these = drafts[start : start + IN_TURN]
            raw += _raw_seconds(connection, start, these)
            ours += await _seconds(log, lease, start, these)
    return ours, raw


def _raw_seconds(connection: Connection, version: int, drafts: Sequence[Draft]) -> float:
    """The same rows into the same tables with the same pragmas, a transaction for each."""
    execute = connection.execute
    begun = perf_counter()
    for place, draft in enumerate(drafts, version + 1):
        execute("BEGIN IMMEDIATE")
        execute(
            "INSERT INTO events (seq, session, version, id, type, data) VALUES (?, ?, ?, ?, ?, ?)",
            (place, "alone", place, draft.id, draft.type, draft.data),
        )
        execute(
            "INSERT INTO streams VALUES (?, ?, ?)"
            " ON CONFLICT (session) DO UPDATE SET version = excluded.version, seq = excluded.seq",
            ("alone", place, place),
        )
        execute("COMMIT")
    return perf_counter() - begun


async def _seconds(log: SqliteLog, lease: Lease, version: int, drafts: Sequence[Draft]) -> float:
    begun = perf_counter()
    for place, draft in enumerate(drafts, version):
        await log.append(lease.session, place, [draft], lease)
    return perf_counter() - begun


async def _seconds_together(log: SqliteLog, each: int) -> float:
    sessions = [SessionId(f"together-{number:02d}") for number in range(SESSIONS)]
    work = [(await log.claim(session), drafts_of(session, each)) for session in sessions]
    begun = perf_counter()
    await asyncio.gather(*(_seconds(log, lease, 0, drafts) for lease, drafts in work))
    return perf_counter() - begun
