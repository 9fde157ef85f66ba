"""Runs programs that look at files: in a folder that is open, within bounds, with no secrets."""

import asyncio
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import IO, Final, TypeVar

from hearth.performers.tools.files.allowed import below
from hearth.performers.tools.files.opening import open_folder
from hearth.performers.tools.files.talking import Listener, Talk

_T = TypeVar("_T")

_THREADS: Final = ThreadPoolExecutor(8, "file-programs")
"""Their own, so that searches which take their time keep nobody else waiting."""
_KNOWN: Final[dict[tuple[str, str, str], str]] = {}
"""Where programs were found, by what decides about it."""
_MOST_KNOWN: Final = 1000
_ENVIRONMENT: Final[Mapping[str, str]] = {
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
}
"""All that such a program is told: nobody's configuration, nobody's keys."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a program may take, and how much it may say."""

    seconds: float = 10.0
    most: int = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program said."""

    output: bytes
    code: int
    said: str = ""
    """To stderr."""
    is_cut: bool = False
    """It said more than is taken, and was ended."""
    is_late: bool = False
    """It took too long, and was ended."""


def program(name: str, root: str) -> str | None:
    """Where a program is that no project brings along; None if there is none."""
    search = os.environ.get("PATH", os.defpath)
    known = _KNOWN.get((name, root, search))
    if known is not None and os.access(known, os.X_OK):
        return known
    folders = [
        one
        for one in search.split(os.pathsep)
        if one.startswith("/") and not (root and below(one, root))
    ]
    found = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    if found is not None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[name, root, search] = found
    return found


@asynccontextmanager
async def held_folder(path: str) -> AsyncIterator[int]:
    """A folder that stays open meanwhile, whoever swaps it for something else. NotOpened."""
    opening = asyncio.ensure_future(asyncio.to_thread(open_folder, path))
    try:
        descriptor = await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close)
        raise
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _close(opening: "asyncio.Future[int]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        os.close(opening.result())


async def run(command: Sequence[str], folder: int, told: bytes | int | None, bounds: Bounds) -> Ran:
    """Run a program in an open folder; `told` is its input, or an open file. OSError, ValueError.

    It is gone when this returns or is cancelled.
    """
    return await attended(lambda going: going.run(command, folder, told, bounds))


async def attended(work: Callable[["Going"], _T]) -> _T:
    """Have this done by a thread; if nobody waits for it any more, the program it runs is ended."""
    going = Going()
    # In a thread: the event loop takes several times as long to start a program.
    ending = asyncio.get_running_loop().run_in_executor(_THREADS, work, going)
    try:
        return await asyncio.shield(ending)
    except asyncio.CancelledError:
        going.stop()
        await asyncio.wait({ending})  # soon: it was killed, or is never started
        if not ending.cancelled():
            ending.exception()  # nobody asks any more
        raise


class Going:
    """What a thread does for somebody who may not wait to its end: one program after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False
        """Nobody waits any more."""

    def stop(self) -> None:
        """End the program, or have it never started."""
        with self._lock:
            self.is_stopped = True
            if self._process is not None:
                _kill(self._process)

    def run(
        self,
        command: Sequence[str],
        folder: int,
        told: bytes | int | None,
        bounds: Bounds,
        listener: Listener | None = None,
    ) -> Ran:
        """Run a program from its start to its end. OSError, ValueError.

        What it says goes to the listener, if there is one.
        """
        limit = time.monotonic() + bounds.seconds
        with ExitStack() as held:
            input_: int | IO[bytes] = subprocess.DEVNULL
            if isinstance(told, int):
                input_ = told
            elif told is not None:
                input_ = held.enter_context(tempfile.TemporaryFile())
                input_.write(told)
                input_.seek(0)
            process = self._started(command, folder, input_)
            if process is None:
                return Ran(b"", -1, is_cut=True)
            talk = Talk(process, bounds.most, limit, listener)
            try:
                talk.listen()
                is_late = talk.is_late or not (talk.is_cut or _has_ended(process, limit))
            finally:
                with self._lock:
                    _kill(process)
                    code = process.wait()
                    self._process = None
                talk.finish()
                talk.close()
        return Ran(talk.output, code, talk.words, talk.is_cut, is_late)

    def _started(
        self, command: Sequence[str], folder: int, input_: int | IO[bytes]
    ) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            if self.is_stopped:
                return None
            self._process = subprocess.Popen(  # noqa: S603 - only programs that we name
                command,
                cwd=path_of(folder),
                env={**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)},
                stdin=input_,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,  # a session of its own would make it wait for its share of time
            )
            return self._process


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):  # it ends in this very moment
            os.killpg(process.pid, signal.SIGKILL)


def _has_ended(process: "subprocess.Popen[bytes]", limit: float) -> bool:
    left = max(0.0, limit - time.monotonic())
    try:
        ending = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not on this system: then it is asked again and again
        try:
            process.wait(left)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        poll = select.poll()
        poll.register(ending, select.POLLIN)
        return bool(poll.poll(left * 1000))
    finally:
        os.close(ending)


def path_of(folder: int) -> str:
    """What the program itself knows its folder by; it is the open one, whatever its path is now."""
    if sys.platform == "linux":
        return f"/proc/self/fd/{folder}"
    # Elsewhere a folder can only be entered by its name.
    import fcntl  # noqa: PLC0415 - not on every system

    return fcntl.fcntl(folder, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0").decode()
