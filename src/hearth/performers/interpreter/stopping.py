"""The ladder that is climbed to stop a cell: each rung is logged, tried, and given time."""

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

from hearth.core.vocabulary.phases import Rung
from hearth.core.vocabulary.reports import StopTried
from hearth.performers.interpreter.connection import Request
from hearth.performers.interpreter.running_cell import RunningCell

if TYPE_CHECKING:
    from hearth.performers.interpreter.worker import Worker


class Step(NamedTuple):
    """A rung, and how long its effect is waited for."""

    rung: Rung
    patience: float


OURS: Final = (
    Step(Rung.INTERRUPT, 1.5),
    Step(Rung.CANCEL_AGAIN, 0.8),
    Step(Rung.DOUBLE_TAP, 3.0),
    Step(Rung.ABANDON, 0.5),
)
FOREIGN: Final = (Step(Rung.INTERRUPT, 3.0), Step(Rung.CANCEL_AGAIN, 3.0))
"""What another kernel understands; the rest of the ladder is inside ours.

A kernel that drives a shell passes an interrupt on as a Ctrl-C at its terminal, and a shell that
is just starting a program loses some of those. A second one would hit the kernel while it waits
for the prompt, and it would never answer: so the second goes to what it runs there.
"""

ASKED: Final = 4.0
"""A rung that is climbed inside may take its time, and answers when it is done."""


async def climb(worker: "Worker", running: RunningCell) -> None:
    """Stop the cell, whatever it takes. Asked once more, the next rung is tried at once."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for step in OURS if worker.asking.is_ours else FOREIGN:
        if running.ended.is_set():
            return
        worker.tell(StopTried(worker.generation, running.cell, step.rung))
        trying = worker.spawn(_try(worker, running, step.rung))
        await _wait(running, step.patience)
        trying.cancel()
    # Only code that lets nobody else have a turn comes this far. It may yet end by itself.
    await _wait(running, worker.preferences.kill_after - (loop.time() - began))
    if not running.ended.is_set():
        worker.tell(StopTried(worker.generation, running.cell, Rung.KILL))
        worker.process.kill()


async def _try(worker: "Worker", running: RunningCell, rung: Rung) -> None:
    if rung is Rung.INTERRUPT:
        if worker.record.interrupt_by_message:
            worker.connection.send(Request("control", "interrupt_request", {}))
        else:
            worker.process.interrupt()
    if worker.asking.is_ours:
        # It may be at the next one by the time that it is told.
        said = {"rung": str(rung), "request": running.request}
        await worker.asking.ask("stop_rung", said, where="control", patience=ASKED)
    elif rung is not Rung.INTERRUPT:
        # Beside the loop: it may run very many.
        await asyncio.to_thread(worker.process.interrupt_below)


async def _wait(running: RunningCell, patience: float) -> None:
    """Until the cell has ended, somebody is in a hurry, or the time is over."""
    running.hurry.clear()
    waiting = [asyncio.ensure_future(one.wait()) for one in (running.ended, running.hurry)]
    try:
        await asyncio.wait(waiting, timeout=max(0.0, patience), return_when="FIRST_COMPLETED")
    finally:
        for one in waiting:
            one.cancel()
