"""Starts the daemon of a home in the background, exactly one however many ask."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hearth.daemon.discovery import Found, find
from hearth.daemon.home import (
    DAEMON_LOG,
    START_LOCK,
    START_LOG,
    HomeUnusable,
    ensure_home,
    unusable,
)
from hearth.daemon.locking import take

PATIENCE: Final = 30.0
PAUSE: Final = 0.01
GOODBYE: Final = 10.0
"""Seconds that a daemon which is not wanted any more has to end."""
MOST_WORDS: Final = 64 * 1024
TRIAL: Final = 64 * 1024
"""Bytes that a daemon needs at the least to begin."""
ERROR: Final = "error: "
HINT: Final = "hint: "
"""How a daemon that cannot start begins the two lines by which it says so."""


class NotStarted(Exception):
    """There is no daemon. `what` says why, for people; `hint` what would help."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def start(  # noqa: PLR0913 - what a person can say on the command line, by name
    home: str,
    *,
    supervised: bool = False,
    watch: bool = True,
    idle_timeout: float | None = None,
    port: int | None = None,
    patience: float = PATIENCE,
) -> Found:
    """The daemon of this home, started if there is none, once it answers. NotStarted.

    Of several who start at once one starts it, and the others wait for that one's.
    """
    until = time.monotonic() + patience
    try:
        ensure_home(home)
        lock = take(str(Path(home, START_LOCK)), patience)
    except HomeUnusable as trouble:
        raise NotStarted(trouble.what, trouble.hint) from trouble
    except OSError as error:
        raise _no_home(home, error) from error
    if lock is None:
        raise NotStarted(
            f"somebody else has been starting a daemon in {home} for {patience:g} s",
            f"look at {Path(home, START_LOG)}",
        )
    try:
        found = find(home)
        if found is not None and answers(found):
            return found
        options = server_options(watch=watch, idle_timeout=idle_timeout, port=port)
        words = ["--supervised", *options] if supervised else ["--server", *options]
        return _started(home, words, until)
    finally:
        os.close(lock)


def server_options(*, watch: bool, idle_timeout: float | None, port: int | None) -> list[str]:
    """The words of a command line by which a daemon is told how to be."""
    options = [] if watch else ["--no-watch"]
    if idle_timeout is not None:
        options += ["--idle-timeout", f"{idle_timeout:g}"]
    if port is not None:
        options += ["--port", str(port)]
    return options


def command(words: list[str]) -> list[str]:
    """The command line that runs this very hearth with these words."""
    return [sys.executable, "-m", "hearth", *words]


def environment(home: str) -> Mapping[str, str]:
    """What a daemon of this home is given: the caller's own, and which home it is."""
    return {**os.environ, "HEARTH_HOME": home}


def answers(found: Found, patience: float = 1.0) -> bool:
    """Whether somebody takes connections where this daemon says it listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(patience)
        try:
            connection.connect(found.socket)
        except OSError:
            return False
    return True


def last_words(path: Path) -> tuple[str, str]:
    """What a daemon said about why it cannot start, and what would help; empty if nothing."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - MOST_WORDS))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return "", ""
    what = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
    hint = [line.removeprefix(HINT) for line in lines if line.startswith(HINT)]
    return (what[-1] if what else ""), (hint[-1] if hint else "")


def _started(home: str, words: list[str], until: float) -> Found:
    log = Path(home, START_LOG)
    child = _spawn(home, words, log)
    try:
        while time.monotonic() < until:
            ended = child.poll()
            found = find(home)
            if found is not None and answers(found):
                return found
            if ended is not None:
                raise _why_not(home, log, f"the daemon ended with code {ended}")
            if "--supervised" in words and last_words(log)[0]:
                # It would try for ever, and nobody who was told "not started" expects that.
                raise _why_not(home, log, "the daemon did not start")
            time.sleep(PAUSE)
        raise _why_not(home, log, "the daemon did not answer in time")
    except NotStarted:
        _give_up(child)
        raise
    finally:
        # It lives on; that nobody waits for it is the point, and no reason for a warning.
        child.returncode = child.returncode if child.returncode is not None else 0


def _spawn(home: str, words: list[str], log: Path) -> "subprocess.Popen[bytes]":
    try:
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _no_home(home, error) from error
    try:
        return subprocess.Popen(  # noqa: S603 - this very hearth, with words of its own
            command(words),
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            cwd=home,
            env=environment(home),
            # Out of the terminal's session: neither its end nor its Ctrl-C are the daemon's affair.
            start_new_session=True,
        )
    except OSError as error:
        raise NotStarted(
            f"{sys.executable} cannot be run: {error.strerror}", "is hearth installed whole?"
        ) from error
    finally:
        os.close(descriptor)


def _no_home(home: str, error: OSError) -> NotStarted:
    trouble = unusable(home, error)
    return NotStarted(trouble.what, trouble.hint)


def _why_not(home: str, log: Path, otherwise: str) -> NotStarted:
    what, hint = last_words(log)
    if not what:
        try:
            _try_to_write(home)
        except OSError as error:  # so it could not even say why
            return _no_home(home, error)
    return NotStarted(
        what or otherwise, hint or f"more is said in {log} and {Path(home, DAEMON_LOG)}"
    )


def _try_to_write(home: str) -> None:
    """OSError if a daemon of this home could write nothing down."""
    trial = Path(home, f"trial-{os.getpid()}")
    try:
        with trial.open("wb") as file:
            file.write(b"\0" * TRIAL)
            file.flush()
            os.fsync(file.fileno())
    finally:
        with contextlib.suppress(OSError):
            trial.unlink()


def _give_up(child: "subprocess.Popen[bytes]") -> None:
    """Leave nothing behind of a daemon that did not come to be."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is not None:
            return
        child.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GOODBYE)
