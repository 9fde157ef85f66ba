"""What SIGINT does: it ends the cell, and never anything else.

The base class lets it raise wherever the main thread happens to be, which may be in the middle of
sending the cell's reply, and only notes it while a cell awaits, without waking the loop.
"""

import asyncio
import os
import signal
from pathlib import Path
from types import FrameType
from typing import Any, Final

from . import journal, numbered
from .asks import ASKING
from .cells import RunningCell

SOON: Final = 0.01
_UNTOUCHABLE: Final = frozenset({journal.__file__, numbered.__file__})
_SENDING: Final = frozenset({"schedule", "_really_send", "send", "serialize"})
_SHOWING: Final = frozenset({"showtraceback", "_showtraceback", "showsyntaxerror"})
_OURS: Final = str(Path(__file__).parent)


def place(frame: FrameType | None, names: set[str]) -> str:
    """Where it is: in the cell's "code", "sending" for it, "showing" its error, or "outside".

    A question that is answered in the main thread counts as code: it may import a project.
    """
    sending = False
    while frame is not None:
        code = frame.f_code
        if code.co_filename in names or code is ASKING:
            return "sending" if sending else "code"
        if code.co_name in _SHOWING:
            return "showing"
        if code.co_filename in _UNTOUCHABLE or (
            code.co_name in _SENDING and code.co_filename.endswith(("iostream.py", "session.py"))
        ):
            sending = True
        frame = frame.f_back
    return "outside"


class Interrupts:
    """The process's reaction to SIGINT, in the main thread; the control thread tells it again."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.yields = False
        """The next signal only makes way for Python's own reaction, which is not Python code."""
        self._again_for: RunningCell | None = None
        """The cell that the next signal was put off for."""

    def install(self) -> None:
        """Be the reaction, whatever the code of earlier cells has put in its place."""
        self.yields = False
        # One that was put off and met another reaction than ours must not cost a later cell its own
        # interrupt.
        self._again_for = None
        signal.signal(signal.SIGINT, self._on_interrupt)
        # Without it a loop that waits would not notice a signal until something else wakes it.
        waker = getattr(asyncio.get_event_loop(), "_csock", None)
        if waker is not None:
            signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)

    @property
    def _is_installed(self) -> bool:
        """Whether code has put no other reaction in its place."""
        return signal.getsignal(signal.SIGINT) == self._on_interrupt

    def _on_interrupt(self, _: int, frame: FrameType | None) -> None:
        if self.yields:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return
        where = place(frame, self._kernel.shell.compile.names)
        cell: RunningCell | None = self._kernel.cell
        meant, self._again_for = self._again_for, None
        if meant is not None and meant is not cell:
            return  # it ended meanwhile, and the next one is not to pay for it
        if cell is not None:
            cell.heard = True
        if where == "code" and not self._is_beside(cell):
            if cell is not None:
                cell.interrupted = False
            raise KeyboardInterrupt
        if cell is None or where == "showing":
            return
        if where != "sending" and cell.task is not None:
            cell.cancelled, cell.interrupted = True, False
            cell.task.cancel()
            return
        if not cell.interrupted:
            # Its next statement does not begin. But this may be the last: in the middle of a
            # message, which ends in microseconds, or on the way into its code, past the last look.
            cell.interrupted = True
            # Not with a thread of its own: what the main thread is at may hold what begins one.
            self._beside.call_soon_threadsafe(self._look_soon, cell)

    @property
    def _beside(self) -> asyncio.AbstractEventLoop:
        found: asyncio.AbstractEventLoop = self._kernel.control_thread.io_loop.asyncio_loop
        return found

    def _look_soon(self, cell: RunningCell) -> None:
        self._beside.call_later(SOON, self._look_again, cell)

    def _look_again(self, cell: RunningCell) -> None:
        if cell.interrupted and self.again(cell):
            self._look_soon(cell)

    def again(self, cell: RunningCell) -> bool:
        """In the control thread: interrupt the cell once more, if it still runs and heeds us."""
        if self._kernel.cell is not cell or not self._is_installed:
            return False
        self._again_for = cell
        os.kill(os.getpid(), signal.SIGINT)
        return True

    @staticmethod
    def _is_beside(cell: RunningCell | None) -> bool:
        """Whether the code that runs is not the cell's own but, while that awaits, another task's.

        Once: if a cancel did not end the cell because such code never makes way, it is in the way.
        """
        return (
            cell is not None
            and cell.task is not None
            and not cell.cancelled
            and asyncio.current_task(cell.loop) is not cell.task
        )
