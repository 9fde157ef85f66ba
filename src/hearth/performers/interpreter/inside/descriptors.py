"""The descriptors of a live kernel: which are its own, and letting go of those in a copy of it.

A copy shares what its descriptors refer to with the process that it was copied from. Nothing of
that may be used here, neither told anything nor taken out of a poll; it can only be let go.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Any, Final

import zmq

from . import leading

SOCKET: Final = "socket:"
PIPE: Final = "pipe:"
_SIGNALS: Final = frozenset({"anon_inode:[eventfd]", "anon_inode:[eventpoll]"})
_KEPT: Final[list[Any]] = []
_HERE: Final = "/proc/self/fd"


def listed() -> Iterator[tuple[int, str]]:
    """Every descriptor of this process, and what the system calls it."""
    for name in os.listdir(_HERE):  # noqa: PTH208 - before every cell
        with contextlib.suppress(OSError):  # the one that the names are read through, closed since
            yield int(name), os.readlink(f"{_HERE}/{name}")  # noqa: PTH115 - the same


def signals() -> frozenset[int]:
    """Those through which threads wake each other."""
    return frozenset(fd for fd, kind in listed() if kind in _SIGNALS)


def loops(app: Any) -> list[Any]:
    """The loops of asyncio that are the kernel's own."""
    threads = [app.control_thread, app.shell_channel_thread, app.iopub_thread]
    beside = getattr(app.shell_channel_thread, "_manager", None)
    if beside is not None:
        threads.extend(list(beside._cache.values()))  # noqa: SLF001 - nothing else knows them
    found = [thread.io_loop.asyncio_loop for thread in threads]
    if app.io_loop is not None:
        found.append(app.io_loop.asyncio_loop)
    return found


def wakers(app: Any) -> set[int]:
    """The sockets through which these loops are woken."""
    return {
        end.fileno()
        for loop in loops(app)
        for end in (loop._ssock, loop._csock)  # noqa: SLF001 - nothing else knows them
        if end is not None
    }


def address(fd: int) -> tuple[int, Any, Any]:
    """The family of a socket, where it is and whom it is connected to; None for neither."""
    one = socket.socket(fileno=fd)
    try:
        try:
            peer = one.getpeername()
        except OSError:
            peer = None
        return int(one.family), one.getsockname(), peer
    finally:
        one.detach()


def let_go(app: Any) -> None:
    """In a copy: close all that is the kernel's own, so that nobody waits for whom it was.

    Sockets are all closed: a kernel with others than its own is not copied.
    """
    for stream in app.streams:
        stream.let_go()
    app.journal.let_go()
    ours = set(app.signals)
    for over in (app.context, app.heartbeat.context):
        for one in list(over._sockets):  # noqa: SLF001 - nothing else knows them
            with contextlib.suppress(zmq.ZMQError):  # it has been closed
                ours.add(one.getsockopt(zmq.FD))
    for loop in loops(app):
        # A task that nobody holds any more would say so, and through what is not ours.
        _KEPT.append([loop, *asyncio.all_tasks(loop)])
        _silence(loop)
    for fd, kind in list(listed()):
        if kind.startswith(SOCKET) or (kind in _SIGNALS and fd in ours):
            with contextlib.suppress(OSError):
                os.close(fd)
    leading.hold_first()


def _silence(loop: Any) -> None:
    """Close what it waits with, so that no later owner of these numbers is closed by mistake."""
    loop.set_exception_handler(lambda *_: None)
    for end in (loop._ssock, loop._csock):  # noqa: SLF001 - to close it would unregister it
        if end is not None and end.fileno() >= 0:
            os.close(end.detach())
    waits = getattr(loop._selector, "_selector", None)  # noqa: SLF001 - the same
    if waits is not None:
        waits.close()
