"""How hearth looks and acts in folders that a command could have changed.

Whatever lies there may be a link to elsewhere, a pipe that nobody writes to, or without end. So no
link is followed but where that is asked for, nothing blocks, and all of it has bounds.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from secrets import token_hex
from typing import Final, NamedTuple

HELD: Final = ".held-by-hearth"

_LOOKED: Final = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_CLOEXEC
_THROUGH: Final = _LOOKED | os.O_DIRECTORY | os.O_NOFOLLOW
_LISTED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MADE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Entry(NamedTuple):
    """What is in a folder."""

    name: str
    is_folder: bool
    """A link to one is none."""


class Made(NamedTuple):
    """An empty file, and what tells whether anybody used it since."""

    path: str
    inode: int
    changed: int


def real(path: str) -> str:
    """The path without links of what is there; empty if nothing is, or too many links lead there.

    The system follows them, which gives up after so many: a program of ours would go on.
    """
    try:
        opened = os.open(path, _LOOKED)
    except (OSError, ValueError):  # ValueError: a NUL in it
        return ""
    try:
        return os.readlink(f"/proc/self/fd/{opened}")  # noqa: PTH115 - a text stays a text
    except OSError:  # no Linux; but few enough links for the system
        return os.path.realpath(path)
    finally:
        os.close(opened)


def looked_at(path: str) -> os.stat_result | None:
    """What is there, be it a link; None: nothing."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def is_below(path: str, folder: str) -> bool:
    """Whether a path is in a folder, by their names."""
    return path.startswith(f"{folder.rstrip('/')}/")


@contextmanager
def parent_of(path: str) -> Iterator[tuple[int, str]]:
    """The folder that a real path is in, and its name in there; through no link. OSError."""
    *folders, name = path.strip("/").split("/")
    at = os.open("/", _THROUGH)
    try:
        for one in folders:
            below = os.open(one, _THROUGH, dir_fd=at)
            os.close(at)
            at = below
        yield at, name
    finally:
        os.close(at)


def entries(path: str, most: int) -> list[Entry]:
    """What is in a folder that is no link, so much of it at most; nothing if it cannot be said."""
    try:
        folder = os.open(path, _LISTED)
    except (OSError, ValueError):  # not there, not ours, or a link
        return []
    try:
        with os.scandir(folder) as found:
            return [
                Entry(one.name, one.is_dir(follow_symlinks=False)) for one in islice(found, most)
            ]
    except OSError:  # it goes away just now
        return []
    finally:
        os.close(folder)


def text_of(path: str, most: int) -> str | None:
    """What a file says, if it is one and not longer than this; None: it cannot be said."""
    try:
        with parent_of(path) as (folder, name):
            # Looked at first: already opening a device can do something.
            if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return None
            opened = os.open(name, _READ, dir_fd=folder)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return None
        with open(opened, "rb", closefd=False) as file:
            said = file.read(most + 1)
    except OSError:
        return None
    finally:
        os.close(opened)
    return said.decode("utf-8", "replace") if len(said) <= most else None


def moved_aside(path: str) -> str:
    """Give what is at a real path another name beside it, whatever it is. The name. OSError.

    Only a name changes: what a link leads to, or what has other names too, stays as it is.
    """
    with parent_of(path) as (folder, name):
        for end in (HELD, f"{HELD}-{token_hex(4)}"):
            aside = f"{name[: 200 - len(end)]}{end}"
            if not _is_in(folder, aside):
                os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
                return aside
    raise FileExistsError(17, "what it would be called is taken", path)


def made_file(path: str) -> Made | None:
    """Make an empty file at a real path; None: it cannot be made, or is there already."""
    try:
        with parent_of(path) as (folder, name):
            opened = os.open(name, _MADE, 0o666, dir_fd=folder)
    except (OSError, ValueError):
        return None
    try:
        seen = os.fstat(opened)
        return Made(path, seen.st_ino, seen.st_mtime_ns)
    finally:
        os.close(opened)


def made_folder(path: str) -> bool:
    """Make a folder at a real path, and those above it that are missing; through no link."""
    names = path.strip("/").split("/")
    at = os.open("/", _THROUGH)
    try:
        for one in names:
            if not _is_in(at, one):
                os.mkdir(one, dir_fd=at)
            below = os.open(one, _THROUGH, dir_fd=at)
            os.close(at)
            at = below
    except (OSError, ValueError):
        return False
    finally:
        os.close(at)
    return True


def forget(made: Made) -> None:
    """Take a file away that was made for somebody who did not use it."""
    try:
        with parent_of(made.path) as (folder, name):
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if (seen.st_ino, seen.st_mtime_ns, seen.st_size) == (made.inode, made.changed, 0):
                os.unlink(name, dir_fd=folder)
    except OSError:
        return  # somebody else took it away, or put something in its place


def _is_in(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
