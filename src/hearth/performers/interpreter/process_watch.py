"""Notices the end of an interpreter's guardian, says how the interpreter ended, and ends it."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Final, NamedTuple

from hearth.core.vocabulary.reports import Exit
from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.inside import processes
from hearth.performers.interpreter.worker_folder import (
    ExitRecord,
    GuardianRecord,
    ProcessId,
    WorkerFolder,
)

ENDING: Final = 15.0
"""A guardian kills what is left of an interpreter within this time, or never."""


class Ending(NamedTuple):
    """How it ended, in words for a person."""

    exit: Exit
    message: str
    traceback: str = ""


class ProcessWatch:
    """Watches one guardian, whose end is the end of its interpreter and all it started."""

    def __init__(self, folder: WorkerFolder, ended: Callable[[], None]) -> None:
        self._folder = folder
        self._ended = ended
        self._guardian: ProcessId | None = None
        self._fd = -1
        self._over = asyncio.Event()
        self._killing = False

    def begin(self, guardian: ProcessId) -> bool:
        """Watch this guardian; False if it is gone already."""
        fd = signalling.open_process(guardian)
        if fd is None:
            self._over.set()
            return False
        self._guardian, self._fd = guardian, fd
        asyncio.get_running_loop().add_reader(fd, self._on_end)
        return True

    @property
    def is_over(self) -> bool:
        """Whether the guardian is gone."""
        return self._over.is_set()

    async def over(self) -> None:
        """Wait until the guardian is gone."""
        await self._over.wait()

    async def gone(self, patience: float) -> bool:
        """Wait until the guardian is gone; False if it is not by then."""
        try:
            async with asyncio.timeout(patience):
                await self._over.wait()
        except TimeoutError:
            return False
        return True

    def interrupt(self) -> bool:
        """Send the interpreter a SIGINT."""
        record = self._folder.guardian()
        return record is not None and signalling.send(record.kernel, signal.SIGINT)

    def interrupt_below(self) -> bool:
        """Send a SIGINT to what the interpreter runs at a terminal, not to itself."""
        record = self._folder.guardian()
        if record is None:
            return False
        below = processes.foreground(processes.descendants(record.kernel.pid))
        known = [ProcessId(pid, processes.start_time(pid)) for pid in below]
        return sum(signalling.send(one, signal.SIGINT) for one in known) > 0

    def kill(self) -> None:
        """Have the interpreter killed because nothing else stops it."""
        self._killing = True
        self._send(signal.SIGTERM)

    async def end(self) -> None:
        """End the interpreter and all it started."""
        if self._guardian is None or self._over.is_set():
            return
        self._send(signal.SIGTERM)
        if not await self.gone(ENDING):
            record = self._folder.guardian()
            if record is not None:
                signalling.send(record.kernel, signal.SIGKILL)
            self._send(signal.SIGKILL)
            await self.gone(1.0)

    def exit(self) -> Ending:
        """How the interpreter ended."""
        record = self._folder.guardian()
        if self._killing:
            return Ending(Exit.KILLED, "nothing else stopped its cell, so it was killed")
        if record is None or record.exit is None:
            return Ending(Exit.CRASH, "the process that guarded it was killed")
        return _ending(record, self._folder.last_words())

    def close(self) -> None:
        """Watch no more."""
        if self._fd >= 0:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _send(self, number: signal.Signals) -> None:
        if self._guardian is not None:
            signalling.send(self._guardian, number)

    def _on_end(self) -> None:
        self.close()
        self._over.set()
        self._ended()


def _ending(record: GuardianRecord, last_words: str) -> Ending:
    end = record.exit or ExitRecord()
    match end.reason:
        case "memory" | "processes":
            limit = "memory" if end.reason == "memory" else "processes"
            return Ending(Exit.CRASH, f"it was ended at its limit of {limit}: {end.message}")
        case "orphaned":
            return Ending(Exit.VANISHED, end.message)
        case "asked":
            return Ending(Exit.VANISHED, "it was ended by somebody else")
        case _:
            pass
    if end.signal is not None:
        return Ending(Exit.CRASH, f"it was ended by {_signal(end.signal)}", last_words)
    if end.code == 0:
        return Ending(Exit.CLEAN, "it ended itself")
    message = f"it ended with exit code {end.code}" + (end.message and f": {end.message}")
    return Ending(Exit.CRASH, message, last_words)


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"signal {number} ({name})"
