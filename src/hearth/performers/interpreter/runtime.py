"""The runtime folder of a home: the folders of its workers, and the lock on all of them."""

import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.worker_folder import WorkerFolder

LOCK: Final = "daemon.lock"
TRIES: Final = 25
LONGEST: Final = 80
"""Sockets are files below the folder, and Linux takes 107 bytes for the path of one."""


class RuntimeUnusable(Exception):
    """The runtime folder is somebody else's, or cannot be made."""


class Runtime:
    """The runtime folder of one daemon's home. Its lock tells guardians that a daemon lives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = -1

    @property
    def lock_path(self) -> Path:
        """What guardians look at."""
        return self.folder / LOCK

    def open(self) -> None:
        """Make the folder and take the lock, in a thread: it may take half a second.

        RuntimeUnusable if either is not ours to have.
        """
        while self._lock < 0:
            try:
                _private_folder(self.folder)
                fd = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise RuntimeUnusable(f"{self.lock_path}: {error.strerror}") from error
            if not _locked(fd):
                os.close(fd)
                raise RuntimeUnusable(
                    f"another daemon uses {self.folder}; hint: stop it, or use another home"
                )
            if _is_at(fd, self.lock_path):
                self._lock = fd
            else:
                os.close(fd)  # the daemon that had it took the folder away when it ended

    def close(self) -> None:
        """Let go of the lock: guardians begin to count. A folder without workers goes."""
        if self._lock < 0:
            return
        if not any(self.workers()):
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1

    def new(self) -> WorkerFolder:
        """An empty folder with a name that was never used before."""
        while True:
            path = self.folder / f"w-{secrets.token_hex(4)}"
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return WorkerFolder(path)

    def workers(self) -> Iterator[WorkerFolder]:
        """Every worker's folder that is there."""
        for path in sorted(self.folder.glob("w-*")):
            yield WorkerFolder(path)


def runtime_folder(home: Path) -> Path:
    """A short path for the sockets of this home: the home itself may be too deep for them."""
    named = f"hearth-{os.getuid()}-{sha256(str(home.resolve()).encode()).hexdigest()[:8]}"
    for base in (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - made 0700, and its owner is checked
        fits = len(os.fsencode(base)) + len(named) < LONGEST
        # A relative one would be another folder for every process.
        if fits and Path(base).is_absolute() and Path(base).is_dir():
            return Path(base) / named
    return Path("/tmp") / named  # noqa: S108 - made 0700, and its owner is checked


def _locked(fd: int) -> bool:
    """Guardians look whether the lock is free by taking it for a moment: try more than once."""
    for _ in range(TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return True
    return False


def _is_at(fd: int, path: Path) -> bool:
    """Whether the file that is open is the one at the path."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False


def _private_folder(folder: Path) -> None:
    """Make it for us alone; one that somebody else prepared is refused."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise RuntimeUnusable(f"{folder} cannot be made: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise RuntimeUnusable(f"{folder} belongs to somebody else; hint: remove it")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
