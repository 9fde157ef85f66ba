"""What the engine adds to a cell: `1+1` settled in the log, beside raw `jupyter_client`."""

from time import perf_counter
from typing import Final

from bench.living import Living, PlainKernel, living, plain_kernel
from bench.measuring import Figure, Round, Scale, at_most, for_information, percentile

from hearth.app import run
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.ids import SessionId

MEDIAN: Final = "1+1 through the engine, settled, p50"
TAIL: Final = "1+1 through the engine, settled, p99"
FINGERPRINT: Final = "… of which the environment's fingerprint"
CODE: Final = "1+1"
WARM_UP: Final = 20

FINGERPRINTED: Final = """
import sys, time
_found = sys.modules["hearth_inside.fingerprinting"]
_taken = []
for _ in range(200):
    _begun = time.perf_counter()
    _found.uses(get_ipython(), "1+1")
    _found.environment(get_ipython(), {})
    _taken.append(time.perf_counter() - _begun)
print(sorted(_taken)[100] * 1000)
"""


def measure(scale: Scale) -> list[Figure]:
    """One cell of each in turn, so that both see the same machine."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    middles, tails = [], []
    async with living() as here, plain_kernel() as (plain, _):
        session = await here.session("running")
        await _in_turn(here, session, plain, WARM_UP)
        for _ in range(scale.rounds):
            ours, raw = await _in_turn(here, session, plain, scale.of(200, 5))
            middles.append(Round(percentile(ours, 0.5), percentile(raw, 0.5)))
            tails.append(Round(percentile(ours, 0.99), percentile(raw, 0.99)))
        fingerprint = await _fingerprint(here, session)
    return [
        Figure(MEDIAN, "ms", middles, "raw jupyter_client", at_most(1.5)),
        Figure(TAIL, "ms", tails, "raw jupyter_client", at_most(2.0)),
        for_information(FINGERPRINT, "ms", [fingerprint]),
    ]


async def _in_turn(
    here: Living, session: SessionId, plain: PlainKernel, times: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each cell through the engine, and of each without."""
    ours, raw = [], []
    for _ in range(times):
        begun = perf_counter()
        await here.ran(session, CODE)
        between = perf_counter()
        await plain.run(CODE)
        ours.append((between - begun) * 1000)
        raw.append((perf_counter() - between) * 1000)
    return ours, raw


async def _fingerprint(here: Living, session: SessionId) -> float:
    """Milliseconds that every reply of the interpreter needs for it, as measured in there."""
    ended = await here.ran(session, FINGERPRINTED)
    match ended.outputs:
        case (StreamText(text=str(text)), *_):
            return float(text)
        case _:
            raise TypeError(f"the cell that measures printed {ended.outputs}")
