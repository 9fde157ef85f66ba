"""Ends a test that does not end, and says where it stands.

pytest-timeout speaks first, and within the test. But from the first failure on, neither it nor
pytest itself watches what the test leaves behind; so here the process that runs the test ends, and
a whole run never waits.
"""

import asyncio
import faulthandler
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

LIMIT: Final = 200.0
"""Seconds for one test with everything that it sets up and leaves behind."""
GRACE: Final = 80.0
"""By so many seconds it comes later than the time limit within a test."""
GAVE_UP: Final = 70
DEEP: Final = 40


@contextmanager
def watching(name: str, out: TextIO, limit: float = LIMIT) -> Iterator[None]:
    """End this process when what runs inside takes longer than this, and say so there."""
    timer = threading.Timer(limit, _give_up, (name, limit, out))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(name: str, limit: float, out: TextIO) -> None:
    out.write(f"\n{name} did not end within {limit:g} s. It stands here:\n{_tasks()}")
    out.flush()
    faulthandler.dump_traceback(out, all_threads=True)
    os._exit(GAVE_UP)


def _tasks() -> str:
    """What waits in an event loop, as deep as it waits: no thread's stack shows it."""
    # The public name asks the loop of its own thread.
    every = list(asyncio.tasks._all_tasks)  # type: ignore[attr-defined]  # asyncio's own, unnamed
    waiting = [task for task in every if not task.done()]
    return "".join(f"task {task.get_name()}:\n{_stack(task.get_coro())}" for task in waiting)


def _stack(awaited: object) -> str:
    lines: list[str] = []
    while (frame := getattr(awaited, "cr_frame", None) or getattr(awaited, "ag_frame", None)) and (
        len(lines) < DEEP
    ):
        lines.append(f"  {frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}\n")
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "ag_await", None)
    return "".join(lines) + f"  {awaited!r}\n"


def main() -> None:
    """For the test of this module: never end."""
    with watching("a play", sys.stderr, 0.2):
        asyncio.run(_for_ever())


async def _for_ever() -> None:
    await asyncio.Event().wait()


if __name__ == "__main__":
    main()
