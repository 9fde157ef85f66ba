"""The files that code has open when its kernel is copied: nothing is written or read for two.

A copy would have what was written and not sent to the file yet, and write it once more; and who
reads would move the place where the other goes on. What is open for writing stays common to both:
each writes behind what is there, and over nothing.

To look through all objects for those that write to a file takes a tenth of a second for a million
of them, and touches each: no copy that was kept before would share them any more. So it is done
once for a file, and what was found is remembered as long as that is open.
"""

import contextlib
import gc
import io
import os
import stat
import weakref
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from . import descriptors

_KINDS: Final = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
"""The outermost first: what it holds goes to those within."""
_KEPT: Final = os.O_NONBLOCK | os.O_DIRECT | os.O_NOATIME
_LARGEST: Final = 1 << 16

Place = tuple[int, int, int]
"""A descriptor, and which file it is of, whatever that is called."""
_KNOWN: Final[dict[Place, list["weakref.ref[Any]"]]] = {}
"""The objects that write to each, as they were found; none if code only has a descriptor."""


class Opened(NamedTuple):
    """A file that is read, and how far it was."""

    fd: int
    flags: int
    place: int


class _Found(NamedTuple):
    opened: Opened
    place: Place

    @property
    def is_written(self) -> bool:
        return self.opened.flags & os.O_ACCMODE != os.O_RDONLY


def prepared(app: Any) -> list[Opened]:
    """Before a fork, in the main thread: write what is held back; answers what is only read."""
    found = list(_found(app))
    _flush({one.place for one in found if one.is_written}, list(app.shell.user_ns.values()))
    return [one.opened for one in found if not one.is_written and _is_single(one, found)]


def written(app: Any) -> set[Place]:
    """Those that code has open for writing."""
    return {one.place for one in _found(app) if one.is_written}


def place(fd: int) -> Place:
    """Which file a descriptor is of. OSError."""
    about = os.fstat(fd)
    return fd, about.st_dev, about.st_ino


def separate(read: list[Opened]) -> None:
    """In a copy: read these on by itself, from where they were. What cannot be stays common."""
    for one in read:
        with contextlib.suppress(OSError):
            fd = os.open(f"/proc/self/fd/{one.fd}", one.flags & _KEPT | os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.lseek(fd, one.place, os.SEEK_SET)
                os.dup2(fd, one.fd, inheritable=not one.flags & os.O_CLOEXEC)
            finally:
                os.close(fd)


def is_locked(fd: int) -> bool:
    """Whether this process has it locked, or a part of it."""
    return "lock" in _told(fd)


def is_users(app: Any, fd: int, kind: str) -> bool:
    """Whether it is a file that code has opened."""
    return fd > 2 and kind.startswith("/") and not kind.startswith(f"{app.folder}/")


def _found(app: Any) -> Iterator[_Found]:
    for fd, kind in list(descriptors.listed()):
        if not is_users(app, fd, kind):
            continue
        with contextlib.suppress(OSError, ValueError, KeyError):  # it was closed meanwhile
            about = os.fstat(fd)
            if stat.S_ISREG(about.st_mode):
                told = _told(fd)
                opened = Opened(fd, int(told["flags"], 8), int(told["pos"]))
                yield _Found(opened, (fd, about.st_dev, about.st_ino))


def _is_single(one: _Found, found: list[_Found]) -> bool:
    """Whether no other descriptor may be a duplicate of it, which has to go on with it."""
    same = [two for two in found if two.place[1:] == one.place[1:]]
    return sum(two.opened.place == one.opened.place for two in same) == 1


def _told(fd: int) -> dict[str, str]:
    """What the system tells of a descriptor; nothing if it is none."""
    try:
        about = os.open(f"/proc/self/fdinfo/{fd}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return {}
    try:
        lines = os.read(about, _LARGEST).decode().splitlines()
    finally:
        os.close(about)
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _flush(places: set[Place], values: list[Any]) -> None:
    """By the methods of the kinds themselves, which are known by their ids.

    No code of the user's runs here: a class may even be hashed in a way of its own.
    """
    for gone in _KNOWN.keys() - places:
        del _KNOWN[gone]
    if not places:
        return
    kinds: dict[int, Any] = {id(known): kind for kind in _KINDS for known in _all_of(kind)}
    there = [one for one in values if id(type(one)) in kinds]
    there += [one for refs in _KNOWN.values() for ref in refs if (one := ref()) is not None]
    if not all(_is_known(place, kinds, there) for place in places):
        everything: list[Any] = gc.get_objects()
        there = [one for one in everything if id(type(one)) in kinds]
        del everything
        for place in places:
            _KNOWN[place] = [weakref.ref(one) for one in there if _fd(kinds, one) == place[0]]
    fds = {fd for fd, _, _ in places}
    for kind in _KINDS:
        for one in there:
            if kinds[id(type(one))] is kind and _fd(kinds, one) in fds:
                with contextlib.suppress(OSError, ValueError):  # it is full, or taken apart
                    kind.flush(one)


def _is_known(place: Place, kinds: dict[int, Any], there: list[Any]) -> bool:
    """Whether all that writes there is; behind text there is nothing that it could be within."""
    of_it = [one for one in there if _fd(kinds, one) == place[0]]
    if any(kinds[id(type(one))] is io.TextIOWrapper for one in of_it):
        return True
    return place in _KNOWN and (bool(of_it) or not _KNOWN[place])


def _fd(kinds: dict[int, Any], one: Any) -> int:
    """What it writes to; none if it is closed, taken apart or in memory."""
    try:
        return int(kinds[id(type(one))].fileno(one))
    except Exception:  # noqa: BLE001 - it may be around anything
        return -1


def _all_of(kind: type) -> Iterator[type]:
    yield kind
    below: list[type] = type.__subclasses__(kind)
    for one in below:
        yield from _all_of(one)
