"""What it takes to go on in two places at once, with 500 MB in memory, and what that leaves."""

import asyncio
import os
import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import Final

from bench.leaving import Left, left
from bench.living import Living, living
from bench.measuring import MIB, Figure, Round, Scale, against_limit, at_most, for_information

from hearth.app import run
from hearth.core.vocabulary.commands import (
    ForkSession,
    KeepVariant,
    StopSession,
    TryVariants,
)
from hearth.core.vocabulary.events import SessionForked, TrialEnded
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.inside.processes import descendants, proportional
from hearth.performers.interpreter.preferences import Preferences

ANSWERED: Final = "a branch with 500 MB, until it answers"
MADE: Final = "… of which until it is ready"
FORKED: Final = "… beside os.fork of as much"
GROWTH: Final = "memory that it takes until written to (PSS)"
WRITTEN: Final = "… and after it wrote to all of it"
TRIED: Final = "ten variants that wait 0.3 s, tried at once"
PROCESSES: Final = "processes after 200 branches came and went"
FILES: Final = "files and descriptors after those"
MEMORY: Final = "memory after those"

ANSWER_LIMIT: Final = 200.0
GROWTH_LIMIT: Final = 25.0
SIZE: Final = 500_000_000
HELD: Final = "held = bytearray(b'\\x01') * {size}\ncount = 0"
"""Not zeros: those would be pages that nobody has."""
LOOK: Final = "held[-1] + count"
WRITE: Final = "for at in range(0, len(held), 4096): held[at] = 2"
VARIANTS: Final = tuple(
    f"import time\ntime.sleep(0.3)\ncount = {number}" for number in range(1, 11)
)
"""They wait: ten that compute would measure how many processors there are."""
WARM_UP: Final = 10
SETTLING: Final = 0.5

RAW: Final = """
import os, sys, time
held = bytearray(b"\\x01") * int(sys.argv[1])
for _ in sys.stdin:
    begun = time.perf_counter()
    told, tell = os.pipe()
    if os.fork() == 0:
        os.write(tell, str(held[-1]).encode())
        os._exit(0)
    os.read(told, 8)
    print((time.perf_counter() - begun) * 1000, flush=True)
    os.close(told), os.close(tell), os.wait()
"""


def measure(scale: Scale) -> list[Figure]:
    """Through the engine, as a person forks: everything is in the log before it counts."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    async with living(Preferences(spares=0)) as here:
        figures = [*await _branches(here, scale), await _tried(here, scale)]
    async with living() as here:
        return [*figures, *await _come_and_go(here, scale)]


# -- a branch -------------------------------------------------------------------------------------


async def _branches(here: Living, scale: Scale) -> list[Figure]:
    """Each is made of the same session, and ends before the next is made."""
    size = scale.of(SIZE, SIZE // 10)
    answered, made, raw, growth, written = [], [], [], [], []
    source = await here.session("large")
    await here.ran(source, HELD.format(size=size))
    with subprocess.Popen(  # noqa: S603, ASYNC220 - our own interpreter and words, not timed
        [sys.executable, "-c", RAW, str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as peer:
        await _ended(here, (await _branch(here, source, "large-first"))[0])
        for number in range(scale.rounds):
            raw.append(await asyncio.to_thread(_raw_fork, peer))
            await asyncio.sleep(SETTLING)
            before = proportional(_interpreters(peer.pid))
            to, ready, taken = await _branch(here, source, f"large-{number}")
            made.append(ready)
            answered.append(taken)
            await asyncio.sleep(SETTLING)
            growth.append((proportional(_interpreters(peer.pid)) - before) / MIB)
            await here.ran(to, WRITE)
            written.append((proportional(_interpreters(peer.pid)) - before) / MIB)
            await _ended(here, to)
        peer.communicate()
    await here.done(source, StopSession())
    return [
        against_limit(ANSWERED, "ms", answered, ANSWER_LIMIT),
        for_information(MADE, "ms", made),
        Figure(FORKED, "ms", list(map(Round, answered, raw)), "os.fork"),
        against_limit(GROWTH, "MiB", growth, GROWTH_LIMIT),
        for_information(WRITTEN, "MiB", written),
    ]


def _raw_fork(peer: subprocess.Popen[str]) -> float:
    """Milliseconds until a bare child with as much memory has said something."""
    if peer.stdin is None or peer.stdout is None:
        raise TypeError("the process that forks has no lines to speak on")
    peer.stdin.write("fork\n")
    peer.stdin.flush()
    return float(peer.stdout.readline())


def _interpreters(peer: int) -> list[int]:
    return [one for one in descendants(os.getpid()) if one != peer]


async def _branch(here: Living, source: SessionId, name: str) -> tuple[SessionId, float, float]:
    """A branch, with milliseconds until it was ready and until its first cell was settled."""
    to = SessionId(name)
    begun = perf_counter()
    forked = (await here.done(source, ForkSession(to))).outcome.event
    ready = perf_counter()
    if not isinstance(forked, SessionForked):
        raise TypeError(f"{source} was not forked: {forked}")
    ended = await here.ran(to, LOOK)
    taken = perf_counter() - begun
    if ended.value != "1":
        raise TypeError(f"the branch does not hold what its original does: {ended}")
    return to, (ready - begun) * 1000, taken * 1000


async def _ended(here: Living, session: SessionId) -> None:
    await here.done(session, StopSession())


# -- variants -------------------------------------------------------------------------------------


async def _tried(here: Living, scale: Scale) -> Figure:
    """Against twice the slowest of them alone and ten branches, all in the same round."""
    rounds = []
    source = await here.session("tried")
    await here.ran(source, HELD.format(size=1000))
    for number in range(scale.of(3, 1)):
        alone = [await _alone(here, source, code) for code in VARIANTS[:: scale.of(3, 9)]]
        branches = []
        for turn in range(3):
            to, ready, _ = await _branch(here, source, f"tried-{number}-{turn}")
            branches.append(ready)
            await _ended(here, to)
        begun = perf_counter()
        trial = (await here.done(source, TryVariants(VARIANTS))).outcome.event
        taken = (perf_counter() - begun) * 1000
        if not isinstance(trial, TrialEnded) or not all(one.is_ok for one in trial.results):
            raise TypeError(f"the variants were not tried: {trial}")
        await here.done(source, KeepVariant(0))
        rounds.append(Round(taken, 2 * max(alone) + len(VARIANTS) * median(branches)))
    await here.done(source, StopSession())
    return Figure(TRIED, "ms", rounds, "twice one, 10 branches", at_most(1.0))


async def _alone(here: Living, session: SessionId, code: str) -> float:
    begun = perf_counter()
    await here.ran(session, code)
    taken = (perf_counter() - begun) * 1000
    await here.ran(session, "count = 0")
    return taken


# -- what is left ---------------------------------------------------------------------------------


async def _come_and_go(here: Living, scale: Scale) -> list[Figure]:
    """After some that load what is loaded once."""
    source = await here.session("source")
    await here.ran(source, HELD.format(size=20_000_000))
    await _one_by_one(here, source, "first", scale.of(WARM_UP, 2))
    before = await left(here)
    await _one_by_one(here, source, "branch", scale.of(200, 3))
    after = await left(here, before.processes)
    return [
        _as_before(PROCESSES, "processes", before, after, "processes"),
        _as_before(FILES, "files", before, after, "files"),
        Figure(
            MEMORY, "MiB", [Round(after.memory / MIB, before.memory / MIB)], "before", at_most(1.1)
        ),
    ]


def _as_before(name: str, unit: str, before: Left, after: Left, field: str) -> Figure:
    there = Round(getattr(after, field), getattr(before, field))
    return Figure(name, unit, [there], "before", at_most(1.0))


async def _one_by_one(here: Living, source: SessionId, word: str, number: int) -> None:
    for place in range(number):
        to, _, _ = await _branch(here, source, f"{word}-{place}")
        await _ended(here, to)
