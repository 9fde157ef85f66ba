"""What stands in the way of copying a live kernel, each in one sentence that names it.

A copy has the memory of its original and one thread. What else runs, or is connected to somebody,
cannot be had twice. Asked before every cell that could be undone: it takes about a millisecond.
"""

import asyncio
import contextlib
import fcntl
import functools
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any, Final

from . import descriptors, files, idle, pooling, preparing, processes

CONTAINED: Final = "the interpreter is contained in a sandbox"
CELL: Final = "a cell is running"
_GPUS: Final = ("/dev/nvidia", "/dev/dri/", "/dev/kfd", "/dev/accel")
_SHARED: Final = "-shm"
"""What SQLite adds to the name of a database for the file that its connections share."""
_OF_ZMQ: Final = "ZMQbg/"
_POOLS: Final = ("libgomp", "libiomp5", "libomp", "libtbb", "libmkl")
"""Libraries whose threads do not come to life again in a copy."""
_TIMERS: Final = {
    signal.ITIMER_REAL: signal.SIGALRM,
    signal.ITIMER_VIRTUAL: signal.SIGVTALRM,
    signal.ITIMER_PROF: signal.SIGPROF,
}
_MAPS: Final = "/proc/self/maps"
_BLAS: Final = "openblas"
"""The one whose threads do: it begins them anew by itself."""
_MOMENTS: Final = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.037)
"""Seconds after each of which it is looked again. Counted: code may have stopped the clock."""


def found(app: Any) -> list[str]:
    """All of them, in the main thread; none if the kernel can be copied.

    A thread that begins or ends, also one of ours, is for a moment nobody's. So what was not in the
    way when it was last asked is looked at again, until it is gone or was there for too long.
    """
    if app.contained:
        return [CONTAINED]
    idle.end_scripts(app.kernel.shell)
    told = _seen(app)
    for moment in _MOMENTS:
        if app.lasting.issuperset(told):
            break
        time.sleep(moment)  # all other threads have their turn
        told = _seen(app)
    app.lasting = frozenset(told)
    return told


def _seen(app: Any) -> list[str]:
    return [*_threads(), *_tasks(), *_due(), *_descriptors(app), *_children(), *_natives(app)]


def _threads() -> Iterator[str]:
    waiting = idle.workers()
    for thread in preparing._threads():  # noqa: SLF001 - one knowledge of what is the user's
        if thread in waiting:
            continue
        target = getattr(thread, "_target", None)
        what = getattr(target, "__name__", None) or type(thread).__name__
        yield f"a thread runs: {what!r} ({thread.name})"
    for frame in _nameless():
        outermost = frame
        while outermost.f_back is not None:
            outermost = outermost.f_back
        yield f"a thread runs: {outermost.f_code.co_name!r} (without a name)"


def _nameless() -> list[FrameType]:
    """What those threads run that Python runs, and has no object for."""
    known = {thread.ident for thread in threading.enumerate()}
    frames = sys._current_frames()  # noqa: SLF001 - the only way to see them
    return [frame for ident, frame in frames.items() if ident not in known]


def _tasks() -> Iterator[str]:
    with contextlib.suppress(RuntimeError):  # no loop runs: no task does
        for task in asyncio.all_tasks(asyncio.get_running_loop()):
            if getattr(task.get_coro(), "__name__", "") == "run_cell_async":
                yield "an asyncio task runs: a cell that was left behind"
    for task in preparing._tasks():  # noqa: SLF001 - one knowledge of what is the user's
        coroutine: Any = task.get_coro()
        yield f"an asyncio task runs: {getattr(coroutine, '__qualname__', coroutine)}()"


def _due() -> Iterator[str]:
    """What code has asked for to be done later, also in between two cells; no copy would do it."""
    with contextlib.suppress(RuntimeError):  # no loop runs: none does it
        loop: Any = asyncio.get_running_loop()
        watched = (one for key in loop._selector.get_map().values() for one in key.data)  # noqa: SLF001 - nothing else knows them
        for handle in (*loop._scheduled, *watched):  # noqa: SLF001 - the same
            if handle is not None and not handle.cancelled():
                called = _called(handle)
                if not _is_inner(called):
                    name = getattr(called, "__qualname__", type(called).__name__)
                    yield f"a callback is due: {name}()"
    for kind, told in _TIMERS.items():
        if any(signal.getitimer(kind)):
            yield f"a timer runs: {told.name} is due"


def _called(handle: Any) -> Any:
    """What is called in the end: tornado has its own call it."""
    called, given = handle._callback, handle._args  # noqa: SLF001 - nothing else knows them
    if given and callable(given[0]) and _is_inner(called):
        called = given[0]
    while isinstance(called, functools.partial):
        called = called.func
    return called


def _is_inner(called: Any) -> bool:
    module = str(getattr(called, "__module__", None) or "").partition(".")[0]
    return module == "asyncio" or module in preparing._OUR_MODULES  # noqa: SLF001 - one knowledge of what is the user's


def _descriptors(app: Any) -> Iterator[str]:
    own: set[int] | None = None
    locked: list[str] = []
    written: list[int] = []
    for fd, kind in list(descriptors.listed()):
        if kind.startswith(descriptors.SOCKET):
            if own is None:
                own = descriptors.wakers(app)
            if fd not in own:
                yield from _socket(app, fd)
        elif kind.startswith(_GPUS):
            yield f"a GPU is in use: {kind}"
        elif kind.startswith(descriptors.PIPE) and fd > 2:
            written += [fd] if _is_written(app, fd) else []
        elif files.is_users(app, fd, kind) and files.is_locked(fd):
            locked.append(kind)
    yield from _pipes(app, written)
    yield from _locks(locked)


def _socket(app: Any, fd: int) -> Iterator[str]:
    try:
        family, here, there = descriptors.address(fd)
    except OSError:
        return  # it was closed meanwhile
    if family == socket.AF_UNIX:
        if not any(
            isinstance(end, str) and end.startswith(f"{app.folder}/") for end in (here, there)
        ):
            name = there or here
            shown = (
                name if isinstance(name, str) else f"@{bytes(name[1:]).decode(errors='replace')}"
            )
            yield f"a socket is open: {shown if name else f'a pair (descriptor {fd})'}"
    elif family not in {socket.AF_INET, socket.AF_INET6}:
        yield f"a socket is open: of family {family} (descriptor {fd})"
    elif here[:2] != ("127.0.0.1", getattr(app.iopub_thread, "_pipe_port", 0)):
        end = there or here
        yield f"a socket is open: {end[0]}:{end[1]}"


def _locks(locked: list[str]) -> Iterator[str]:
    """SQLite would go on in a copy as if it had them, and what others do then breaks it."""
    shared = {path for path in locked if f"{path}{_SHARED}" in locked}
    for path in locked:
        if path in shared:
            yield f"SQLite has a database open in WAL mode, locked until it is closed: {path}"
        elif path.removesuffix(_SHARED) not in shared:
            yield f"a file is locked: {path}"


def _is_written(app: Any, fd: int) -> bool:
    """An end that is written to: who reads the other would wait for a copy to close it."""
    if any(fd in stream.ends for stream in app.streams):
        return False
    with contextlib.suppress(OSError):  # it was closed meanwhile
        written = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
        return written and _has_reader(fd)
    return False


def _pipes(app: Any, written: list[int]) -> Iterator[str]:
    if not written:
        return
    one = pooling.tracker()
    unused = {one.fd} if one is not None else set()
    unused |= pooling.unused(list(app.shell.user_ns.values()))
    for fd in written:
        if fd not in unused:
            yield f"a pipe is open for writing: descriptor {fd}{_of_queues(fd)}"


def _of_queues(fd: int) -> str:
    """A pipe that this process has both ends of, and perhaps nobody remembers."""
    if "multiprocessing.connection" not in sys.modules:
        return ""
    kinds = dict(descriptors.listed())
    here = sum(kind == kinds.get(fd) for kind in kinds.values()) > 1
    return " (both ends are here: delete the pool or queue that has them)" if here else ""


def _has_reader(fd: int) -> bool:
    """A process that has ended leaves an end behind which nobody is."""
    asked = select.poll()
    asked.register(fd, 0)
    return not any(event & select.POLLERR for _, event in asked.poll(0))


def _children() -> Iterator[str]:
    known = pooling.tracker()
    for child in processes.children(os.getpid()):
        if known is not None and child == known.pid:
            continue
        if processes.parent(child) is not None:  # it has not ended
            yield f"a child process runs: {processes.name(child)} (pid {child})"


def _natives(app: Any) -> Iterator[str]:
    """Threads that Python knows nothing of."""
    known = {str(thread.native_id) for thread in threading.enumerate()} | {str(os.getpid())}
    of_zmq, others = 0, 0
    for task in os.listdir("/proc/self/task"):  # noqa: PTH208 - before every cell
        if task in known:
            continue
        name = processes.name(int(task)) if task else ""
        if name.startswith(_OF_ZMQ):
            of_zmq += 1
        elif name:
            others += 1
    ours = sum(2 for one in (app.context, app.heartbeat.context) if not one.closed)
    if of_zmq > ours:
        yield f"native threads run that cannot be copied: {of_zmq - ours} of zmq"
    others -= len(_nameless()) if others else 0  # they are named already
    if others > 0:
        yield from _pools(others)


def _pools(count: int) -> Iterator[str]:
    with open(_MAPS, encoding="utf-8", errors="replace") as maps:  # noqa: PTH123 - before cells
        files = {line.rpartition("/")[2].strip() for line in maps if ".so" in line}
    asked = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    most = int(asked) if asked.isdecimal() else os.cpu_count() or 1
    left = count - (most - 1) * sum(_BLAS in file for file in files)
    if left > 0:
        pools = [pool for pool in _POOLS if any(file.startswith(pool) for file in files)]
        whose = f"of {' and '.join(pools)}" if pools else "that Python did not start"
        yield f"native threads run that cannot be copied: {left} {whose}"
