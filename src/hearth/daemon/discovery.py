"""Finds the daemon of a home by the file that it writes when it can be talked to."""

import fcntl
import os

from hearth.daemon import plain_json
from hearth.daemon.home import DAEMON_LOCK, DISCOVERY

LARGEST = 64 * 1024
"""Bytes. What is larger was not written by a daemon."""


class Found:
    """What a daemon says of itself: where it listens, and by which token it is spoken to."""

    __slots__ = ("pid", "port", "socket", "started_at", "token", "version")

    def __init__(  # noqa: PLR0913 - the fields of one file, by name
        self, *, pid: int, port: int, socket: str, token: str, started_at: str, version: str
    ) -> None:
        self.pid = pid
        self.port = port
        self.socket = socket
        self.token = token
        self.started_at = started_at
        self.version = version

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Found) and _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash((self.pid, self.started_at))

    def __repr__(self) -> str:
        # Without the token: this ends in logs.
        return f"Found(pid={self.pid}, port={self.port}, version={self.version!r})"


def find(home: str) -> Found | None:
    """The daemon that lives in this home; None if there is none. What a dead one left is removed.

    It lives if its process does and holds the lock: pids come back, locks do not.
    """
    found = _read(home)
    if found is not None and _is_alive(found.pid) and lock_is_held(home):
        return found
    _clean(home)
    return None


def lock_is_held(home: str) -> bool:
    """Whether some daemon lives in this home, be it announced or not."""
    try:
        descriptor = os.open(_path(home, DAEMON_LOCK), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False  # a daemon makes it before anything else
    try:
        # Shared, so that those who look at the same time do not take each other for a daemon.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def announce(home: str, found: Found) -> None:
    """Write the file, whole or not at all, readable for its owner alone. OSError.

    Only the daemon that holds the lock may.
    """
    path = _path(home, DISCOVERY)
    aside = f"{path}.{found.pid}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(aside, flags, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            # A file that somebody had left there keeps its mode through O_CREAT.
            os.fchmod(descriptor, 0o600)
            file.write(plain_json.dumps(_fields(found)) + "\n")
        os.replace(aside, path)  # noqa: PTH105 - pathlib costs more than all of this
    except OSError:
        _remove(aside)
        raise


def withdraw(home: str, pid: int) -> None:
    """Remove the file, if it is this daemon's."""
    found = _read(home)
    if found is not None and found.pid == pid:
        _remove(_path(home, DISCOVERY))


def _read(home: str) -> Found | None:
    """What the file says, if it is there and says what it should."""
    try:
        with open(_path(home, DISCOVERY), "rb") as file:  # noqa: PTH123 - as above
            said = plain_json.loads(file.read(LARGEST))
        return Found(
            pid=_positive(said["pid"]),
            port=_positive(said["port"]),
            socket=_text(said["socket"]),
            token=_text(said["token"]),
            started_at=_text(said["startedAt"]),
            version=_text(said["version"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # whatever it is, no daemon wrote it: they write it whole


def _clean(home: str) -> None:
    """Remove the file that a dead daemon left.

    With the lock in hand: a daemon that starts in this very moment has not announced itself yet
    and cannot before we are done, so the file is never a living one's.
    """
    path = _path(home, DISCOVERY)
    if not os.path.lexists(path):
        return
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(_path(home, DAEMON_LOCK), flags, 0o600)
    except OSError:
        return  # nothing can be written there: it stays, and is told to be stale every time
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        _remove(path)
    except BlockingIOError:
        pass  # a daemon is starting: it replaces the file itself
    finally:
        os.close(descriptor)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's process, but a process
    except OverflowError:
        return False  # no system counts so far
    return True


def _remove(path: str) -> None:
    try:  # noqa: SIM105 - contextlib costs more than all of this
        os.unlink(path)  # noqa: PTH108 - as above
    except OSError:
        pass  # gone already, or not ours to remove: whoever reads it sees that nobody lives


def _fields(found: Found) -> dict[str, int | str]:
    return {
        "pid": found.pid,
        "port": found.port,
        "socket": found.socket,
        "token": found.token,
        "startedAt": found.started_at,
        "version": found.version,
    }


def _positive(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _path(home: str, name: str) -> str:
    return os.path.join(home, name)  # noqa: PTH118 - as above
