"""Makes a kernel of a process that was copied from one: the same objects, with new wires.

Whatever a user may hold stays what it is: the shell, its streams, the kernel itself. Threads,
sockets and loops are new. The old ones belong to another process: they are kept for ever, so that
none of them is closed from here.
"""

import asyncio
import atexit
import contextlib
import importlib
import json
import os
import random
import signal
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from IPython.core.profiledir import ProfileDir
from tornado.ioloop import IOLoop
from zmq.eventloop.zmqstream import ZMQStream

from . import descriptors, tools
from .busy import BusyMark
from .finalizers import Inherited
from .forking import Reborn
from .journal import Writer
from .sources import SOURCES
from .streams import Accounts, CellStream
from .unsent import Unsent

_GRAVES: Final[list[Any]] = []
_PORTS: Final = ("shell", "iopub", "stdin", "control", "hb")


def rebuild(app: Any, reborn: Reborn) -> None:
    """Be the kernel of the folder that is named, and ready to run its loop."""
    numbers = random.getstate()
    inherited = Inherited(app, is_tried=reborn.is_tried) if reborn.moved else None
    _bury(app)
    if reborn.moved:
        _move(app, reborn.folder)
    app.journal = Writer(app.folder / "journal", after=reborn.after)
    app.session.journal = app.journal
    app.session.pid = os.getpid()
    with _loops_as_before():
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        app.context = None
        app.init_sockets()
        app.init_heartbeat()
        app.accounts = CellStream.accounts = Accounts()
        for stream in app.streams:
            stream.begin_anew(app.iopub_thread, _unsent(app, stream, moved=reborn.moved))
        _connect(app)
    asyncio.set_event_loop(loop)
    if inherited is not None:
        inherited.begin()
    random.setstate(numbers)  # a port was drawn with them


@contextlib.contextmanager
def _loops_as_before() -> Iterator[None]:
    """Make loops of the kind that a kernel begins with, whatever code has wished for since.

    `uvloop.install()` is for loops to come: an interpreter that was taken back runs on what it ran.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of this, newer ones say that it will be gone
        wished = asyncio.get_event_loop_policy()
        is_usual = type(wished) is asyncio.DefaultEventLoopPolicy
    if is_usual:
        yield
        return
    _wish(None)
    try:
        yield
    finally:
        _wish(wished)


def _wish(policy: asyncio.AbstractEventLoopPolicy | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asyncio.set_event_loop_policy(policy)


def _bury(app: Any) -> None:
    kernel = app.kernel
    _GRAVES.append(
        [
            *(getattr(app, name) for name in ("context", "heartbeat", "iopub_thread", "io_loop")),
            *(getattr(app, f"{name}_socket") for name in ("shell", "stdin", "control", "debugpy")),
            *(getattr(kernel, f"{name}_stream") for name in ("shell", "control", "debugpy")),
            *(app.debug_shell_socket, app.control_thread, app.shell_channel_thread),
            *(kernel.iopub_thread.socket, getattr(kernel, "debugger", None)),
        ]
    )
    atexit.unregister(app.close)
    atexit.unregister(app.iopub_thread.stop)
    signal.set_wakeup_fd(-1)
    for loop in descriptors.loops(app):
        # Its descriptors are closed: nobody is to do it again, or to warn that nobody did.
        loop._closed = True  # noqa: SLF001 - its own way would touch what is not ours
    # A thread that is gone may have been in the middle of an import.
    importlib._bootstrap._module_locks.clear()  # type: ignore[attr-defined]  # noqa: SLF001 - no other way
    SOURCES.begin_anew()


def _move(app: Any, folder: Path) -> None:
    """Have everything that is known by a folder in the new one."""
    connection = json.loads((folder / "connection.json").read_bytes())
    _leave(app)
    app.folder = folder
    app.connection_file = str(folder / "connection.json")
    app.transport, app.ip = connection["transport"], connection["ip"]
    for name in _PORTS:
        setattr(app, f"{name}_port", connection[f"{name}_port"])
    app.session.session = str(uuid.uuid4())
    app.session.key = connection["key"].encode()
    app.session.digest_history = set()
    app.kernel.ident = str(uuid.uuid4())
    app.ipython_dir = str(folder / "profile")
    app.profile_dir = ProfileDir(location=app.ipython_dir, parent=app)
    app.kernel.profile_dir = app.shell.profile_dir = app.profile_dir
    app.shell.ipython_dir = app.ipython_dir
    app.busy = BusyMark(folder)
    tools.install(folder)


def _leave(app: Any) -> None:
    """Have nothing of the original's folder open.

    By where descriptors lead: code may have closed them. So the mappings that hold some are kept
    for ever, since they would close whatever has their numbers.
    """
    _GRAVES.append([app.busy, *(stream.unsent for stream in app.streams)])
    inside = f"{app.folder.resolve()}/"
    for fd, kind in list(descriptors.listed()):
        if kind.startswith(inside):
            with contextlib.suppress(OSError):
                os.close(fd)


def _unsent(app: Any, stream: CellStream, *, moved: bool) -> Unsent | None:
    kept = stream.unsent
    if kept is not None and moved:
        return Unsent(app.folder / f"unsent-{stream.name}")
    if kept is not None:
        kept.clear()
    return kept


def _connect(app: Any) -> None:
    """What the base class does when it makes a kernel, around the one that is there."""
    kernel, shell = app.kernel, app.shell
    on_shell, on_control = app.shell_channel_thread.io_loop, app.control_thread.io_loop
    shell_stream = ZMQStream(app.shell_socket, on_shell)
    app.shell_channel_thread.shell_stream = shell_stream
    kernel.begin_anew(
        app.busy,
        {
            "accounts": app.accounts,
            "shell_stream": shell_stream,
            "control_stream": ZMQStream(app.control_socket, on_control),
            "debugpy_stream": ZMQStream(app.debugpy_socket, on_control),
            "debug_shell_socket": app.debug_shell_socket,
            "control_thread": app.control_thread,
            "shell_channel_thread": app.shell_channel_thread,
            "iopub_thread": app.iopub_thread,
            "iopub_socket": app.iopub_socket,
            "stdin_socket": app.stdin_socket,
        },
    )
    for hook in (app.displayhook, shell.displayhook, shell.display_pub):
        hook.pub_socket = app.iopub_socket
    shell.displayhook.topic = kernel._topic("execute_result")  # noqa: SLF001 - as the base class does
    if getattr(kernel, "debugger", None) is not None:
        kernel.debugger = kernel.debugger_class(
            kernel.log,
            kernel.debugpy_stream,
            kernel._publish_debug_event,  # noqa: SLF001 - as the base class does
            kernel.debug_shell_socket,
            kernel.session,
            kernel._kernel_modules,  # noqa: SLF001 - the same
            kernel.debug_just_my_code,
            kernel.filter_internal_frames,
        )
    app.busy.tell(busy=False)
    app.io_loop = IOLoop.current()
