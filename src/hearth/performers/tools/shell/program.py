"""One program under its guardian: started, read, ended, and nothing of it left behind."""

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.spawning import end, spawn
from hearth.performers.sandbox.crowding import Bounds, too_much
from hearth.performers.tools.shell import guardian

PATIENCE: Final = 2.0
"""Seconds that a program has to end after it was asked to."""
USUAL: Final = Bounds()
_BEYOND: Final = guardian.GIVE_UP + 2.0
_DRAINING: Final = 0.5
_PIPE: Final = 256 * 1024
_LONGEST_WORD: Final = 4096


class CouldNotStart(Exception):
    """The program never ran; the text says why."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What is run, and where."""

    argv: tuple[str, ...]
    directory: str
    environment: Mapping[str, str]
    is_sandboxed: bool = False
    """The first process is the sandbox, which takes all that is in it along when it ends."""
    bounds: Bounds = USUAL


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    code: int | None = None
    signal: int | None = None
    left: int = 0
    """So many processes it left running; they were ended."""
    problem: str = ""
    """Why it never ran, or why it is not known how it ended."""


class Program:
    """A program that runs. Use `begin`; `wait` must be waited for, for its descriptors' sake."""

    def __init__(
        self, process: asyncio.subprocess.Process, line: socket.socket, fd: int, launch: Launch
    ) -> None:
        self._process = process
        self._patience = PATIENCE
        self._is_sandboxed = launch.is_sandboxed
        self._bounds = launch.bounds
        self._crowd = ""
        self._line = line
        self._fd = fd
        self._word = b""

    @classmethod
    async def begin(cls, launch: Launch, patience: float = PATIENCE) -> "Program":
        """Start one. CouldNotStart: nothing was."""
        if any("\0" in word for word in (*launch.argv, launch.directory)):
            # One event loop says so by itself, the other would run all that stands before it.
            raise CouldNotStart("there is a NUL in it")
        ours, theirs = socket.socketpair()
        read_end, write_end = os.pipe()
        try:
            os.set_blocking(ours.fileno(), False)
            os.set_blocking(read_end, False)
            # A larger pipe only saves time; a user may have reached the limit of all of theirs.
            with contextlib.suppress(OSError):
                fcntl.fcntl(read_end, fcntl.F_SETPIPE_SZ, _PIPE)
            process = await spawn(
                *_guarded(launch, patience),
                stdin=theirs.fileno(),
                stdout=write_end,
                stderr=write_end,
                cwd="/",
                env=dict(launch.environment),
                start_new_session=True,
            )
        except (OSError, ValueError) as refused:
            ours.close()
            os.close(read_end)
            raise CouldNotStart(str(refused)) from None
        except BaseException:
            ours.close()
            os.close(read_end)
            raise
        finally:
            theirs.close()
            os.close(write_end)
        made = cls(process, ours, read_end, launch)
        made._patience = patience
        return made

    def stop(self) -> None:
        """Have it end: asked at first, killed after its patience. Does not wait."""
        # The guardian has ended, so there is nothing to stop.
        with contextlib.suppress(OSError):
            self._line.send(b"end")

    async def wait(self, take: Callable[[bytes], "asyncio.Future[None] | None"]) -> Ended:
        """Give away all that it writes until it ends, then say how it did.

        `take` may answer with something to wait for before it is given more. It is given nothing
        any more when whoever left the program's family keeps the pipe: that wait has an end.
        """
        reading = asyncio.create_task(self._read(take))
        watching = asyncio.create_task(self._watch())
        try:
            code = await self._process.wait()
            await asyncio.wait({reading}, timeout=_DRAINING)
            return self._ended(code)
        finally:
            reading.cancel()
            watching.cancel()
            await asyncio.gather(reading, watching, return_exceptions=True)
            self._line.close()
            os.close(self._fd)

    async def kill(self) -> None:
        """Make an end of it when it should have ended: something is wrong with its guardian."""
        try:
            async with asyncio.timeout(self._patience + _BEYOND):
                await self._process.wait()
        except TimeoutError:
            await end(self._process)

    async def _watch(self) -> None:
        """End it if it multiplies without end: for root, the system does not."""
        self._crowd = await too_much(self._process.pid, self._bounds)
        if self._crowd and self._is_sandboxed:
            # The sandbox goes with its parent, and all that is in it with the sandbox, at once.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        elif self._crowd:
            self.stop()

    async def _read(self, take: Callable[[bytes], "asyncio.Future[None] | None"]) -> None:
        while True:
            try:
                piece = os.read(self._fd, _PIPE)
            except BlockingIOError:
                await self._readable()
                continue
            if not piece:
                return
            waiting = take(piece)
            # Whoever writes without a pause must not keep the others waiting.
            await (asyncio.sleep(0) if waiting is None else waiting)

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        loop.add_reader(self._fd, _now, ready)
        try:
            await ready
        finally:
            loop.remove_reader(self._fd)

    def _ended(self, code: int) -> Ended:
        if self._crowd:
            return Ended(problem=self._crowd)
        with contextlib.suppress(OSError):  # then the word is all that came before
            while piece := self._line.recv(_LONGEST_WORD):
                self._word += piece
        for line in self._word.decode("utf-8", "replace").splitlines():
            match line.split(" ", 2):
                case ["failed", *_]:
                    return Ended(problem=line.partition(" ")[2])
                case ["exited", number, left]:
                    return Ended(code=int(number), left=int(left))
                case ["signalled", number, left]:
                    return Ended(signal=int(number), left=int(left))
                case _:
                    break
        return Ended(problem=f"its guardian ended without a word ({code})")


def _guarded(launch: Launch, patience: float) -> tuple[str, ...]:
    script = str(Path(guardian.__file__))
    spared = "1" if launch.is_sandboxed else "0"
    # Alone and without the site's packages: nothing of the project's may change what it does.
    python = (sys.executable, "-I", "-S", script)
    return (*python, str(patience), spared, "0", launch.directory, *launch.argv)


def _now(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
