"""Who of several processes on one file still lives: a locked file for each of them.

The system drops a process's lock when it ends, however it ends. So a killed owner is known to be
gone at once, by whoever looks, without a clock.
"""

import fcntl
import os
from pathlib import Path


class Owner:
    """One owner's own sign of life."""

    def __init__(self, directory: Path, name: str) -> None:
        self.name = name
        self._directory = directory
        self._descriptor = -1

    def appear(self) -> None:
        """Live from now on. The name must be new: nobody may have taken it for dead before."""
        self._directory.mkdir(parents=True, exist_ok=True)
        aside = self._directory / f"{self.name}.new"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(aside, flags, 0o600)
        try:
            # Locked before it has its name: nobody can find it unlocked and sweep it away.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.link(aside, self._path(self.name))
        except BaseException:
            os.close(descriptor)
            raise
        finally:
            aside.unlink()
        self._descriptor = descriptor

    def lives(self, name: str) -> bool:
        """Whether the owner of this name lives, in this process or another."""
        try:
            descriptor = os.open(self._path(name), os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except PermissionError:
            return True  # Another user's, so nothing can be known: nobody is driven out.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def sweep(self) -> None:
        """Remove what owners left that were killed."""
        for path in self._directory.glob("*.lock"):
            if not self.lives(path.stem):
                path.unlink(missing_ok=True)

    def vanish(self) -> None:
        """Live no longer. Safe to call twice."""
        if self._descriptor >= 0:
            self._path(self.name).unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}.lock"
