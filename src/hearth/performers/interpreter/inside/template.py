"""A process that has imported everything a kernel needs, and is copied when one is needed.

It is told through descriptor 0, a socket, line by line: `{"folder": …}`. It has one thread and no
socket of zmq, so that a copy of it is whole.
"""

import contextlib
import gc
import importlib
import json
import linecache
import os
import random
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any, Final

from . import guardian, limits

_PREPARED: Final = (
    # What a kernel imports on its way to the first cell; what is missing here is imported there.
    "ipykernel.debugger",
    "ipykernel.serialize",
    "ipykernel.comm",
    "ipykernel.datapub",
    "matplotlib_inline.config",
    "matplotlib_inline.backend_inline",
    "IPython.core.completer",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.magics",
    "IPython.core.magics.ast_mod",
    "IPython.core.magics.execution",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "IPython.utils.module_paths",
    "IPython.utils.wildcard",
    "asttokens",
    "executing",
    "pure_eval",
    "pygments.formatters.terminal256",
    "pygments.styles",
    "stack_data",
    "cProfile",
    "timeit",
    "tornado.platform.asyncio",
    "multiprocessing",
    "concurrent.futures.thread",
    "sqlite3",
    "pdb",
    "pickle",
    "zmq.eventloop.zmqstream",
)
_BESIDE: Final = ("asking", "exploring", "preparing", "reloading", "fingerprinting", "app")


def serve() -> None:
    """Import, say that it is ready, and copy itself until nobody is at the other end."""
    asked = _own_socket()
    # Whoever ends is forgotten at once: copies are their guardians' business.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    limits.leave_terminal()
    _import_all()
    _rehearse()
    gc.collect()
    gc.freeze()
    version = ".".join(map(str, sys.version_info[:3]))
    _say(asked, {"ready": True, "pid": os.getpid(), "python": version})
    with asked.makefile("rb") as lines:
        for line in lines:
            _say(asked, _copy(asked, line))


def _own_socket() -> socket.socket:
    """Move the socket away from descriptor 0, where the code of cells would find it."""
    moved = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return moved


def _import_all() -> None:
    for name in _BESIDE:
        _import(f".{name}", __package__)
    for name in _PREPARED:
        _import(name, None)


def _rehearse() -> None:
    """Do once what every first cell would have to: read the distributions, show an error."""
    with contextlib.suppress(Exception):  # a kernel does it again, and says what is wrong
        fingerprinting: Any = importlib.import_module(".fingerprinting", __package__)
        fingerprinting.environment(None, {})
    with contextlib.suppress(Exception):
        asks: Any = importlib.import_module(".asks", __package__)
        asks.answerer("names")
    with contextlib.suppress(Exception):
        _show_an_error()


def _show_an_error() -> None:
    """Fills what the tools that draw tracebacks keep for later."""
    transformer: Any = importlib.import_module("IPython.core.inputtransformer2")
    transformer.TransformerManager().transform_cell("%time 1\nx = 1\n")
    drawing: Any = importlib.import_module("IPython.core.ultratb")
    name, code = "<rehearsal>", "def f():\n    return 1 / 0\n\nf()\n"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        exec(compile(code, name, "exec"), {})  # noqa: S102 - our own lines
    except ZeroDivisionError:
        drawing.AutoFormattedTB(mode="Context").structured_traceback(*sys.exc_info(), tb_offset=1)
    finally:
        linecache.cache.pop(name, None)


def _import(name: str, package: str | None) -> None:
    try:
        importlib.import_module(name, package)
    except ImportError:
        # Then the kernel that needs it says so; the others do without.
        return


def _copy(asked: socket.socket, line: bytes) -> dict[str, Any]:
    try:
        folder = json.loads(line)["folder"]
    except (ValueError, KeyError, TypeError):
        return {"folder": None, "error": "a line must be an object with a folder"}
    if threading.active_count() != 1:
        # A copy has only the thread that made it: locks that others held would stay locked.
        return {"folder": folder, "error": "something that was imported has started threads"}
    try:
        copy = os.fork()
    except OSError as refused:
        return {"folder": folder, "error": f"no process could be made: {refused.strerror}"}
    if copy == 0:
        _be_copy(asked, Path(folder))
    return {"folder": folder, "guardian": copy}


def _be_copy(asked: socket.socket, folder: Path) -> None:
    """In the copy: never come back to the loop above."""
    try:
        # Its descriptor only: to close it properly would say good-bye for the template.
        os.close(asked.detach())
        guardian.guard(folder, lambda _: _be_kernel(folder))
    except BaseException as broken:  # noqa: BLE001 - the last word before the process ends
        limits.say(f"no guardian could begin in {folder}: {type(broken).__name__}: {broken}")
    finally:
        os._exit(guardian.COULD_NOT_START)


def _be_kernel(folder: Path) -> None:
    random.seed()
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()
    sys.argv[:] = [str(Path(__file__).with_name("launch.py")), "kernel", str(folder)]
    app: Any = importlib.import_module(".app", __package__)
    app.run(folder)


def _say(asked: socket.socket, what: dict[str, Any]) -> None:
    asked.sendall(json.dumps(what).encode() + b"\n")
