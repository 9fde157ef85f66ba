"""Followers: how soon a thousand of them see an event, and what one costs that never reads."""

import asyncio
import gc
import tracemalloc
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from bench.engines import CELL, SCENES, accepted, engine_on, ready_sessions
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    percentile,
    scratch,
)

from hearth.api import Following, each
from hearth.app import run
from hearth.core.vocabulary.commands import RenameSession
from hearth.core.vocabulary.effects import Effect, ExecuteInWorker
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import OutputChunk
from hearth.engine.engine import Engine
from hearth.performers.interpreter.scripted import ScriptedInterpreter

SEEN: Final = "one event seen by 1,000 followers, p99"
COSTS: Final = "a follower that never reads holds"
COSTS_SMALL: Final = "the same, output in small pieces"
COSTS_WIDE: Final = "the same, output in wide characters"
SLOWS: Final = "events/s beside a follower that never reads"
FOLLOWERS: Final = 1000
SESSIONS: Final = 20
LINE: Final = "{:08d} of a line that a program prints while it works\n"
SMALL: Final = "{}."
WIDE: Final = "{:08d} 🔥 of a line that no narrow string can hold\n"


class Flood(NamedTuple):
    """So many cells, each of which prints so many pieces of this text."""

    cells: int
    chunks: int
    text: str


class Flooding(ScriptedInterpreter):
    """Prints much, in texts of which no two are the same object."""

    def __init__(self, flood: Flood) -> None:
        super().__init__(SCENES)
        self._flood = flood
        self._numbers = count(10_000)

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Print, then play the part."""
        if isinstance(effect, ExecuteInWorker):
            for _ in range(self._flood.chunks):
                text = self._flood.text.format(next(self._numbers))
                stage.show(OutputChunk(effect.cell, "stdout", text))
        await super().perform(session, effect, stage)


def measure(scale: Scale) -> list[Figure]:
    """Time without a tracer, memory with one."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    seen = [percentile(await _waits(scale.of(20, 2)), 0.99) for _ in range(scale.rounds)]
    cells = scale.of(3400, 60)  # of at least three events each: 10,000 pass
    lines = Flood(cells, 40, LINE)
    fewer = lines._replace(cells=scale.of(1000, 60))
    rates = [await _rates(fewer) for _ in range(scale.rounds)]
    tracemalloc.start()
    held = [
        await _held(flood) / MIB
        for flood in (lines, Flood(60, scale.of(5000, 50), SMALL), Flood(cells, 40, WIDE))
    ]
    tracemalloc.stop()
    return [
        against_limit(SEEN, "ms", seen, 50.0),
        against_limit(COSTS, "MiB", [held[0]], 4.0),
        against_limit(COSTS_SMALL, "MiB", [held[1]], 4.0),
        against_limit(COSTS_WIDE, "MiB", [held[2]], 4.0),
        Figure(SLOWS, "events/s", rates, "without it", at_least(0.8)),
    ]


async def _waits(events: int) -> list[float]:
    """Milliseconds from asking to being seen, for each event and each follower."""
    waits: list[float] = []
    with scratch() as folder:
        async with engine_on(folder / "hearth.db") as engine:
            (session,) = await ready_sessions(engine, 1)
            asked = 0.0
            missing = 0
            everyone = asyncio.Event()

            async def watch(following: Following) -> None:
                nonlocal missing
                async for item in each(following):
                    if isinstance(item, Stored):
                        waits.append((perf_counter() - asked) * 1000)
                        missing -= 1
                        if not missing:
                            everyone.set()

            followings = [engine.follow(session) for _ in range(FOLLOWERS)]
            async with asyncio.TaskGroup() as watching:
                for following in followings:
                    watching.create_task(watch(following))
                await asyncio.sleep(0)
                for number in range(events):
                    missing = FOLLOWERS
                    everyone.clear()
                    asked = perf_counter()
                    await accepted(engine, session, RenameSession(f"name {number}"))
                    await everyone.wait()
                for following in followings:
                    following.close()
    return waits


async def _rates(flood: Flood) -> Round:
    """Events per second that one reader gets, beside a follower that never reads and without."""
    rates: list[float] = []
    for stuck in (1, 0):
        with scratch() as folder:
            async with engine_on(folder / "hearth.db", Flooding(flood)) as engine:
                sessions = await ready_sessions(engine, SESSIONS)
                idle = [engine.follow() for _ in range(stuck)]
                start = perf_counter()
                events = await _run(engine, sessions, flood.cells)
                rates.append(events / (perf_counter() - start))
                for following in idle:
                    following.close()
    return Round(*rates)


async def _held(flood: Flood) -> int:
    """The bytes that are free again once the follower is closed."""
    with scratch() as folder:
        return await _held_on(folder / "hearth.db", flood)


async def _held_on(path: Path, flood: Flood) -> int:
    async with engine_on(path, Flooding(flood)) as engine:
        sessions = await ready_sessions(engine, SESSIONS)
        stuck = engine.follow()
        await _run(engine, sessions, flood.cells)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        stuck.close()
        del stuck
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        return before - after


async def _run(engine: Engine, sessions: Sequence[SessionId], cells: int) -> int:
    """Run cells and read along until all were seen to finish; how many events those were."""
    reading = engine.follow()
    events = 0

    async def read() -> None:
        nonlocal events
        finished = 0
        async for item in each(reading):
            if isinstance(item, Stored):
                events += 1
                finished += b'"type":"cell_finished"' in item.data
                if finished == cells:
                    return

    async def ask(session: SessionId) -> None:
        for _ in range(cells // SESSIONS):
            await accepted(engine, session, CELL)

    async with asyncio.TaskGroup() as going:
        going.create_task(read())
        for session in sessions:
            going.create_task(ask(session))
    reading.close()
    return events
