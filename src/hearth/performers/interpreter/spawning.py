"""Starts programs so that whoever stops waiting meanwhile leaves none behind."""

import asyncio
import contextlib
import os
import signal
from typing import Any


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
        await asyncio.shield(_end(beginning, is_leader=bool(how.get("start_new_session"))))
        raise


async def _end(beginning: "asyncio.Task[asyncio.subprocess.Process]", *, is_leader: bool) -> None:
    (process,) = await asyncio.gather(beginning, return_exceptions=True)
    if isinstance(process, BaseException):
        return  # it never began
    with contextlib.suppress(ProcessLookupError):  # it ended at once
        if is_leader:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    await process.wait()
