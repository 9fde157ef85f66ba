"""What hearth adds to a step of an agent: from the end of an answer to the next request."""

from statistics import median
from time import perf_counter
from typing import Final

from bench import bare_loop
from bench.agents import NOTHING, Setting, calling, gaps, send, speaking
from bench.daemons import Wire
from bench.living import plain_kernel
from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
    percentile,
)
from tests.providers.script import Script

from hearth.app import run

MIDDLE: Final = "a step with a tool that does nothing, p50"
TAIL: Final = "a step with a tool that does nothing, p95"
BARE: Final = "the same, beside a loop that keeps nothing"
LATE: Final = "the 200th step beside the 2nd"
CODE: Final = "a step with run_code 1, p50"
CODE_TAIL: Final = "a step with run_code 1, p95"
CODE_LATE: Final = "the 200th of those beside the 2nd"
STEPS: Final = 200
NEIGHBOURS: Final = 20
"""So many steps from the 2nd on are compared with as many up to the last."""


def measure(scale: Scale) -> list[Figure]:
    """Several turns of 200 steps, with the bare loop in turn against the same provider."""
    steps = scale.of(STEPS, 12)
    nothing, bare = _turns(NOTHING, steps, scale.of(7, 1))
    code, _ = _turns("run_code", steps, scale.rounds)
    kernel = run(_kernel(steps))
    return [
        against_limit(MIDDLE, "ms", [median(one) for one in nothing], 10.0),
        against_limit(TAIL, "ms", [percentile(one, 0.95) for one in nothing], 25.0),
        Figure(
            BARE,
            "ms",
            [
                Round(median(ours), median(theirs))
                for ours, theirs in zip(nothing, bare, strict=True)
            ],
            "a bare loop",
        ),
        Figure(LATE, "ms", [_ages(one) for one in nothing], "the 2nd", at_most(1.2)),
        Figure(CODE, "ms", [Round(median(one), kernel) for one in code], "1 by raw jupyter_client"),
        for_information(CODE_TAIL, "ms", [percentile(one, 0.95) for one in code]),
        Figure(CODE_LATE, "ms", [_ages(one) for one in code], "the 2nd", at_most(1.2)),
    ]


def _turns(tool: str, steps: int, rounds: int) -> tuple[list[list[float]], list[list[float]]]:
    """Of each turn the milliseconds between requests: ours, and those of the bare loop."""
    ours, theirs = [], []
    script = Script(tuple(calling(tool, range(steps))), "by_step")
    with speaking(script, nothing=True) as here, Wire(here.daemon) as wire:
        _turn(here, wire)  # imports, the first connection
        for _ in range(rounds):
            if tool == NOTHING:
                bare_loop.hold(here.url, "go on")
                theirs.append(gaps(here.record.new()))
            ours.append(_turn(here, wire))
    return ours, theirs


def _turn(here: Setting, wire: Wire) -> list[float]:
    session = wire.session(here.daemon.project)
    send(wire, session, "go on")
    return gaps(here.record.new())


def _ages(waits: list[float]) -> Round:
    """The last steps beside the first, the very first left out."""
    count = min(NEIGHBOURS, len(waits) // 3)
    return Round(median(waits[-count:]), median(waits[1 : 1 + count]))


async def _kernel(times: int) -> float:
    """Milliseconds of the same code in a plain kernel."""
    taken = []
    async with plain_kernel() as (kernel, _):
        for number in range(times):
            begun = perf_counter()
            await kernel.run(f"1 # {number}")
            taken.append((perf_counter() - begun) * 1000)
    return median(taken)
