"""Rungs of the ladder that frees a session from a cell which ignores an interrupt.

They run in the control thread. None of them touches a kernel in which no cell runs.
"""

import asyncio
import ctypes
import os
import signal
import sys
import threading
import time
from typing import Any, Final

from .interrupting import place

_PATIENCE: Final = 2.0
_STEP: Final = 0.02
_TAPS: Final = 12
_MISSES: Final = 3
"""How often the cell's own code may not be found running before it counts as waiting."""


class CellAbandoned(Exception):
    """The cell's task was left behind: it ignored every request to end."""


async def ping(kernel: Any, args: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - the signature of every ask
    """Tell that the GIL can be had, and whether a cell runs."""
    return {"busy": kernel.cell is not None}


async def journal_position(kernel: Any, args: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - the signature of every ask
    """The number of the last message."""
    return {"number": kernel.session.journal.number}


async def stop_rung(kernel: Any, args: dict[str, Any]) -> dict[str, Any]:
    """Climb one rung for the cell of this `request`; `done` says whether that has ended."""
    cell = kernel.cell
    if cell is None or cell.request != args.get("request", cell.request):
        return {"done": False}
    rung = _RUNGS.get(str(args.get("rung")))
    if rung is None:
        raise ValueError(f"there is no rung {args.get('rung')!r}; there are {', '.join(_RUNGS)}")
    await rung(kernel, cell)
    return {"done": cell.over.is_set()}


async def _interrupt(kernel: Any, cell: Any) -> None:
    """See to it that the interrupt which was sent is noticed.

    One that comes when the main thread has just looked for such, and is about to wait outside of
    Python, is noticed once that wait is over: nothing but another can cut it short.
    """
    end = time.monotonic() + _PATIENCE / 4
    await _until_over(cell, _STEP / 2)
    while not cell.heard and time.monotonic() < end and kernel.interrupts.again(cell):
        await _until_over(cell, _STEP)


async def _cancel_again(_: Any, cell: Any) -> None:
    if cell.task is not None and cell.loop is not None:
        cell.loop.call_soon_threadsafe(cell.task.cancel)
        await _until_over(cell, _PATIENCE)


async def _double_tap(kernel: Any, cell: Any) -> None:
    """Raise twice within one slice of the GIL: what swallows the first meets the second."""
    names = kernel.shell.compile.names
    main = threading.main_thread().ident
    if not await _make_way(kernel, cell):
        return
    missed = 0
    for _ in range(_TAPS):
        if cell.over.is_set() or missed > _MISSES:
            return
        missed += 1
        if main is not None and place(sys._current_frames().get(main), names) == "code":  # noqa: SLF001 - the only way to see it
            missed = 0
            _raise_in(main, KeyboardInterrupt)
            os.kill(os.getpid(), signal.SIGINT)
            await _until_over(cell, 2 * _STEP)
            # Take back what was not delivered: it must not hit what comes after the cell.
            _raise_in(main, None)
        await _until_over(cell, 10 * _STEP)


async def _make_way(kernel: Any, cell: Any) -> bool:
    """Have Python's own reaction to SIGINT: in ours, the second exception would meet the first."""
    kernel.interrupts.yields = True
    os.kill(os.getpid(), signal.SIGINT)
    end = time.monotonic() + _PATIENCE / 2
    while signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        if cell.over.is_set() or time.monotonic() > end:
            # The main thread runs no Python code at all: nothing can be raised in it.
            kernel.interrupts.yields = False
            return False
        await asyncio.sleep(_STEP / 4)
    return True


async def _abandon(_: Any, cell: Any) -> None:
    if cell.given_up is not None and cell.loop is not None:
        cell.loop.call_soon_threadsafe(_resolve, cell.given_up)
        await _until_over(cell, _PATIENCE)


_RUNGS: Final = {
    "interrupt": _interrupt,
    "cancel_again": _cancel_again,
    "double_tap": _double_tap,
    "abandon": _abandon,
}


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def _raise_in(thread: int, exception: type[BaseException] | None) -> None:
    target = ctypes.py_object(exception) if exception is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), target)


async def _until_over(cell: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not cell.over.is_set() and time.monotonic() < end:  # noqa: ASYNC110 - it is set in another thread
        await asyncio.sleep(_STEP / 4)


ASKS: Final = {"ping": ping, "journal_position": journal_position, "stop_rung": stop_rung}
