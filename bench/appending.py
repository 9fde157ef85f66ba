"""Durable appends: one by one against raw sqlite3, and many sessions sharing commits."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Final

from bench.histories import drafts_of
from bench.measuring import Figure, Round, Scale, at_least, scratch

from hearth.app import run
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import SessionId
from hearth.log.sqlite import SqliteLog
from hearth.log.sqlite_schema import connect, prepare

SEQUENTIAL: Final = "appends one by one, SQLite FULL"
TOGETHER: Final = "50 sessions appending at once"
SESSIONS: Final = 50


def measure(scale: Scale) -> list[Figure]:
    """Both figures, from rounds in which everything is measured in turn."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    alone, together = [], []
    for _ in range(scale.rounds):
        with scratch() as folder:
            drafts = drafts_of(SessionId("alone"), scale.of(1000, 50))
            raw = len(drafts) / _raw_seconds(folder / "raw.db", drafts)
            each = scale.of(200, 5)
            log = SqliteLog(folder / "hearth.db")
            await log.open()
            try:
                ours = len(drafts) / await _seconds(log, SessionId("alone"), drafts)
                many = SESSIONS * each / await _seconds_together(log, each)
            finally:
                await log.close()
            alone.append(Round(ours, raw))
            together.append(Round(many, ours))
    return [
        Figure(SEQUENTIAL, "events/s", alone, "raw sqlite3", at_least(0.6)),
        Figure(TOGETHER, "events/s", together, "one by one", at_least(5.0)),
    ]


def _raw_seconds(path: Path, drafts: Sequence[Draft]) -> float:
    """The same rows into the same tables with the same pragmas, a transaction for each."""
    prepare(path)
    with closing(connect(path)) as connection:
        execute = connection.execute
        start = perf_counter()
        for version, draft in enumerate(drafts, 1):
            execute("BEGIN IMMEDIATE")
            execute(
                "INSERT INTO events (seq, session, version, id, type, data)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (version, "alone", version, draft.id, draft.type, draft.data),
            )
            execute(
                "INSERT INTO streams VALUES (?, ?, ?)"
                " ON CONFLICT (session) DO UPDATE SET version = excluded.version,"
                " seq = excluded.seq",
                ("alone", version, version),
            )
            execute("COMMIT")
        return perf_counter() - start


async def _seconds(log: SqliteLog, session: SessionId, drafts: Sequence[Draft]) -> float:
    lease = await log.claim(session)
    start = perf_counter()
    for version, draft in enumerate(drafts):
        await log.append(session, version, [draft], lease)
    return perf_counter() - start


async def _seconds_together(log: SqliteLog, each: int) -> float:
    sessions = [SessionId(f"together-{number:02d}") for number in range(SESSIONS)]
    work = [(session, drafts_of(session, each)) for session in sessions]
    for session in sessions:
        await log.claim(session)
    start = perf_counter()
    await asyncio.gather(*(_seconds(log, session, drafts) for session, drafts in work))
    return perf_counter() - start
