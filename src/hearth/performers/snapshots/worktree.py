"""Changes the files of a project, path by path, and never anything outside of it.

Every folder on the way is opened by itself, without following links, so that a link that leads
out of the project is a thing to be replaced and never a way.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PERMISSIONS: Final = 0o777
_EXECUTE: Final = 0o111
_READ: Final = 0o444


class Forbidden(OSError):
    """A path that is not to be touched, whoever asks for it."""

    def __init__(self) -> None:
        super().__init__(0, "it is git's own, or no path in the project")


class Worktree:
    """The files of a project, to be changed. Each call may wait for the disk; OSError."""

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._root)

    def standing(self, path: bytes) -> os.stat_result | None:
        """What is there; None if there is nothing, or if a link or a file leads there."""
        *folders, name = _names(path)
        try:
            with self._folder(folders) as folder:
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def in_the_way(self, path: bytes) -> bytes | None:
        """The first thing on the way to a path, or at it, that is no folder; None if none is."""
        names = _names(path)
        for count in range(1, len(names) + 1):
            part = b"/".join(names[:count])
            status = self.standing(part)
            if status is None:
                return None
            if not stat.S_ISDIR(status.st_mode):
                return part
        return None

    def write(
        self, path: bytes, pieces: Iterable[bytes], *, is_program: bool, mode: int | None = None
    ) -> None:
        """Put a file there, whole or not at all.

        Who may do what with it stays as it is; for a new one, as `mode` says.
        """
        *folders, name = _names(path)
        old = self.standing(path)
        if old is not None and stat.S_ISREG(old.st_mode):
            mode = stat.S_IMODE(old.st_mode)
        with self._folder(folders, make=True) as folder, _temporary(folder) as new:
            file = os.open(new, _NEW, 0o666 if mode is None else 0o600, dir_fd=folder)
            with open(file, "wb", closefd=True) as out:  # noqa: PTH123 - an open file, by number
                if mode is None:
                    mode = stat.S_IMODE(os.fstat(file).st_mode)
                out.writelines(pieces)
                os.fchmod(out.fileno(), permissions(mode, is_program=is_program))
            os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)

    def link(self, path: bytes, target: bytes) -> None:
        """Put a symbolic link there."""
        *folders, name = _names(path)
        with self._folder(folders, make=True) as folder, _temporary(folder) as new:
            os.symlink(target, new, dir_fd=folder)
            os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)

    def remove(self, path: bytes) -> None:
        """Take a file or a link away. If there is none, that is fine; a folder stays."""
        *folders, name = _names(path)
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError),
            self._folder(folders) as folder,
        ):
            os.unlink(name, dir_fd=folder)

    def remove_empty(self, path: bytes) -> None:
        """Take folders away that hold nothing but folders, this one and those in it."""
        *folders, name = _names(path)
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError),
            self._folder(folders) as folder,
        ):
            for _, below, _, here in os.fwalk(name, topdown=False, dir_fd=folder):
                for one in below:
                    with contextlib.suppress(OSError):  # it is not empty, or a link
                        os.rmdir(one, dir_fd=here)
            with contextlib.suppress(OSError):  # it is not empty, and so it stays
                os.rmdir(name, dir_fd=folder)

    def remove_parents(self, paths: Iterable[bytes]) -> None:
        """Take the folders away that these were in, as far as nothing is in them now."""
        parents = {
            b"/".join(names[:count])
            for names in map(_names, paths)
            for count in range(1, len(names))
        }
        for one in sorted(parents, key=lambda path: path.count(b"/"), reverse=True):
            *folders, name = _names(one)
            # It is not empty, or gone already, or something else by now: then it stays.
            with contextlib.suppress(OSError), self._folder(folders) as folder:
                os.rmdir(name, dir_fd=folder)

    @contextlib.contextmanager
    def _folder(self, names: list[bytes], *, make: bool = False) -> Iterator[int]:
        """A folder, reached without following a link. NotADirectoryError if something else is."""
        here = os.dup(self._root)
        try:
            for name in names:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, dir_fd=here)
                below = _opened(name, here)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)


def _opened(name: bytes, folder: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        # What some systems say of a link, and others as below.
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error


def permissions(mode: int, *, is_program: bool) -> int:
    """Who may do what: whoever may read a program may execute it, nobody another file."""
    plain = mode & _PERMISSIONS & ~_EXECUTE
    return plain | ((plain & _READ) >> 2) if is_program else plain


@contextlib.contextmanager
def _temporary(folder: int) -> Iterator[bytes]:
    """A name in a folder under which nothing is left."""
    name = b".hearth-%b" % secrets.token_hex(8).encode()
    try:
        yield name
    except BaseException:
        with contextlib.suppress(OSError):  # it was never made, or cannot be removed either
            os.unlink(name, dir_fd=folder)
        raise


def _names(path: bytes) -> list[bytes]:
    names = path.split(b"/")
    if any(one in {b"", b".", b".."} or one.lower() == b".git" or b"\0" in one for one in names):
        raise Forbidden
    return names
