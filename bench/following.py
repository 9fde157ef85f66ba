"""Followers: how soon a thousand of them see an event, and what one costs that never reads."""

import asyncio
import gc
import tracemalloc
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final

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
CHUNKS_PER_CELL: Final = 40
AT_ONCE: Final = 50
"""So many cells are asked for together; the rest of them wait in the session's queue."""
LINE: Final = "{:08d} of a line that a program prints while it works\n"
SMALL: Final = "{}."
WIDE: Final = "{:08d} 🔥 of a line that no narrow string can hold\n"


class Flooding(ScriptedInterpreter):
    """Prints much, in texts of which no two are the same object."""

    def __init__(self, text: str) -> None:
        super().__init__(SCENES)
        self._text = text
        self._numbers = count(10_000)

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Print, then play the part."""
        if isinstance(effect, ExecuteInWorker):
            for _ in range(CHUNKS_PER_CELL):
                text = self._text.format(next(self._numbers))
                stage.show(OutputChunk(effect.cell, "stdout", text))
        await super().perform(session, effect, stage)


def measure(scale: Scale) -> list[Figure]:
    """Time without a tracer, memory with one."""
    return asyncio.run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    seen = [percentile(await _waits(scale.of(20, 2)), 0.99) for _ in range(scale.rounds)]
    cells = scale.of(3400, 50)  # of at least three events each
    rates = [await _rates(cells) for _ in range(scale.rounds)]
    tracemalloc.start()
    held = {text: [await _held(cells, text) / MIB] for text in (LINE, SMALL, WIDE)}
    tracemalloc.stop()
    return [
        against_limit(SEEN, "ms", seen, 50.0),
        against_limit(COSTS, "MiB", held[LINE], 4.0),
        against_limit(COSTS_SMALL, "MiB", held[SMALL], 4.0),
        against_limit(COSTS_WIDE, "MiB", held[WIDE], 4.0),
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


async def _rates(cells: int) -> Round:
    """Events per second that one reader gets, beside a follower that never reads and without."""
    rates: list[float] = []
    for stuck in (1, 0):
        with scratch() as folder:
            async with engine_on(folder / "hearth.db", Flooding(LINE)) as engine:
                (session,) = await ready_sessions(engine, 1)
                idle = [engine.follow(session) for _ in range(stuck)]
                start = perf_counter()
                events = await _flood(engine, session, cells)
                rates.append(events / (perf_counter() - start))
                for following in idle:
                    following.close()
    return Round(*rates)


async def _held(cells: int, text: str) -> int:
    """The bytes that are free again once the follower is closed."""
    with scratch() as folder:
        return await _held_on(folder / "hearth.db", cells, text)


async def _held_on(path: Path, cells: int, text: str) -> int:
    async with engine_on(path, Flooding(text)) as engine:
        (session,) = await ready_sessions(engine, 1)
        stuck = engine.follow(session)
        await _flood(engine, session, cells)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        stuck.close()
        del stuck
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        return before - after


async def _flood(engine: Engine, session: SessionId, cells: int) -> int:
    """Run cells and read along until all were seen to finish; how many events those were."""
    reading = engine.follow(session)
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

    async with asyncio.TaskGroup() as going:
        going.create_task(read())
        for _ in range(cells // AT_ONCE):
            asked = (accepted(engine, session, CELL) for _ in range(AT_ONCE))
            await asyncio.gather(*asked)
    reading.close()
    return events
