"""Ten sessions at once, and what is left when they were stopped: nothing."""

import asyncio
import gc
import os
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from bench.living import Living, living
from bench.measuring import MIB, Figure, Round, Scale, at_most, for_information, resident_bytes

from hearth.app import run
from hearth.core.vocabulary.commands import StopSession
from hearth.performers.interpreter.inside.processes import descendants, proportional
from hearth.performers.interpreter.runtime import runtime_folder

CREATED: Final = "10 sessions created at once, all ready"
PROCESSES: Final = "processes after 10 sessions came and went"
FILES: Final = "files and descriptors, the same"
MEMORY: Final = "memory, the same"
SETTLING: Final = 10.0
LOOK_EVERY: Final = 0.05
SETTLED_LOOKS: Final = 10
AT_WORK: Final = "import json, subprocess\nheld = bytearray(20_000_000)\nlen(held)"


class Left(NamedTuple):
    """What there is of this process and of everything it started."""

    processes: int
    files: int
    memory: int


def measure(scale: Scale) -> list[Figure]:
    """After a first ten, which load what is loaded once; then as often as there are rounds."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    number = scale.of(10, 2)
    created, after = [], []
    async with living() as here:
        await _come_and_go(here, "first", number)
        before = await left(here)
        for turn in range(scale.of(3, 1)):
            created.append(await _come_and_go(here, f"turn-{turn}", number))
            after.append(await left(here, before.processes))
    pairs = [(one, before) for one in after]
    return [
        for_information(CREATED, "ms", created),
        Figure(
            PROCESSES,
            "processes",
            [Round(a.processes, b.processes) for a, b in pairs],
            "before",
            at_most(1.0),
        ),
        Figure(FILES, "files", [Round(a.files, b.files) for a, b in pairs], "before", at_most(1.0)),
        Figure(
            MEMORY,
            "MiB",
            [Round(a.memory / MIB, b.memory / MIB) for a, b in pairs],
            "before",
            at_most(1.1),
        ),
    ]


async def _come_and_go(here: Living, word: str, number: int) -> float:
    """Create them all at once, let each run a cell, stop them; milliseconds until all are ready."""
    begun = perf_counter()
    names = [f"{word}-{place}" for place in range(number)]
    sessions = await asyncio.gather(*map(here.session, names))
    taken = (perf_counter() - begun) * 1000
    await asyncio.gather(*(here.ran(session, AT_WORK) for session in sessions))
    await asyncio.gather(*(here.done(session, StopSession()) for session in sessions))
    return taken


async def left(here: Living, expected: int | None = None) -> Left:
    """What is there once it no longer changes, or is as few as expected."""
    await here.spare()
    deadline = perf_counter() + SETTLING
    last, same = -1, 0
    while perf_counter() < deadline and same < SETTLED_LOOKS:
        now = len(descendants(os.getpid()))
        same = same + 1 if now == last and now == (expected or now) else 0
        last = now
        await asyncio.sleep(LOOK_EVERY)
    gc.collect()
    family = descendants(os.getpid())
    kept = _files(runtime_folder(here.folder.parent))
    return Left(len(family), kept, resident_bytes() + proportional(family))


def _files(runtime: Path) -> int:
    """What is in the runtime folder, and what this process has open."""
    return sum(1 for _ in runtime.rglob("*")) + len(list(Path("/proc/self/fd").iterdir()))
