"""Takes a live interpreter back: a frozen copy takes its place, on the same sockets."""

import asyncio
import signal
from typing import TYPE_CHECKING, Final

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import cell_number
from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.looking import look_around
from hearth.performers.interpreter.worker_folder import GuardianRecord

if TYPE_CHECKING:
    from hearth.performers.interpreter.running_cell import RunningCell
    from hearth.performers.interpreter.worker import Worker

COPYING: Final = 20.0
"""So long an interpreter that nobody uses may take to copy itself."""
WAKING: Final = 30.0
_LOOK: Final = 0.003
ENDED: Final = "the interpreter ended meanwhile"
TOO_LONG: Final = f"the copy did not answer within {WAKING:g} s"


async def revert(worker: "Worker", effect: fx.RevertWorker) -> r.WorkerReverted | r.RevertFailed:
    """Let a copy take its place, and keep what it was until then. Not done twice."""
    copies = worker.copies
    if effect.keep_as and not _is_done(worker, effect.question):
        kept = await worker.asking.ask(
            "copy", {"name": effect.keep_as}, where="control", patience=COPYING
        )
        if kept is None and worker.process.is_over:
            return r.RevertFailed(effect.generation, effect.question, ENDED)
    problem = await wake(worker, effect.to, effect.question)
    if problem:
        return r.RevertFailed(effect.generation, effect.question, problem)
    # Asked before they are laid aside: a copy that is brought back is used up by it.
    await asyncio.to_thread(_arrange, worker, effect)
    worker.known.take_back(effect.to, effect.keep_as)
    worker.beside(look_around(worker))
    can_return = bool(effect.keep_as) and copies.has(effect.keep_as)
    return r.WorkerReverted(effect.generation, effect.question, copies.kept, can_return)


async def take_back(worker: "Worker", running: "RunningCell") -> bool:
    """Take back all that a cell did which failed; False if no copy was kept before it."""
    request = f"failed-{running.cell}"
    if not worker.copies.has(running.cell) and not _is_done(worker, request):
        return False
    if await wake(worker, running.cell, request):
        return False
    worker.known.take_back(running.cell, "")
    worker.beside(look_around(worker))
    return True


async def wake(worker: "Worker", copy: str, request: str) -> str:
    """Have a copy be the interpreter, and speak with it; what was the problem, if any."""
    worker.asking.begin_anew()
    worker.connection.disconnect()
    try:
        async with asyncio.timeout(WAKING):
            record = await _woken(worker, copy, request)
            problem = ENDED if record is None else record.wake_problem
    except TimeoutError:
        worker.copies.withdraw()
        problem = TOO_LONG
    except OSError as error:
        problem = f"it cannot be asked for: {error.strerror}"
    finally:
        worker.connection.open()
    if problem == ENDED:
        return ENDED
    # Also where it is the same as before: whoever asks it something else needs its answer.
    await worker.connection.sequence.catch_up()
    try:
        about = await worker.asking.greet(WAKING)
    except TimeoutError:
        return problem or TOO_LONG
    if about is None:
        return ENDED
    worker.asking.prepare_beside()
    record = worker.folder.guardian()
    if problem == TOO_LONG and record is not None and record.woken == request:
        # It had begun with it by then: much memory takes long to be let go.
        return record.wake_problem
    return problem


async def _woken(worker: "Worker", copy: str, request: str) -> GuardianRecord | None:
    """What the guardian says of a request, once it was carried out; None if it is gone."""
    asked = False
    while not worker.process.is_over:
        record = worker.folder.guardian()
        if record is not None and record.woken == request:
            return record
        if record is not None and not asked:
            # Only now: one that has not written anything does not listen yet either.
            worker.copies.ask_for(copy, request, worker.connection.sequence.last)
            signalling.send(record.guardian, signal.SIGUSR1)
            asked = True
        await asyncio.sleep(_LOOK)
    return None


def _is_done(worker: "Worker", request: str) -> bool:
    record = worker.folder.guardian()
    return record is not None and record.woken == request


def _arrange(worker: "Worker", effect: fx.RevertWorker) -> None:
    """Lay aside the copies that lie ahead now, or have them again."""
    worker.copies.unshelve(effect.to)
    if effect.keep_as and not cell_number(effect.keep_as):
        worker.copies.shelve(effect.to, effect.keep_as)
    worker.copies.bound()
