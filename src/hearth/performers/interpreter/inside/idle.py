"""Threads that wait beside a kernel for nothing: a copy has others begin when it needs them."""

import asyncio
import sys
import threading
from typing import Any, Final

_PROXY: Final = "_AsyncIOProxy"
"""What IPython calls that by which code reads from a script in the background."""


def end_scripts(shell: Any) -> None:
    """End the thread in which IPython runs scripts (`%%bash`), which stays after the first one.

    In the main thread, while no cell runs. What runs in the background still needs it, and so does
    what code has of it.
    """
    magics = shell.magics_manager.registry.get("ScriptMagics")
    stop = getattr(magics, "stop_event_loop", None)  # of older ones nobody can end it
    if stop is None or magics.event_loop is None or magics.bg_processes:
        return
    if not any(type(one).__name__ == _PROXY for one in list(shell.user_ns.values())):
        stop()


def workers() -> frozenset[threading.Thread]:
    """Those of the loop that runs (`asyncio.to_thread`), if all of them wait for work.

    The loop of a copy is another one, which begins its own. What is the code's own pool stays
    its own: it would wait in a copy for threads that are not there.
    """
    pools: Any = sys.modules.get("concurrent.futures.thread")
    try:
        pool: Any = getattr(asyncio.get_running_loop(), "_default_executor", None)
    except RuntimeError:
        return frozenset()  # no loop runs: it has none
    if pools is None or type(pool) is not pools.ThreadPoolExecutor:
        return frozenset()
    known = vars(pool)  # nothing else tells
    threads: frozenset[threading.Thread] = frozenset(known["_threads"])
    is_its_own = known["_thread_name_prefix"] == "asyncio"
    waiting = known["_idle_semaphore"]._value  # noqa: SLF001 - the same
    is_idle = known["_work_queue"].empty() and waiting >= len(threads)
    return threads if is_its_own and is_idle else frozenset()
