"""What the daemon asks of a live kernel between its cells: copies of it, and branches.

The questions come to the control thread and are carried out in the main thread, between two
callbacks of its loop. A question that a cell got before is answered without it: whoever asks on
the control channel must be able to stop that cell.
"""

import asyncio
import concurrent.futures
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from . import branching, copying, obstacles

_LOOK: Final = 0.05
_PATIENCE: Final = 20.0
BUSY: Final = "the interpreter is busy"

Found = dict[str, Any]


async def copy(kernel: Any, args: Found) -> Found:
    """Make a frozen copy under a `name`."""
    made = await _in_main(kernel, lambda: copying.keep(kernel.parent, args.get("name")))
    return {"kept": bool(made.get("kept")), "obstacles": made["obstacles"]}


async def branch(kernel: Any, args: Found) -> Found:
    """Fork a live branch into a `folder`; `tried` says that a variant is to run in it."""
    folder = Path(str(args["folder"]))
    is_tried = bool(args.get("tried"))
    made = await _in_main(
        kernel, lambda: branching.branch(kernel.parent, folder, is_tried=is_tried)
    )
    return {"branched": False, "guardian": None, "kernel": None, **made}


async def obstacles_to_it(kernel: Any, args: Found) -> Found:  # noqa: ARG001 - the signature of every ask
    """What stands in the way of both."""
    return await _in_main(kernel, lambda: {"obstacles": obstacles.found(kernel.parent)})


class _Turn:
    """One question on its way to the main thread; either that takes it, or it is withdrawn."""

    def __init__(self, kernel: Any, act: Callable[[], Found]) -> None:
        self.done: concurrent.futures.Future[Found] = concurrent.futures.Future()
        self._kernel = kernel
        self._act = act
        self._lock = threading.Lock()
        self._is_settled = False

    def settle(self) -> bool:
        """Whether it was open until now."""
        with self._lock:
            was_open, self._is_settled = not self._is_settled, True
            return was_open

    def take(self) -> None:
        """In the main thread."""
        if not self.settle():
            return
        if is_busy(self._kernel):
            self.done.set_result({"obstacles": [obstacles.CELL]})
            return
        this = os.getpid()
        try:
            self.done.set_result(self._act())
        except Exception as broken:  # noqa: BLE001 - whoever asked is told; a copy leaves with more
            if os.getpid() != this:
                os._exit(1)  # it must not run on as a second kernel
            why = f"it could not be looked at: {type(broken).__name__}: {broken}"
            self.done.set_result({"obstacles": [why]})


def is_busy(kernel: Any) -> bool:
    """Whether a cell runs anywhere in it, or something is answered in the main thread."""
    return bool(kernel.running or kernel._main_asyncio_lock.locked())  # noqa: SLF001 - ipykernel's only sign


async def _in_main(kernel: Any, act: Callable[[], Found]) -> Found:
    turn = _Turn(kernel, act)
    if kernel.running:
        return {"obstacles": [obstacles.CELL]}
    kernel.io_loop.add_callback(turn.take)
    answer = asyncio.wrap_future(turn.done)
    give_up = time.monotonic() + _PATIENCE
    while True:
        await asyncio.wait({answer}, timeout=_LOOK)
        if answer.done():
            return answer.result()
        if (kernel.running or time.monotonic() > give_up) and turn.settle():
            return {"obstacles": [obstacles.CELL if kernel.running else BUSY]}


ASKS: Final = {"copy": copy, "branch": branch, "obstacles": obstacles_to_it}
