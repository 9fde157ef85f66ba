"""How long a caller waits for `Accepted` while commands keep coming at a fixed rate.

An open loop: a command is due at its time whether or not the ones before it were answered, and
its wait is counted from then. A stall is felt by everyone who came during it.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing, suppress
from time import perf_counter, sleep
from typing import Final, NamedTuple

from bench.engines import CELL, accepted, engine_on, ready_sessions
from bench.histories import drafts_of
from bench.measuring import Figure, Scale, against_limit, for_information, percentile, scratch

from hearth.app import run
from hearth.core.vocabulary.commands import Command, RenameSession
from hearth.core.vocabulary.ids import SessionId
from hearth.log.sqlite_schema import connect, prepare

P99: Final = "acknowledgement at 1,000 events/s, p99"
MEDIAN: Final = "acknowledgement at 1,000 events/s, median"
CELLS: Final = "the same while cells run (250 cells/s), p99"
RAW: Final = "raw sqlite3 at the same rate, p99"
HEARTBEAT: Final = "worst delay of the event loop meanwhile"
SESSIONS: Final = 20
BEAT: Final = 0.1


class Load(NamedTuple):
    """Commands per second, for so many seconds."""

    rate: int
    seconds: int
    command: Callable[[int], Command]


class Felt(NamedTuple):
    """What callers and the event loop felt under a load, in milliseconds."""

    waits: list[float]
    worst_beat: float


def measure(scale: Scale) -> list[Figure]:
    """Renames lead to one event each; a cell leads to four, and runs in between."""
    seconds = scale.of(30, 1)
    renames = run(_felt(Load(1000, seconds, lambda n: RenameSession(f"name {n}"))))
    raw = _raw_waits(1000, scale.of(10, 1))
    cells = run(_felt(Load(250, scale.of(10, 1), lambda _: CELL)))
    return [
        against_limit(P99, "ms", [percentile(renames.waits, 0.99)], 25.0),
        for_information(MEDIAN, "ms", [percentile(renames.waits, 0.5)]),
        for_information(RAW, "ms", [percentile(raw, 0.99)]),
        against_limit(CELLS, "ms", [percentile(cells.waits, 0.99)], 25.0),
        against_limit(HEARTBEAT, "ms", [max(renames.worst_beat, cells.worst_beat)], 1000.0),
    ]


def _raw_waits(rate: int, seconds: int) -> list[float]:
    """The least that this disk and this machine allow now: all that is due, in one transaction."""
    drafts = drafts_of(SessionId("raw"), rate * seconds)
    waits: list[float] = []
    with scratch() as folder:
        prepare(folder / "raw.db")
        with closing(connect(folder / "raw.db")) as connection:
            start = perf_counter()
            while (done := len(waits)) < len(drafts):
                due = start + done / rate
                sleep(max(0.0, due - perf_counter()))
                arrived = max(done + 1, int((perf_counter() - start) * rate))
                rows = [
                    (version, "raw", version, draft.id, draft.type, draft.data)
                    for version, draft in enumerate(drafts[done:arrived], done + 1)
                ]
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(
                    "INSERT INTO events (seq, session, version, id, type, data)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    rows,
                )
                connection.execute("COMMIT")
                now = perf_counter() - start
                waits += [(now - (version - 1) / rate) * 1000 for version, *_ in rows]
    return waits


async def _felt(load: Load) -> Felt:
    with scratch() as folder:
        async with engine_on(folder / "hearth.db") as engine:
            sessions = await ready_sessions(engine, SESSIONS)
            waits: list[float] = []
            beats = [0.0]

            async def ask(number: int, due: float) -> None:
                await accepted(engine, sessions[number % SESSIONS], load.command(number))
                waits.append((perf_counter() - due) * 1000)

            heart = asyncio.create_task(_beat(beats))
            start = perf_counter()
            async with asyncio.TaskGroup() as asking:
                for number in range(load.rate * load.seconds):
                    due = start + number / load.rate
                    # Also when it is late: whoever is ready gets a turn before the next arrives.
                    await asyncio.sleep(max(0.0, due - perf_counter()))
                    asking.create_task(ask(number, due))
            heart.cancel()
            with suppress(asyncio.CancelledError):
                await heart
            return Felt(waits, max(beats))


async def _beat(delays: list[float]) -> None:
    while True:
        start = perf_counter()
        await asyncio.sleep(BEAT)
        delays.append((perf_counter() - start - BEAT) * 1000)
