"""What it costs that a cell can be taken back, and how soon it is."""

import asyncio
from time import perf_counter
from typing import Final

from bench.branching import HELD, SIZE
from bench.living import Living, living, plain_kernel
from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
    percentile,
)

from hearth.app import run
from hearth.core.vocabulary.commands import ChooseUndo, ResetSession, StopSession, UndoCells
from hearth.core.vocabulary.events import CellsUndone
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.undoing import UndoFor

BACK: Final = "undo of a cell with 500 MB, until ready"
SMALL: Final = "… with next to nothing in memory"
RERUN: Final = "… with 500 MB, beside start and run again"
COPY: Final = "what a copy before it adds to a cell, p50"
LARGE_COPY: Final = "… with 500 MB in memory, p50"
AT_ONCE: Final = "… of cells that follow at once, p50"
OFF: Final = "a cell once no copy is kept any more, p50"
KEPT: Final = "… while those of earlier cells are kept, p50"

BACK_LIMIT: Final = 300.0
COPY_LIMIT: Final = 25.0
CELL: Final = "count += 1"
PAUSE: Final = 0.05
"""Between two cells; an agent, which needs an answer of a model for each, leaves seconds."""
WARM_UP: Final = 5


def measure(scale: Scale) -> list[Figure]:
    """Through the engine; ten copies are there, as there are after ten cells of anyone."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    sizes = (1000, scale.of(SIZE, SIZE // 10))
    async with living() as here:
        kept, off = await _off(here, scale)
        small, large = [await _added(here, scale, size, PAUSE) for size in sizes]
        at_once = await _added(here, scale, sizes[0] + 1, 0.0)
        quick, slow = [await _undone(here, scale, size) for size in sizes]
    again = [await _run_again(sizes[1]) for _ in slow]
    return [
        against_limit(BACK, "ms", slow, BACK_LIMIT),
        against_limit(SMALL, "ms", quick, BACK_LIMIT),
        Figure(RERUN, "ms", list(map(Round, slow, again)), "a new ipykernel"),
        against_limit(COPY, "ms", small, COPY_LIMIT),
        against_limit(LARGE_COPY, "ms", large, COPY_LIMIT),
        for_information(AT_ONCE, "ms", at_once),
        Figure(OFF, "ms", off, "never on", at_most(1.1)),
        Figure(KEPT, "ms", kept, "never on"),
    ]


async def _added(here: Living, scale: Scale, size: int, pause: float) -> list[float]:
    """Milliseconds more than in a session without copies; a cell of each in turn."""
    plain = await _holding(here, f"plain-{size}", size)
    copied = await _holding(here, f"copied-{size}", size)
    await here.done(copied, ChooseUndo(UndoFor.EVERYONE))
    rounds = await _beside(here, copied, plain, scale, pause)
    for session in (plain, copied):
        await here.done(session, StopSession())
    return [each.measured - each.peer for each in rounds]


async def _off(here: Living, scale: Scale) -> tuple[list[Round], list[Round]]:
    """Where copies are kept and no more are made, and where none is left; beside where none was."""
    never, once = await _holding(here, "never", 1000), await _holding(here, "once", 1000)
    await here.done(once, ChooseUndo(UndoFor.EVERYONE))
    for _ in range(WARM_UP):
        await here.ran(once, CELL)
    await here.done(once, ChooseUndo(UndoFor.NOBODY))
    kept = await _beside(here, once, never, scale)
    for session in (never, once):
        await here.done(session, ResetSession())
        await here.ran(session, HELD.format(size=1000))
    off = await _beside(here, once, never, scale)
    for session in (never, once):
        await here.done(session, StopSession())
    return kept, off


async def _beside(
    here: Living, one: SessionId, other: SessionId, scale: Scale, pause: float = 0.0
) -> list[Round]:
    """The middle of cells in one session against those in the other."""
    await _in_turn(here, one, other, WARM_UP * 2, pause)
    rounds = []
    for _ in range(scale.rounds):
        ours, theirs = await _in_turn(here, one, other, scale.of(25, 3), pause)
        rounds.append(Round(percentile(ours, 0.5), percentile(theirs, 0.5)))
    return rounds


async def _undone(here: Living, scale: Scale, size: int) -> list[float]:
    """Milliseconds until the log says that a cell is taken back, by which it can run another."""
    session = await _holding(here, f"undone-{size}", size)
    await here.done(session, ChooseUndo(UndoFor.EVERYONE))
    for _ in range(WARM_UP):
        await here.ran(session, CELL)
    taken = []
    for _ in range(scale.rounds):
        await here.ran(session, CELL)
        begun = perf_counter()
        undone = (await here.done(session, UndoCells())).outcome.event
        taken.append((perf_counter() - begun) * 1000)
        if not isinstance(undone, CellsUndone):
            raise TypeError(f"nothing was taken back: {undone}")
        if (looked := await here.ran(session, "count")).value != str(WARM_UP):
            raise TypeError(f"it was not taken back: {looked}")
    await here.done(session, StopSession())
    return taken


async def _run_again(size: int) -> float:
    """Milliseconds until a kernel that begins anew is where one was before its last cell."""
    async with plain_kernel() as (kernel, taken):
        begun = perf_counter()
        await kernel.run(HELD.format(size=size))
        for _ in range(WARM_UP):
            await kernel.run(CELL)
        return taken + (perf_counter() - begun) * 1000


async def _holding(here: Living, name: str, size: int) -> SessionId:
    session = await here.session(name)
    await here.ran(session, HELD.format(size=size))
    return session


async def _in_turn(
    here: Living, one: SessionId, other: SessionId, times: int, pause: float
) -> tuple[list[float], list[float]]:
    """Milliseconds of a cell in each."""
    first, second = [], []
    for _ in range(times):
        await asyncio.sleep(pause)
        begun = perf_counter()
        await here.ran(one, CELL)
        first.append((perf_counter() - begun) * 1000)
        await asyncio.sleep(pause)
        begun = perf_counter()
        await here.ran(other, CELL)
        second.append((perf_counter() - begun) * 1000)
    return first, second
