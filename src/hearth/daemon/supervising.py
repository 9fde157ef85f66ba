"""Restarts a daemon that died, after growing pauses, until it is stopped on purpose."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from hearth.daemon.home import (
    SUPERVISOR_LOCK,
    SUPERVISOR_LOG,
    HomeUnusable,
    ensure_home,
    unusable,
)
from hearth.daemon.locking import take
from hearth.daemon.starting import ERROR, HINT, command, environment

LONGEST_PAUSE: Final = 30.0
STABLE: Final = 60.0
"""Seconds after which a daemon that dies is one that had worked."""
WRONG_USAGE: Final = 2
"""How a daemon ends whom no restart would help."""
LARGEST_LOG: Final = 1024 * 1024
PASSED_ON: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Decision(NamedTuple):
    """What follows from a daemon's end."""

    pause: float | None
    """Seconds after which it is started again; None if it is not."""
    crashes: int
    """How often it has died since it was last stable."""


def decide(crashes: int, uptime: float, code: int) -> Decision:
    """What to do when a daemon that had died so often before ended so, after so long."""
    if code in {0, WRONG_USAGE}:
        return Decision(None, 0)
    since_stable = 1 if uptime >= STABLE else crashes + 1
    # The exponent is bounded: after a thousand crashes the number would be too large to compute.
    pause = min(LONGEST_PAUSE, 2.0 ** min(since_stable - 1, 10))
    return Decision(pause, since_stable)


def supervise(home: str, options: Sequence[str]) -> int:
    """Run the daemon of this home with these options; the code to exit with."""
    try:
        ensure_home(home)
        lock = take(str(Path(home, SUPERVISOR_LOCK)), 0.5)
    except HomeUnusable as trouble:
        return _refused(trouble, 1)
    except OSError as error:
        return _refused(unusable(home, error), 1)
    if lock is None:
        taken = HomeUnusable(
            f"a supervisor of {home} runs already", "`hearth status` tells about its daemon"
        )
        return _refused(taken, WRONG_USAGE)
    try:
        return _Supervisor(home, options).run()
    finally:
        os.close(lock)


class _Supervisor:
    def __init__(self, home: str, options: Sequence[str]) -> None:
        self._home = home
        self._command = command(["--server", *options])
        self._log = Path(home, SUPERVISOR_LOG)
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped_by = 0
        self._woken, self._wake = os.pipe()

    def run(self) -> int:
        before = {number: signal.signal(number, self._hear) for number in PASSED_ON}
        try:
            return self._until_stopped()
        finally:
            for number, former in before.items():
                signal.signal(number, former)
            os.close(self._woken)
            os.close(self._wake)

    def _until_stopped(self) -> int:
        crashes = 0
        while True:
            began = time.monotonic()
            code = self._run_once()
            uptime = time.monotonic() - began
            if self._stopped_by:
                name = signal.Signals(self._stopped_by).name
                self._say("info", f"stopped by {name}; the daemon ended with {_shown(code)}")
                return 0
            pause, crashes = decide(crashes, uptime, code)
            ended = f"the daemon ended with {_shown(code)} after {uptime:.1f} s"
            if pause is None:
                self._say("info" if code == 0 else "error", f"{ended}; it is not started again")
                return code
            self._say("warning", f"{ended}; it is started again in {pause:g} s")
            if self._interrupted_within(pause):
                self._say("info", "stopped while the daemon was down")
                return 0

    def _run_once(self) -> int:
        self._child = subprocess.Popen(  # noqa: S603 - this very hearth, with words of its own
            self._command,
            stdin=subprocess.DEVNULL,
            cwd=self._home,
            env=environment(self._home),
        )
        self._say("info", f"the daemon is started as process {self._child.pid}")
        if self._stopped_by:  # it came while there was no child to pass it on to
            self._child.send_signal(self._stopped_by)
        return self._child.wait()

    def _hear(self, number: int, _: FrameType | None) -> None:
        if number != signal.SIGHUP:
            self._stopped_by = number
            os.write(self._wake, b"!")
        if self._child is not None and self._child.returncode is None:
            self._child.send_signal(number)

    def _interrupted_within(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._woken], [], [], seconds)
        return bool(ready)

    def _say(self, level: str, message: str) -> None:
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "level": level,
            "logger": "hearth.daemon.supervising",
            "message": message,
            "pid": os.getpid(),
        }
        try:
            if self._log.exists() and self._log.stat().st_size > LARGEST_LOG:
                self._log.replace(self._log.with_suffix(".log.1"))
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            with os.fdopen(os.open(self._log, flags, 0o600), "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError:
            pass  # a full disk must not be what ends the one who restarts daemons


def _shown(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _refused(trouble: HomeUnusable, code: int) -> int:
    sys.stderr.write(f"{ERROR}{trouble.what}\n{HINT}{trouble.hint}\n")
    return code
