"""A daemon that has nothing to do: what it holds and what it computes."""

from time import sleep
from typing import Final

from bench.daemons import Wire, daemon
from bench.measuring import MIB, Figure, Scale, against_limit

HOLDS: Final = "an idle daemon holds"
COMPUTES: Final = "an idle daemon computes over a minute"
MOST: Final = 0.005
"""Of a core: what `top` shows as 0 %."""


def measure(scale: Scale) -> list[Figure]:
    """Once a session was there and has been used, so that everything is loaded."""
    with daemon() as here:
        with Wire(here) as wire:
            session = wire.session(here.project)
            wire.run(session, "1+1")
        sleep(scale.of(5, 1))  # what the last cell set off comes to its end
        seconds = scale.of(60, 2)
        before = here.computed()
        sleep(seconds)
        share = (here.computed() - before) / seconds
        held = here.memory()
    return [
        against_limit(HOLDS, "MiB", [held / MIB], 80.0),
        against_limit(COMPUTES, "cores", [share], MOST),
    ]
