"""How soon a new session is ready: with a spare, from the template, and what it holds then."""

import os
from statistics import median
from time import perf_counter
from typing import Final

from bench.living import Living, living, plain_kernel
from bench.measuring import MIB, Figure, Round, Scale, at_most, for_information

from hearth.app import run
from hearth.core.vocabulary.commands import StopSession
from hearth.performers.interpreter.inside.processes import descendants, proportional
from hearth.performers.interpreter.preferences import Preferences

POOL: Final = "new session ready, from the pool"
FORKED: Final = "new session ready, forked without a spare"
HOLDS: Final = "memory of a session (PSS)"
IN_TURN: Final = 3
HELD: Final = 10


def measure(scale: Scale) -> list[Figure]:
    """Sessions against plain kernels that start from nothing, a few of each in turn."""
    rounds = run(_ready(scale, Preferences()))
    forked = run(_ready(scale, Preferences(spares=0)))
    held = run(_held(scale.of(HELD, 2)))
    return [
        Figure(POOL, "ms", rounds, "cold ipykernel", at_most(0.15)),
        Figure(FORKED, "ms", forked, "cold ipykernel"),
        for_information(HOLDS, "MiB", [held / MIB]),
    ]


async def _ready(scale: Scale, preferences: Preferences) -> list[Round]:
    """Milliseconds from asking to ready, beside those of a plain kernel to its first answer."""
    rounds = []
    async with living(preferences) as here:
        await here.spare()
        await here.session("first")  # what is imported here only once
        for number in range(scale.rounds):
            ours, cold = [], []
            for turn in range(scale.of(IN_TURN, 1)):
                ours.append(await _milliseconds(here, f"session-{number}-{turn}"))
                async with plain_kernel() as (_, taken):
                    cold.append(taken)
            rounds.append(Round(median(ours), median(cold)))
    return rounds


async def _milliseconds(here: Living, name: str) -> float:
    await here.spare()
    begun = perf_counter()
    session = await here.session(name)
    taken = (perf_counter() - begun) * 1000
    await here.done(session, StopSession())
    return taken


async def _held(number: int) -> float:
    """Bytes per session, guardian and interpreter together; what is shared is counted once."""
    async with living(Preferences(spares=0)) as here:
        await here.spare()
        await here.session("first")
        before = proportional(descendants(os.getpid()))
        for place in range(number):
            await here.session(f"session-{place}")
        return (proportional(descendants(os.getpid())) - before) / number
