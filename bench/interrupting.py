"""How soon a session is ready again after its running cell was cancelled."""

from time import perf_counter
from typing import Final

from bench.living import AWAIT, LOOP, SLEEP, Living, at_work, living
from bench.measuring import Figure, Scale, against_limit, percentile

from hearth.app import run
from hearth.core.vocabulary.cells import CellCancelled
from hearth.core.vocabulary.commands import CancelCell
from hearth.core.vocabulary.ids import SessionId

STOPPED: Final = "interrupt of {}, p95"
CODES: Final = {
    "while True: pass": LOOP,
    "time.sleep(60)": SLEEP,
    "await forever": AWAIT,
}


def measure(scale: Scale) -> list[Figure]:
    """From asking until the log says that the session is ready, always in the same session."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    async with living() as here:
        session = await here.session("stopped")
        taken = {
            name: [await _milliseconds(here, session, code) for _ in range(scale.of(20, 2))]
            for name, code in CODES.items()
        }
    return [
        against_limit(STOPPED.format(name), "ms", [percentile(times, 0.95)], 1000.0)
        for name, times in taken.items()
    ]


async def _milliseconds(here: Living, session: SessionId, code: str) -> float:
    async with at_work(here, session, code) as running:
        begun = perf_counter()
        await here.done(session, CancelCell())
        # The end of the cell and the session's readiness are one append.
        ended = (await running).outcome.event
        taken = (perf_counter() - begun) * 1000
    if not isinstance(ended, CellCancelled):
        raise TypeError(f"the cancelled cell ended with {ended}")
    return taken
