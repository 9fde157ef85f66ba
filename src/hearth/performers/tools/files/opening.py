"""The one way files are opened: along their canonical path, folder by folder, through no link.

Whoever swaps a file or a folder for a link after its path was judged meets a refusal here: what is
opened is what the path said, or nothing. Only regular files are opened, and none blocks.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

CHUNK: Final = 1024 * 1024
_ENDLESS: Final = 4 * CHUNK
"""So much is read at most of files that do not say their size, such as those in /proc."""

_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Ends of lines, and what steers terminals."""
_PROC: Final = re.compile(r"/proc/\d")
_THROUGH: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_SPECIAL: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_CLOSED: Final = "{} is closed to the user that hearth runs as (permission denied)."
_FULL: Final = "{} was not written: the disk is full. What was there is unchanged."
_REASONS: Final = {
    errno.ENOENT: "There is no {}.",
    errno.EACCES: _CLOSED,
    errno.EPERM: _CLOSED,
    errno.ELOOP: "{} is a link now: it changed since it was allowed.",
    errno.ENOTDIR: "{} is no folder: a file or a link is in the way.",
    errno.ENAMETOOLONG: "{} is too long for a path.",
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: "{} was not written: the file system is read-only.",
}


class NotOpened(Exception):
    """Why a file or folder cannot be used. The text is a sentence for whoever named it."""


class NotThere(NotOpened):
    """There is nothing of this name."""


class IsFolder(NotOpened):
    """There is a folder where a file was meant."""


class Opened(NamedTuple):
    """A regular file, open for reading."""

    fd: int
    about: os.stat_result

    def chunks(self, most: int, step: int = CHUNK) -> Iterator[bytes]:
        """Its content from the start, at most so much of it. NotOpened."""
        left = most if self.about.st_size else min(most, _ENDLESS)
        while left > 0:
            try:
                chunk = os.read(self.fd, min(step, left))
            except OSError as error:  # such as a log of the system that has nothing to say yet
                raise NotOpened(f"It cannot be read ({error.strerror}).") from None
            if not chunk:
                return
            left -= len(chunk)
            yield chunk

    def is_unchanged(self) -> bool:
        """Whether nobody wrote to it since it was opened, as far as the system says."""
        return identity(os.fstat(self.fd)) == identity(self.about)


def identity(about: os.stat_result) -> tuple[int, int, int, int]:
    """Differs when a file is another one or was written to."""
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns


@contextmanager
def opened(path: str) -> Iterator[Opened]:
    """A regular file for reading. `path` is absolute and canonical. NotOpened."""
    with parent_of(path) as (folder, name), opened_in(folder, name, path) as file:
        yield file


@contextmanager
def opened_in(folder: int, name: str, path: str) -> Iterator[Opened]:
    """A regular file in an open folder; `path` is what it is called if it cannot be. NotOpened."""
    file = open_in(folder, name, path)
    try:
        yield file
    finally:
        os.close(file.fd)


def open_in(folder: int, name: str, path: str) -> Opened:
    """The same, for the caller to close. NotOpened."""
    try:
        # Looked at first: already opening a device can do something.
        if not stat.S_ISREG((about := os.stat(name, dir_fd=folder, follow_symlinks=False)).st_mode):
            check_regular(about, path)
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except (OSError, ValueError) as error:
        raise _refusal(error, path) from None
    try:
        about = os.fstat(descriptor)
        check_regular(about, path)
    except BaseException:
        os.close(descriptor)
        raise
    return Opened(descriptor, about)


def open_folder(path: str) -> int:
    """A folder, so that what is in it can be listed and opened from there. NotOpened."""
    if path == "/":
        return os.open("/", _FOLDER)
    with parent_of(path) as (folder, name):
        return _opened(lambda: os.open(name, _FOLDER, dir_fd=folder), path)


@contextmanager
def opened_folder(path: str) -> Iterator[int]:
    """The same, closed in the end. NotOpened."""
    descriptor = open_folder(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def parent_of(path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder that a path is in, and its name in there; with `make`, missing folders are made.

    NotOpened.
    """
    refuse_processes(path)
    *folders, name = parts_of(path)
    descriptor = folder_in(None, "/", "/")
    try:
        for number, part in enumerate(folders, 1):
            below = "/".join(("", *folders[:number]))
            following = _below(descriptor, part, below, make=make)
            os.close(descriptor)
            descriptor = following
        yield descriptor, name
    finally:
        os.close(descriptor)


def refuse_processes(path: str) -> None:
    """NotOpened for what is about a running process."""
    if _PROC.match(path):
        raise NotOpened(f"{shown(path)} is about a running process and is never opened.")


def folder_in(folder: int | None, name: str, path: str) -> int:
    """A folder in an open one, to go on from there; `path` is what it is called. NotOpened."""
    return _opened(lambda: os.open(name, _THROUGH, dir_fd=folder), path)


def parts_of(path: str) -> list[str]:
    """The names that a canonical path is made of. NotOpened for any other."""
    parts = path.split("/")[1:]
    if not path.startswith("/") or "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise NotOpened(f"{shown(path)} is no path that can be opened safely.")
    return parts


def whole(path: str, most: int) -> bytes:
    """All of a file. NotOpened, also if it is larger than `most` bytes."""
    with opened(path) as file:
        return all_of(file, path, most)


def all_of(file: Opened, path: str, most: int) -> bytes:
    """The same of one that is open."""
    if file.about.st_size > most:
        raise NotOpened(f"{shown(path)} is too large for this: {sized(file.about.st_size)}.")
    # In one piece, if it is as large as it says: a copy of many pieces takes as long again, and so
    # does making room for more than there is.
    content = b"".join(
        file.chunks(most + 1, file.about.st_size + 1 if file.about.st_size else CHUNK)
    )
    if len(content) > most:
        raise NotOpened(f"{shown(path)} is too large for this: more than {sized(most)}.")
    return content


def check_regular(about: os.stat_result, path: str) -> None:
    """NotOpened unless it is a regular file."""
    kind = stat.S_IFMT(about.st_mode)
    if kind == stat.S_IFREG:
        return
    if kind == stat.S_IFDIR:
        raise IsFolder(f"{shown(path)} is a folder, not a file.")
    if kind == stat.S_IFLNK:
        raise NotOpened(f"{shown(path)} is a link now: it changed since it was allowed.")
    raise NotOpened(f"{shown(path)} is {_SPECIAL.get(kind, 'something else')}, not a file.")


def shown(path: str) -> str:
    """A path in a sentence: never too long, always text, and on one line whatever is in a name."""
    text = path.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    text = _STEERING.sub(lambda one: ascii(one[0])[1:-1], text)
    return text if len(text) <= 300 else f"{text[:200]}…{text[-60:]}"


def sized(size: int) -> str:
    """A number of bytes for people."""
    if size < 1024:
        return f"{size} bytes"
    amount, unit = float(size), 0
    while amount >= 1024 and unit < 4:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.1f} {('', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def sentence(error: OSError, path: str) -> str:
    """What the system's refusal means."""
    said = _REASONS.get(error.errno or 0)
    return said.format(shown(path)) if said else f"{shown(path)} cannot be used ({error.strerror})."


def _below(folder: int, part: str, path: str, *, make: bool) -> int:
    if make:
        try:
            return os.open(part, _THROUGH, dir_fd=folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise NotOpened(sentence(error, path)) from None
        try:
            os.mkdir(part, dir_fd=folder)
        except FileExistsError:
            pass  # somebody else made it in this moment
        except OSError as error:
            raise NotOpened(sentence(error, path)) from None
    return folder_in(folder, part, path)


def _opened(opening: Callable[[], int], path: str) -> int:
    try:
        return opening()
    except (OSError, ValueError) as error:
        raise _refusal(error, path) from None


def _refusal(error: OSError | ValueError, path: str) -> NotOpened:
    if isinstance(error, FileNotFoundError):
        return NotThere(f"There is no {shown(path)}.")
    if isinstance(error, OSError):
        return NotOpened(sentence(error, path))
    # A name with a NUL in it, or one that is not text.
    return NotOpened(f"{shown(path)} is no valid path: {error}.")
