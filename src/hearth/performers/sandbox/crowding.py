"""Ends programs that multiply, or take all the memory: for root, the system counts neither."""

import asyncio
import contextlib
import os
import signal
from typing import Final, NamedTuple

from hearth.performers.interpreter.inside import processes

LOOK_EVERY: Final = 0.2
USUAL_PROCESSES: Final = 500


class Bounds(NamedTuple):
    """How much a program may have, with all that descends from it. None: without a bound."""

    processes: int | None = USUAL_PROCESSES
    memory: int | None = None
    """Bytes."""


async def bounded(pid: int, bounds: Bounds, every: float = LOOK_EVERY) -> str:
    """Watch a program until it ends, or is too much: then it is killed, and this says why.

    Killed is the one process, which takes the others along: bubblewrap, or a guardian.
    """
    why = await too_much(pid, bounds, every)
    if why:
        with contextlib.suppress(ProcessLookupError):  # it ends in this very moment
            os.kill(pid, signal.SIGKILL)
    return why


async def too_much(pid: int, bounds: Bounds, every: float = LOOK_EVERY) -> str:
    """Watch a program until it ends, or is too much: this says in what, and kills nothing."""
    began = processes.start_time(pid)
    while began is not None:
        why = await asyncio.to_thread(_too_much, pid, bounds)
        if processes.start_time(pid) != began:
            return ""
        if why:
            return why
        await asyncio.sleep(every)
    return ""


def _too_much(pid: int, bounds: Bounds) -> str:
    most = bounds.processes
    found = processes.descendants(pid, most if most is not None else 1 << 22)
    if most is not None and len(found) > most:
        return f"it had started more than {most} processes at once, and was ended"
    # What several share counts for each at first: the exact figure is slower.
    if bounds.memory is not None and processes.resident(found) > bounds.memory:
        used = processes.proportional(found)
        if used > bounds.memory:
            return f"it used {used >> 20} MiB of {bounds.memory >> 20} MiB, and was ended"
    return ""
