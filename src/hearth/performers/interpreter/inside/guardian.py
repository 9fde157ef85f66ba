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

from . import ending, limits, processes, waking
from .busy import is_busy

STDIO_FILE: Final = "stdio.log"
COULD_NOT_START: Final = 78
"""The exit code of a kernel that could not begin; the last line it wrote says why."""

_WATCHFUL: Final = 0.2
_RESTFUL: Final = 2.0
_THOROUGH_EVERY: Final = 5
_SUSPICIOUS_GROWTH: Final = 16
_PASSING: Final = 4
"""Processes that are there for a moment while the kernel is copied."""
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
    _watch(folder, settings, kernel)


def guard_branch(folder: Path, kernel: int) -> NoReturn:
    """Be the guardian of a child that is the kernel already."""
    settings = json.loads((folder / "launch.json").read_text(encoding="utf-8"))
    _watch(folder, settings, kernel)


def _watch(folder: Path, settings: dict[str, Any], kernel: int) -> NoReturn:
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
        self._started: int | None = None
        self._reason = ""
        self._message = ""
        self._alone_since: float | None = None
        self._asked = False
        self._everyone = 0
        self._spared = waking.Spared(folder)
        self._is_asked_to_wake = False
        self._woken: dict[str, str] = {}
        """The requests that were carried out, each with what was the problem with it."""
        self._poll = select.poll()
        self._wake = os.pipe()

    def run(self) -> None:
        """Watch until the kernel has ended and nothing that it started is left."""
        limits.stand_aside(self._folder / STDIO_FILE)
        self._listen()
        self._started = processes.start_time(self._kernel)
        self._tell("running")
        try:
            self._until_it_ends()
        finally:
            self._status = self._end_all_but(lambda: self._spared.look(self._kernel)[1])
            self._spared.clear()
        self._tell("ended")

    def _listen(self) -> None:
        for end in self._wake:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._on_asked)
        signal.signal(waking.ASKED, self._on_asked_to_wake)
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, waking.FOR_GUARDIANS)
        self._poll.register(self._wake[0], select.POLLIN)

    def _on_asked(self, *_: object) -> None:
        self._asked = True

    def _on_asked_to_wake(self, *_: object) -> None:
        self._is_asked_to_wake = True

    def _until_it_ends(self) -> None:
        ticks = 0
        bounded = self._memory is not None or self._processes is not None
        while not self._reason:
            self._rest(_WATCHFUL if bounded else _RESTFUL)
            self._look()
            if self._is_asked_to_wake:
                self._is_asked_to_wake = False
                self._wake_copy()
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
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                self._has_ended = True
                return
            if ended is None:
                return
            if ended.si_pid == self._kernel:
                self._has_ended = True
                return
            os.waitpid(ended.si_pid, 0)

    def _wake_copy(self) -> None:
        """Have a copy take the kernel's place, if somebody asked for it and it is there."""
        request = waking.requested(self._folder)
        if request is None or request.id in self._woken:
            return
        sleeper, problem = self._spared.sleeper(request.copy)
        kernel, started = self._kernel, self._started
        if sleeper:
            kernel, started = sleeper, processes.start_time(sleeper)
        woken = {**self._woken, request.id: problem}
        try:
            # First of all: what nobody could be told of must not happen.
            told = waking.prepare(
                self._folder / waking.STATE_FILE, self._content("running", kernel, started, woken)
            )
        except OSError:
            return
        if sleeper:
            self._end_all_but(lambda: {sleeper}.union(*self._spared.look(self._kernel)))
            with contextlib.suppress(ProcessLookupError):
                os.kill(sleeper, waking.WAKE)
            self._spared.use_up(request.copy)
            self._has_ended = processes.parent(sleeper) is None
            # It may have been killed, and taken with the others, before it was woken.
            self._reason = "asked" if self._has_ended else ""
        self._kernel, self._started, self._woken = kernel, started, woken
        told.replace(self._folder / waking.STATE_FILE)

    def _end_all_but(self, spared: Callable[[], set[int]]) -> int | None:
        return ending.end_all(self._kernel, spared, lambda: self._rest(0.002))

    def _check_bounds(self, *, thorough: bool) -> None:
        everyone = processes.running_anywhere()
        thorough = thorough or everyone > self._everyone + _SUSPICIOUS_GROWTH
        self._everyone = everyone
        pids = [self._kernel]
        copies, branches = self._spared.look(self._kernel)
        if thorough:
            # The kernel itself is among them, and does not count.
            most = ending.AT_ONCE if self._processes is None else self._processes + 1
            pids = processes.descendants(os.getpid(), most, copies | branches)
            if self._processes is not None and most < len(pids) <= most + _PASSING:
                self._rest(_WATCHFUL / 10)
                pids = processes.descendants(os.getpid(), most, copies | branches)
            if self._processes is not None and len(pids) > most:
                self._reason = "processes"
                self._message = f"more than {self._processes} processes were started"
                return
        if self._memory is None or processes.resident(pids) <= self._memory:
            return
        # What a fork shares with its parent is counted once before anyone is accused.
        used = processes.proportional(pids)
        if copies or branches:
            # They are none of its doing: what it shares with them counts as its own.
            used = max(used, processes.resident([self._kernel]))
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

    def _tell(self, state: str) -> None:
        content = self._content(state, self._kernel, self._started, self._woken)
        waking.write(self._folder / waking.STATE_FILE, content)

    def _content(
        self, state: str, kernel: int, started: int | None, woken: dict[str, str]
    ) -> dict[str, Any]:
        content: dict[str, Any] = {
            **waking.pair(os.getpid(), kernel, started),
            "state": state,
            "exit": self._exit() if state == "ended" else None,
        }
        if woken:
            content["woken"], problem = list(woken.items())[-1]
            content.update({"wake_problem": problem} if problem else {})
        return content

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
            message = limits.last_said(self._folder / STDIO_FILE)
        return {"code": code, "signal": signalled, "reason": self._reason, "message": message}


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


def _mib(size: int) -> int:
    return size >> 20
