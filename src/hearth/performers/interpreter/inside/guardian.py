"""The parent of one kernel: it notices its end, bounds it, and leaves nothing of it behind.

It is a process of its own because it must work when the kernel holds the GIL, floods the machine
or is dead, and when the daemon is away.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn

from . import limits, processes
from .busy import is_busy

STATE_FILE: Final = "guardian.json"
STDIO_FILE: Final = "stdio.log"
COULD_NOT_START: Final = 78
"""The exit code of a kernel that could not begin; the last line it wrote says why."""

_WATCHFUL: Final = 0.2
_RESTFUL: Final = 2.0
_THOROUGH_EVERY: Final = 5
_SUSPICIOUS_GROWTH: Final = 16
_PATIENCE: Final = 60.0
_AT_ONCE: Final = 500
_LAST_LINE_BYTES: Final = 2000
_SIGNALLED: Final = 128


def guard(folder: Path, become: Callable[[dict[str, Any]], None]) -> NoReturn:
    """Turn this process into the guardian of a kernel that `become` turns a child into."""
    settings = json.loads((folder / "launch.json").read_text(encoding="utf-8"))
    limits.leave_terminal()
    processes.adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    guardian = os.getpid()
    kernel = os.fork()
    if kernel == 0:
        _become(folder, settings, guardian, become)
    code = 1
    try:
        _Watch(folder, settings, kernel).run()
        code = 0
    finally:
        # Also when the guardian itself fails: never run on in whoever forked it.
        os._exit(code)


def _become(
    folder: Path,
    settings: dict[str, Any],
    guardian: int,
    become: Callable[[dict[str, Any]], None],
) -> NoReturn:
    code = COULD_NOT_START
    try:
        limits.confine(folder, settings, guardian)
        become(settings)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else COULD_NOT_START
        if isinstance(ended.code, str):
            limits.say(ended.code)
    except BaseException as broken:  # noqa: BLE001 - the last word before the process ends
        limits.say(traceback.format_exc())
        limits.say(f"the interpreter could not start: {type(broken).__name__}: {broken}")
    finally:
        os._exit(code)


class _Watch:
    """The guardian's loop around one kernel."""

    def __init__(self, folder: Path, settings: dict[str, Any], kernel: int) -> None:
        self._folder = folder
        self._inside = Path(settings.get("inside") or folder)
        self._is_contained = bool(settings.get("contained"))
        self._kernel = kernel
        self._memory: int | None = settings.get("memory")
        self._processes: int | None = settings.get("processes")
        self._orphan_after = float(settings.get("orphan_after") or 0)
        self._lock = str(settings.get("lock") or "")
        self._has_ended = False
        self._status: int | None = None
        self._reason = ""
        self._message = ""
        self._alone_since: float | None = None
        self._asked = False
        self._everyone = 0
        self._poll = select.poll()
        self._wake = os.pipe()

    def run(self) -> None:
        """Watch until the kernel has ended and nothing that it started is left."""
        limits.stand_aside(self._folder / STDIO_FILE)
        self._listen()
        started = processes.start_time(self._kernel)
        self._tell("running", started)
        try:
            self._until_it_ends()
        finally:
            self._end_everything()
        self._tell("ended", started)

    def _listen(self) -> None:
        for end in self._wake:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._on_asked)
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        self._poll.register(self._wake[0], select.POLLIN)

    def _on_asked(self, *_: object) -> None:
        self._asked = True

    def _until_it_ends(self) -> None:
        ticks = 0
        bounded = self._memory is not None or self._processes is not None
        while not self._reason:
            self._rest(_WATCHFUL if bounded else _RESTFUL)
            self._look()
            if self._has_ended:
                return
            if self._asked:
                self._reason = "asked"
                return
            busy = is_busy(self._inside)
            if bounded:
                self._check_bounds(thorough=busy or ticks % _THOROUGH_EVERY == 0)
            if not bounded or ticks % _THOROUGH_EVERY == 0:
                self._check_daemon(busy=busy)
            ticks += 1

    def _rest(self, seconds: float) -> None:
        for fd, _ in self._poll.poll(seconds * 1000):
            try:
                while os.read(fd, 512):
                    pass
            except BlockingIOError:
                continue

    def _look(self) -> None:
        """Take orphans that came to us and ended, and see whether the kernel has ended.

        The kernel itself is not taken yet: as long as it is there, its process group cannot be
        confused with another.
        """
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return
            if ended.si_pid == self._kernel:
                self._has_ended = True
                return
            os.waitpid(ended.si_pid, 0)

    def _reap(self) -> bool:
        """Take everything that ended; whether anything is left to wait for."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
                if pid == self._kernel:
                    self._status = status
        except ChildProcessError:
            return False

    def _check_bounds(self, *, thorough: bool) -> None:
        everyone = processes.running_anywhere()
        thorough = thorough or everyone > self._everyone + _SUSPICIOUS_GROWTH
        self._everyone = everyone
        pids = [self._kernel]
        if thorough:
            # The kernel itself is among them, and does not count.
            most = _AT_ONCE if self._processes is None else self._processes + 1
            pids = processes.descendants(os.getpid(), most)
            if self._processes is not None and len(pids) > most:
                self._reason = "processes"
                self._message = f"more than {self._processes} processes were started"
                return
        if self._memory is None or processes.resident(pids) <= self._memory:
            return
        # What a fork shares with its parent is counted once before anyone is accused.
        used = processes.proportional(pids)
        if used > self._memory:
            self._reason = "memory"
            self._message = f"{_mib(used)} MiB of {_mib(self._memory)} MiB were in use"

    def _check_daemon(self, *, busy: bool) -> None:
        if not self._lock or not self._orphan_after:
            return
        if _is_held(self._lock):
            self._alone_since = None
            return
        now = time.monotonic()
        if self._alone_since is None:
            self._alone_since = now
        if now - self._alone_since >= self._orphan_after and not busy:
            self._reason = "orphaned"
            self._message = f"no daemon came back within {self._orphan_after:g} s"

    def _end_everything(self) -> None:
        """Kill all that descends from here, until there is no child left to wait for.

        By groups, because the system kills a group at once: whoever forks cannot outrun it.
        """
        _kill_group(self._kernel)
        give_up = time.monotonic() + _PATIENCE
        while self._reap() and time.monotonic() < give_up:
            left = processes.descendants(os.getpid(), _AT_ONCE)
            for group in {_group_of(pid) for pid in left} - {os.getpgrp()}:
                _kill_group(group)
            for pid in left:
                _kill(pid)
            self._rest(0.002)

    def _tell(self, state: str, started: int | None) -> None:
        guardian = os.getpid()
        content = {
            "guardian": {"pid": guardian, "start": processes.start_time(guardian)},
            "kernel": {"pid": self._kernel, "start": started},
            "state": state,
            "exit": self._exit() if state == "ended" else None,
        }
        written = self._folder / f".{STATE_FILE}"
        written.write_text(json.dumps(content), encoding="utf-8")
        written.replace(self._folder / STATE_FILE)

    def _exit(self) -> dict[str, Any]:
        code: int | None = None
        signalled: int | None = None
        if self._status is not None and os.WIFSIGNALED(self._status):
            signalled = os.WTERMSIG(self._status)
        elif self._status is not None:
            code = os.WEXITSTATUS(self._status)
            if self._is_contained and code > _SIGNALLED:
                # Its sandbox ends by itself, and tells in its code by which signal the kernel did.
                signalled, code = code - _SIGNALLED, None
        message = self._message
        if code == COULD_NOT_START and not self._reason:
            message = _last_line(self._folder / STDIO_FILE)
        return {"code": code, "signal": signalled, "reason": self._reason, "message": message}


def _group_of(pid: int) -> int:
    """Its process group; ours if it is gone."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return os.getpgrp()


def _kill_group(group: int) -> None:
    # The group is empty if all of it ended meanwhile.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _kill(pid: int) -> None:
    # It ended by itself meanwhile.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _is_held(lock: str) -> bool:
    """Whether a daemon lives: it holds the file exclusively."""
    try:
        fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _last_line(path: Path) -> str:
    try:
        lines = path.read_bytes()[-_LAST_LINE_BYTES:].decode("utf-8", "replace").strip()
    except OSError:
        return ""
    return lines.splitlines()[-1] if lines else ""


def _mib(size: int) -> int:
    return size >> 20
