"""Starts programs, and ends them, so that nobody who stops waiting leaves one behind."""

import asyncio
import contextlib
import os
import signal
from typing import Any, Final

DRAINING: Final = 5.0


async def spawn(*command: str, **how: Any) -> asyncio.subprocess.Process:
    """As `asyncio.create_subprocess_exec`. OSError, ValueError.

    That one, cancelled while the program begins, forgets it: it lives on, and its event loop waits
    for it for ever when it is closed.
    """
    beginning = asyncio.get_running_loop().create_task(
        asyncio.create_subprocess_exec(*command, **how)
    )
    try:
        return await asyncio.shield(beginning)
    except asyncio.CancelledError:
        await asyncio.shield(_end_beginning(beginning))
        raise


async def end(process: asyncio.subprocess.Process) -> None:
    """Make an end of a program, if it has none, of the group it leads, and of the pipes to it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):  # it ends in this very moment
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    # The loop lets go of a pipe when it has been read to its end, which somebody may keep away who
    # left the group and is nobody's to end.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAINING):
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(1024 * 1024):
                    pass
    await process.wait()


async def _end_beginning(beginning: "asyncio.Task[asyncio.subprocess.Process]") -> None:
    (process,) = await asyncio.gather(beginning, return_exceptions=True)
    if not isinstance(process, BaseException):  # otherwise it never began
        await end(process)
