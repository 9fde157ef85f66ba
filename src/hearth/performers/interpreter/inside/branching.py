"""Live branches of a kernel: the same session twice, each with a guardian of its own.

The kernel forks a process that ends at once, so that the branch's guardian is nobody's child but
the first guardian's, who leaves it alone. That one forks the branch's kernel and then becomes its
guardian by running another program, which sheds its share of the memory. A branch goes on with the
same random numbers as its original, and has no copies.
"""

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from . import descriptors, files, forking, limits, obstacles, pooling, processes, waking

_PYTHON: Final = sys.executable
_LAUNCH: Final = str(Path(__file__).with_name("launch.py"))
_GUARDIANS_SHARE: Final = "0"


def branch(app: Any, folder: Path, *, is_tried: bool = False) -> dict[str, Any]:
    """Fork this process into a prepared folder: `guardian` and `kernel` are its processes.

    In the main thread, where no code of the user's runs. The branch leaves with `Reborn`.
    """
    found = obstacles.found(app)
    if found:
        return {"obstacles": found}
    try:
        # Here, because once it is forked nobody can be told.
        settings = json.loads((folder / "launch.json").read_bytes())
        json.loads((folder / "connection.json").read_bytes())
    except (OSError, ValueError) as wrong:
        return {"obstacles": [f"the folder of the branch is not prepared: {wrong}"]}
    try:
        said = _fork(app, folder, settings, is_tried=is_tried)
    except OSError as refused:
        said = f"no process could be made: {refused.strerror}"
    numbers = said.split()
    if len(numbers) == 2 and all(number.isdecimal() for number in numbers):
        guardian, kernel = map(int, numbers)
        return {"branched": True, "obstacles": [], "guardian": guardian, "kernel": kernel}
    return {"obstacles": [said.lstrip("0123456789 ") or "the branch ended at once"]}


def _fork(app: Any, folder: Path, settings: dict[str, Any], *, is_tried: bool) -> str:
    read = files.prepared(app)
    with forking.undisturbed(app.kernel):
        told, tell = os.pipe()
        between = os.fork()
        if between:
            os.close(tell)
            return forking.answered(told, between)
        ends = [told, tell]
        app.guardian = _be_between(ends, folder, settings)
        _move_in(app, folder, ends, read)
    raise forking.Reborn(folder, after=0, moved=True, is_tried=is_tried)


def _be_between(ends: list[int], folder: Path, settings: dict[str, Any]) -> int:
    """Comes back in the branch's kernel alone, with its guardian; it has to close the `ends`."""
    tell = ends[-1]
    said = ""
    try:
        told_on, tell_on = os.pipe()
        ends += [told_on, tell_on]
        guardian = os.fork()
        if guardian == 0:
            return _be_guardian(tell_on, folder, settings)
        os.close(tell_on)
        # It comes to an end when the guardian runs its own program and is known by it.
        with open(told_on, encoding="utf-8") as line:  # noqa: PTH123 - a descriptor
            said = f"{guardian} {line.read()}"
    except OSError as refused:
        said = f"no process could be made: {refused.strerror}"
    except BaseException as broken:  # noqa: BLE001 - nothing may run on here
        said = f"the branch could not be made: {type(broken).__name__}: {broken}"
    return forking.answer(tell, said)


def _be_guardian(tell: int, folder: Path, settings: dict[str, Any]) -> int:
    """Comes back in the branch's kernel alone."""
    guardian = os.getpid()
    try:
        os.setsid()
        processes.adopt_orphans()
        kernel = os.fork()
        if kernel == 0:
            return guardian
        # What it is told from now on waits until it listens: it would end by that.
        signal.pthread_sigmask(signal.SIG_SETMASK, waking.FOR_GUARDIANS)
        waking.introduce(folder, kernel)
        os.write(tell, str(kernel).encode())
        _run_guardian(folder, kernel, settings.get("environment"))
    except BaseException as broken:  # noqa: BLE001 - nothing may run on here
        os.write(tell, f" no guardian could begin: {type(broken).__name__}: {broken}".encode())
    os._exit(1)


def _run_guardian(folder: Path, kernel: int, environment: dict[str, str] | None) -> NoReturn:
    with contextlib.suppress(OSError):  # a machine without it chooses by size alone
        Path("/proc/self/oom_score_adj").write_text(_GUARDIANS_SHARE, encoding="ascii")
    arguments = [_PYTHON, "-I", "-S", _LAUNCH, waking.GUARD, str(folder), str(kernel)]
    os.execve(_PYTHON, arguments, os.environ if environment is None else environment)  # noqa: S606 - our own program


def _move_in(app: Any, folder: Path, ends: list[int], read: list[files.Opened]) -> None:
    """In the branch's kernel: be on its own, and have nothing of the original's."""
    try:
        for end in ends:
            os.close(end)
        processes.die_with(app.guardian)
        os.setsid()
        descriptors.let_go(app)
        pooling.begin_anew()
        files.separate(read)
        describes = app.faults is not None and app.streams[0].leads_back(app.faults)
        limits.point_streams(folder / "stdio.log")
        for stream in app.streams:
            stream.begin_at(2)
        if describes:
            os.dup2(2, app.faults, inheritable=False)
    except BaseException as broken:  # noqa: BLE001 - it must not run on as its original
        limits.say(f"the branch could not begin: {type(broken).__name__}: {broken}")
        os._exit(1)
