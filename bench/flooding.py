"""A cell that prints far too much: what everyone else feels of it, and what is kept."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from bench.living import living
from bench.measuring import (
    MIB,
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    for_information,
    peak_bytes,
    resident_bytes,
)

from hearth.app import run
from hearth.core.vocabulary.content import Blob, Outputs, StreamText
from hearth.performers.interpreter.inside.processes import descendants
from hearth.performers.interpreter.preferences import Preferences

BEATS: Final = "worst delay of the loop as 50 MB are printed"
GROWN: Final = "memory that this takes in the daemon"
GROWN_INSIDE: Final = "… and in the interpreter"
RECORDED: Final = "of that, kept or counted"
KEPT: Final = "… of which kept"
TAKEN: Final = "… and how long it takes"
BEAT: Final = 0.02
LINE: Final = 100
MOST_MEMORY: Final = 48.0
"""MiB: the text that is kept, at most 4, is held in several forms for a moment."""
MOST_INSIDE: Final = 64.0
"""MiB: what is printed and not yet sent."""
FLOOD: Final = "for number in range({}):\n    print(f'{{number:099d}}')"


class Flooded(NamedTuple):
    """What one flood did; sizes in bytes, times in milliseconds."""

    worst_beat: float
    daemon: int
    interpreter: int
    kept: int
    dropped: int
    taken: float


def measure(scale: Scale) -> list[Figure]:
    """Once: the peak of a process can be measured once."""
    printed = scale.of(50_000_000, 8_000_000)
    done = run(_flood(printed))
    return [
        against_limit(BEATS, "ms", [done.worst_beat], 1000.0),
        against_limit(GROWN, "MiB", [done.daemon / MIB], MOST_MEMORY),
        against_limit(GROWN_INSIDE, "MiB", [done.interpreter / MIB], MOST_INSIDE),
        Figure(
            RECORDED,
            "MB",
            [Round((done.kept + done.dropped) / 1e6, printed / 1e6)],
            "printed",
            at_least(1.0),
        ),
        Figure(
            KEPT, "MiB", [Round(done.kept / MIB, Preferences().output / MIB)], bound=at_least(1.0)
        ),
        for_information(TAKEN, "ms", [done.taken]),
    ]


async def _flood(printed: int) -> Flooded:
    async with living(Preferences(spares=0)) as here:
        session = await here.session("flooded")
        await here.ran(session, "print(1 + 1)")
        beats = [0.0]
        kernel = descendants(os.getpid())[-1]  # its parents come before it
        inside, before = _peak(kernel), resident_bytes()
        heart = asyncio.create_task(_beat(beats))
        begun = perf_counter()
        ended = await here.ran(session, FLOOD.format(printed // LINE))
        taken = (perf_counter() - begun) * 1000
        heart.cancel()
        with suppress(asyncio.CancelledError):
            await heart
        grown = peak_bytes() - before
        inside = _peak(kernel) - inside
    return Flooded(max(beats), grown, inside, _size(ended.outputs), ended.dropped, taken)


def _size(outputs: Outputs) -> int:
    """How much text is kept: all of it in one blob, or in events with blobs of their own."""
    if isinstance(outputs, Blob):
        return outputs.size
    texts = [output.text for output in outputs if isinstance(output, StreamText)]
    return sum(text.size if isinstance(text, Blob) else len(text.encode()) for text in texts)


def _peak(pid: int) -> int:
    """The most a process ever held."""
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


async def _beat(delays: list[float]) -> None:
    while True:
        start = perf_counter()
        await asyncio.sleep(BEAT)
        delays.append((perf_counter() - start - BEAT) * 1000)
