"""How long the engine takes to start with many sessions in its log."""

from pathlib import Path
from time import perf_counter
from typing import Final

from bench.engines import engine_on
from bench.histories import write_history
from bench.measuring import Figure, Scale, for_information, scratch

from hearth.app import run
from hearth.core.vocabulary.ids import SessionId

FIRST: Final = "start with 200 sessions, replayed"
AGAIN: Final = "start with 200 sessions, from snapshots"
EVENTS: Final = 502


def measure(scale: Scale) -> list[Figure]:
    """The first start replays everything; when it is closed it leaves snapshots."""
    number = scale.of(200, 5)
    with scratch() as folder:
        path = folder / "hearth.db"
        for place in range(number):
            write_history(path, SessionId(f"session-{place:03d}"), EVENTS)
        first = run(_milliseconds(path))
        again = [run(_milliseconds(path)) for _ in range(scale.rounds)]
    return [for_information(FIRST, "ms", [first]), for_information(AGAIN, "ms", again)]


async def _milliseconds(path: Path) -> float:
    start = perf_counter()
    async with engine_on(path):
        return (perf_counter() - start) * 1000
