"""What `multiprocessing` has beside a kernel, and a copy of it needs not have."""

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

_ENDS: Final = ("_inqueue", "_outqueue", "_change_notifier")
_THREADS: Final = ("_worker_handler", "_task_handler", "_result_handler")


class Tracker(NamedTuple):
    """The process that cleans up shared memory, and the pipe that it is told by."""

    pid: int
    fd: int


def tracker() -> Tracker | None:
    """The one of this process. A copy has another begin when it needs one."""
    known = _tracker()
    pid, fd = getattr(known, "_pid", None), getattr(known, "_fd", None)
    return Tracker(pid, fd) if isinstance(pid, int) and isinstance(fd, int) else None


def unused(values: Iterable[Any]) -> set[int]:
    """The pipes of those pools among these that have ended: nobody says anything there any more."""
    kind: Any = getattr(sys.modules.get("multiprocessing.pool"), "Pool", None)
    pools = [one for one in values if issubclass(type(one), kind)] if kind is not None else []
    return {fd for pool in pools if _has_ended(vars(pool)) for fd in _ends(vars(pool))}


def begin_anew() -> None:
    """In a copy: its original's processes are none of its own."""
    process: Any = sys.modules.get("multiprocessing.process")
    if process is not None:
        process._children.clear()  # noqa: SLF001 - as a process that it makes does
    if (one := tracker()) is not None:
        known = _tracker()
        # One that it waits for at its end would wait for us.
        with contextlib.suppress(OSError):
            os.close(one.fd)
        known._pid = known._fd = None  # noqa: SLF001 - as if none had begun


def _tracker() -> Any:
    return getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None)


def _has_ended(pool: dict[str, Any]) -> bool:
    threads = [pool.get(name) for name in _THREADS]
    return pool.get("_state") in {"CLOSE", "TERMINATE"} and not any(
        one is None or one.is_alive() for one in threads
    )


def _ends(pool: dict[str, Any]) -> Iterator[int]:
    for name in _ENDS:
        for end in ("_reader", "_writer"):
            with contextlib.suppress(AttributeError, OSError):  # it was closed
                yield getattr(pool.get(name), end).fileno()
