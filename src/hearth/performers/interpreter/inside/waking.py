"""The guardian's part in frozen copies: who of its children is one, and whom to wake."""

import contextlib
import json
import os
import signal
from pathlib import Path
from typing import Any, Final, NamedTuple

from . import processes
from .busy import read_plain

FOLDER: Final = "copies"
FILE: Final = "wake.json"
STATE_FILE: Final = "guardian.json"
"""What a guardian says of itself and its kernel."""
AHEAD: Final = "ahead"
"""The copy that is made for a cell that nobody has asked for yet."""
ASKED: Final = signal.SIGUSR1
"""What the guardian is told with that there is a request."""
WAKE: Final = signal.SIGUSR2
"""What a copy waits for."""
FOR_GUARDIANS: Final = frozenset({ASKED, signal.SIGTERM})
"""What a guardian is told with, whatever it is."""
GUARD: Final = "guard"
"""The word that the guardian of a branch is started with."""
_LARGEST: Final = 1 << 16
_TRIES: Final = 20
"""Code could give them other names for ever."""


class Request(NamedTuple):
    """Who is to be woken."""

    id: str
    copy: str


def requested(folder: Path) -> Request | None:
    """The request that is there; None if none is, or none that can be read."""
    found = _content(folder / FILE)
    if not found.get("request"):
        return None
    return Request(str(found["request"]), str(found.get("copy")))


def recorded(path: Path) -> tuple[int, int] | None:
    """The process that a file names, and when it started; None if it names none."""
    found = _content(path)
    try:
        return int(found["pid"]), int(found["start"])
    except (ValueError, TypeError, KeyError):
        return None


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a file so that whoever reads it reads all of it."""
    prepare(path, content).replace(path)


def prepare(path: Path, content: dict[str, Any]) -> Path:
    """Write what is to replace a file: what can go wrong has gone wrong then."""
    written = path.with_name(f".{path.name}")
    written.write_text(json.dumps(content), encoding="utf-8")
    return written


def note(path: str, name: str, pid: int) -> None:
    """Write the file of a copy, with little: each page that is touched here is copied first."""
    written = f"{path}.written"
    said = f'{{"name": "{name}", "pid": {pid}, "start": {processes.start_time(pid)}}}'
    fd = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, said.encode())
    finally:
        os.close(fd)
    os.rename(written, path)  # noqa: PTH104 - a path takes more


def pair(guardian: int, kernel: int, started: int | None) -> dict[str, Any]:
    """Who guards whom: what every account of a guardian begins with."""
    return {
        "guardian": {"pid": guardian, "start": processes.start_time(guardian)},
        "kernel": {"pid": kernel, "start": started},
    }


def introduce(folder: Path, kernel: int) -> None:
    """Say who guards this kernel: this process, which is about to become its guardian.

    It is known from the first moment: a daemon that finds nobody named takes all for ended.
    """
    content = pair(os.getpid(), kernel, processes.start_time(kernel))
    write(folder / STATE_FILE, {**content, "state": "running", "exit": None})


def end(pid: int, start: int) -> None:
    """Kill a process if it is still the one that was meant."""
    if processes.start_time(pid) == start:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _content(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_plain(path, _LARGEST))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Spared:
    """The children of a guardian that are none of its kernel's doing: copies, and branches.

    What they are is settled before they become its children: each is looked at once.
    """

    def __init__(self, folder: Path) -> None:
        self._copies = folder / FOLDER
        self._known: dict[tuple[int, int | None], str] = {}

    def look(self, kernel: int) -> tuple[set[int], set[int]]:
        """The copies and the guardians of branches that are there now."""
        there: dict[tuple[int, int | None], str] = {}
        recorded_now: set[tuple[int, int]] | None = None
        for pid in processes.children(os.getpid()):
            if pid == kernel:
                continue
            one = (pid, processes.start_time(pid))
            if one in self._known:
                there[one] = self._known[one]
                continue
            if recorded_now is None:
                recorded_now = self._recorded()
            there[one] = "copy" if one in recorded_now else _kind(pid)
        self._known = there
        copies = {pid for (pid, _), kind in there.items() if kind == "copy"}
        return copies, {pid for (pid, _), kind in there.items() if kind == "branch"}

    def sleeper(self, name: str) -> tuple[int, str]:
        """The copy of this name, and no problem; or 0, and what is the problem with it."""
        found = recorded(self._path(name))
        if found is None:
            return 0, f"there is no copy {name!r}"
        pid, start = found
        if processes.start_time(pid) != start or processes.parent(pid) != os.getpid():
            return 0, f"the copy {name!r} has ended"
        return pid, ""

    def use_up(self, name: str) -> None:
        """Forget a copy: it has become the kernel."""
        with contextlib.suppress(OSError):
            self._path(name).unlink()

    def clear(self) -> None:
        """Forget all of them."""
        for path in self._files():
            with contextlib.suppress(OSError):
                path.unlink()

    def _path(self, name: str) -> Path:
        return self._copies / f"{Path(name).name}.json"

    def _files(self) -> list[Path]:
        return list(self._copies.glob("*.json"))

    def _recorded(self) -> set[tuple[int, int]]:
        """All that are noted. One that gets another name meanwhile must not be overlooked."""
        names, found = self._files(), set[tuple[int, int] | None]()
        for _ in range(_TRIES):
            found = {recorded(path) for path in names}
            before, names = names, self._files()
            if sorted(before) == sorted(names):
                break
        return {one for one in found if one is not None}


def _kind(pid: int) -> str:
    started = processes.command_line(pid)
    at = started.index(GUARD) if GUARD in started else 0
    return "branch" if at and Path(started[at - 1]).name == "launch.py" else "other"
