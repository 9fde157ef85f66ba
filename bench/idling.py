"""What a session costs that is open and does nothing."""

import asyncio
import gc
import tracemalloc
from collections.abc import Sequence
from typing import Final

from bench.engines import CELL, accepted, engine_on, ready_sessions, settled
from bench.measuring import (
    Figure,
    Scale,
    against_limit,
    cpu_seconds,
    for_information,
    resident_bytes,
    scratch,
)

from hearth.app import run
from hearth.core.vocabulary.commands import RenameSession
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.engine import Engine

HOLDS: Final = "an idle session holds"
RESIDENT: Final = "the same, as the system counts it"
USED: Final = "the same after 1,100 commands"
COMPUTES: Final = "200 idle sessions compute"
KB: Final = 1000.0
MOST_COMMANDS: Final = 1100
"""More than a session remembers of its past."""


def measure(scale: Scale) -> list[Figure]:
    """Memory by the tracer and by the system, then processor time."""
    number = scale.of(200, 10)
    few = scale.of(20, 2)
    resident, computed = run(_untraced(number, scale.of(5, 1)))
    tracemalloc.start()
    new = run(_held(number, commands=0))
    used = run(_held(few, commands=scale.of(MOST_COMMANDS, 50)))
    tracemalloc.stop()
    return [
        against_limit(HOLDS, "KB", [new / KB], 50.0),
        against_limit(RESIDENT, "KB", [resident / KB], 50.0),
        against_limit(USED, "KB", [used / KB], 50.0),
        against_limit(COMPUTES, "ms per s", [computed * 1000], 10.0),
        for_information("… of which without any session", "ms per s", [_alone(scale) * 1000]),
    ]


async def _held(number: int, commands: int) -> float:
    """Bytes per session, by Python's own count."""
    with scratch() as folder:
        async with engine_on(folder / "hearth.db") as engine:
            await _warm(engine)
            gc.collect()
            before, _ = tracemalloc.get_traced_memory()
            sessions = await ready_sessions(engine, number)
            await _use(engine, sessions, commands)
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
            return (after - before) / number


async def _untraced(number: int, seconds: int) -> tuple[float, float]:
    """Bytes per session by the system's count, and processor seconds per second."""
    with scratch() as folder:
        async with engine_on(folder / "hearth.db") as engine:
            await _warm(engine)
            gc.collect()
            before = resident_bytes()
            await ready_sessions(engine, number)
            gc.collect()
            held = (resident_bytes() - before) / number
            return held, await _computed(seconds)


def _alone(scale: Scale) -> float:
    async def alone() -> float:
        with scratch() as folder:
            async with engine_on(folder / "hearth.db"):
                return await _computed(scale.of(5, 1))

    return run(alone())


async def _computed(seconds: int) -> float:
    await asyncio.sleep(1)  # what was begun comes to its end
    before = cpu_seconds()
    await asyncio.sleep(seconds)
    return (cpu_seconds() - before) / seconds


async def _warm(engine: Engine) -> None:
    """Do everything once, so that what is kept for all sessions is not counted."""
    (session,) = await ready_sessions(engine, 1, "first")
    await settled(engine, session, CELL)
    await _use(engine, [session], 200)


async def _use(engine: Engine, sessions: Sequence[SessionId], commands: int) -> None:
    for session in sessions:
        for start in range(0, commands, 50):
            names = (RenameSession(f"name {place}") for place in range(start, start + 50))
            await asyncio.gather(*(accepted(engine, session, name) for name in names))
