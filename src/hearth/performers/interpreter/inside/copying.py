"""Frozen copies of a live kernel: each is the whole session as it was, and can take its place.

A copy is a child of the guardian and waits for a signal of it. Nobody else has to do with it:
who wants to be rid of one kills it.
"""

import json
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any, Final, NoReturn

from . import descriptors, files, forking, obstacles, pooling, waking

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def before_cell(kernel: Any, name: Any) -> dict[str, Any]:
    """Keep the session as it is before a cell, and publish what came of it before that runs."""
    if kernel.running > 1 or threading.current_thread() is not threading.main_thread():
        kernel.ahead.spoil()
        told = {"name": name, "kept": False, "obstacles": [obstacles.CELL], "seconds": 0.0}
    else:
        made = kernel.ahead.take(name) if _is_name(name) else None
        told = made or keep(kernel.parent, name)
    kernel.session.send(
        kernel.iopub_socket,
        "hearth_copy",
        told,
        parent=kernel.get_parent("shell"),
        ident=kernel._topic("hearth_copy"),  # noqa: SLF001 - as the base class does
    )
    return told


def keep(app: Any, name: Any) -> dict[str, Any]:
    """Make a copy of this process under a name; the one that had it is gone then.

    `kept` says whether it was made, `obstacles` why not, `seconds` how long it took. In the main
    thread, where no code of the user's runs. A copy that is woken leaves with `Reborn`.
    """
    began, this = time.perf_counter(), os.getpid()
    found = [] if _is_name(name) else [f"a copy cannot be called {name!r}"]
    try:
        found = found or obstacles.found(app) or _made(app, str(name))
    except Exception as broken:  # noqa: BLE001 - the cell runs in any case, without a copy
        if os.getpid() != this:
            _give_up()
        found = [f"the copy could not be made: {type(broken).__name__}: {broken}"]
    return {
        "name": str(name),
        "kept": not found,
        "obstacles": found,
        "seconds": time.perf_counter() - began,
    }


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _made(app: Any, name: str) -> list[str]:
    folder: Path = app.folder / waking.FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{name}.json"
    before = waking.recorded(path)
    try:
        said = _fork(app, str(path), name)
    except OSError as refused:
        said = f"no process could be made: {refused.strerror}"
    if said != "kept":
        return [said or "the copy ended at once"]
    if before is not None:
        waking.end(*before)
    return []


def _fork(app: Any, path: str, name: str) -> str:
    read = files.prepared(app)
    with forking.undisturbed(app.kernel):
        told, tell = os.pipe()
        between = os.fork()
        if between:
            os.close(tell)
            return forking.answered(told, between)
        between = _be_between(tell, path, name)
        os.close(told)
        os.close(tell)
        after = _freeze(app, between, read)
    raise forking.Reborn(app.folder, after=after, moved=False)


def _be_between(tell: int, path: str, name: str) -> int:
    """Comes back in the copy alone, with the process that this is."""
    between = os.getpid()
    said = "the copy could not be made"
    copy = 0
    try:
        # Before there is a copy: whoever ends the kernel ends its group, and it is not of that.
        os.setsid()
        copy = os.fork()
        if copy == 0:
            return between
        waking.note(path, name, copy)
        said = "kept"
    except OSError as refused:
        what = "it could not be noted" if copy else "no process could be made"
        said = f"{what}: {refused.strerror}"
    except BaseException as broken:  # noqa: BLE001 - nothing may run on here
        said = f"the copy could not be made: {type(broken).__name__}: {broken}"
    if copy and said != "kept":
        os.kill(copy, signal.SIGKILL)  # nobody would know of it
    return forking.answer(tell, said)


def _freeze(app: Any, between: int, read: list[files.Opened]) -> int:
    """Wait to be woken; the number that the next message comes behind."""
    try:
        os.setsid()
        forking.be_adopted(app.guardian, between)
        descriptors.let_go(app)
        pooling.begin_anew()
        files.separate(read)
        signal.sigwait({waking.WAKE})
        return _told(app.folder)
    except BaseException:  # noqa: BLE001 - it must not run on as a second kernel
        _give_up()


def _give_up() -> NoReturn:
    os._exit(1)


def _told(folder: Path) -> int:
    try:
        return int(json.loads((folder / waking.FILE).read_bytes()).get("number") or 0)
    except (OSError, ValueError, TypeError, AttributeError):
        return 0
