"""What the project's own repository has although the project ignores it.

Of that repository only the list of its files is read, never what it says about itself.
"""

import logging
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hearth.performers.snapshots.git import Git, GitFailed
from hearth.performers.snapshots.worktree import Worktree

_LONGEST: Final = 5000

_said = logging.getLogger(__name__)


class Tracked:
    """The files that a project's own repository tracks. May wait for the disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: tuple[int, ...] = ()

    def though_ignored(self, git: Git, ignoring: Sequence[str]) -> tuple[bytes, ...]:
        """Those that are ignored and there, if the list is another one than the last time."""
        index = index_of(self._root)
        signature = signature_of(index)
        if not signature or signature == self._seen:
            return ()
        try:
            where = {"GIT_INDEX_FILE": str(index)}
            listed = git.run("ls-files", "-z", "-c", "-i", *ignoring, environ=where)
        except GitFailed as error:
            git.deadline.left()
            # Of a kind that this git does not know: such files are rare, and all others are kept.
            _said.warning("the index of %s cannot be read: %s", self._root, error)
            listed = b""
        self._seen = signature
        with Worktree(self._root) as files:
            return tuple(one for one in listed.split(b"\0") if _is_there(files, one))


def index_of(root: Path) -> Path | None:
    """Where the project's own repository lists its files, if it has one."""
    own = root / ".git"
    try:
        # Whoever writes to the project may have made it a pipe, or larger than memory.
        descriptor = os.open(own, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return own / "index"  # which is not there either
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            return own / "index"
        said = os.read(descriptor, _LONGEST) if stat.S_ISREG(kind) else b""
    except OSError:
        return None
    finally:
        os.close(descriptor)
    word, _, where = said.partition(b":")
    return root / os.fsdecode(where.strip()) / "index" if word == b"gitdir" else None


def signature_of(file: Path | None) -> tuple[int, ...]:
    """Another one for another content; empty if there is no such file."""
    try:
        status = file.stat() if file is not None else None
    except (OSError, ValueError):
        return ()
    if status is None or not stat.S_ISREG(status.st_mode):
        return ()
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _is_there(files: Worktree, path: bytes) -> bool:
    """Whether something is of the project; a list that others wrote may say anything."""
    try:
        return files.standing(path) is not None
    except OSError:
        return False
