"""In which order things are mounted, so that of two the more particular one holds."""

import os
from collections.abc import Iterable, Iterator
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple, assert_never

from hearth.performers.sandbox import footing
from hearth.performers.sandbox.footing import is_below
from hearth.performers.sandbox.places import RUNTIME, SEEN_OF_RUNTIME
from hearth.performers.sandbox.protected import Protected

EMPTY: Final = str(Path(__file__).with_name("empty"))
"""A file with nothing in it, which is put over files that are hidden."""
TEMPORARY: Final = "/tmp"  # noqa: S108 - it is where a folder of the session's own is put
_ALSO_TEMPORARY: Final = "/var/tmp"  # noqa: S108 - as above
_OF_KERNEL: Final = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "driver")
"""Of /proc: what root may write to without any capability, `core_pattern` for one."""
_LOCKED: Final = ("--perms", "0555", "--tmpfs")
_FRESH: Final = (RUNTIME, TEMPORARY, _ALSO_TEMPORARY, "/dev", "/proc")
"""What the base has something new for: nothing is left there to be hidden or shown."""


class Kind(IntEnum):
    """What becomes of a path. Of two for the same path, the later one here holds."""

    COPIED = 1
    WRITABLE = 2
    READ_ONLY = 3
    EMPTIED = 4
    """A folder that is there and has nothing in it; made if it is missing."""
    HIDDEN = 5


class Mount(NamedTuple):
    """One path and what becomes of it."""

    path: str
    kind: Kind


def base(temporary: str) -> Iterator[str]:
    """The whole machine, read-only, with devices, processes and temporary files of its own."""
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    if os.getuid() == 0:
        for name in _OF_KERNEL:
            yield from ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")
    if temporary:
        yield from ("--bind", temporary, TEMPORARY)
    else:
        yield from ("--perms", "1777", "--tmpfs", TEMPORARY)
    if os.path.isdir(_ALSO_TEMPORARY):  # noqa: PTH112 - a text stays a text
        yield from ("--perms", "1777", "--tmpfs", _ALSO_TEMPORARY)
    if os.path.isdir(RUNTIME):  # noqa: PTH112 - as above
        yield from (*_LOCKED, RUNTIME)
        for one in SEEN_OF_RUNTIME:
            if os.path.exists(one):  # noqa: PTH110 - as above
                yield from ("--ro-bind", one, one)


def planned(
    *,
    writable: Iterable[str],
    hidden: Iterable[str],
    copied: Iterable[str],
    protected: Protected,
    readable: Iterable[str] = (),
) -> list[Mount]:
    """Every path once, folders before what is in them. All are real paths.

    Of what is hidden nothing comes to light again but what may be written to, or is `readable`.
    """
    open_ = set(writable)
    shown = open_.union(readable)
    # What is shown with all that is in it is not new any more.
    fresh = [one for one in _FRESH if not is_below_any(one, shown)]
    closed = set(hidden).difference(_FRESH, "/")
    chosen: dict[str, Kind] = dict.fromkeys(
        (one for one in copied if not is_below_any(one, open_)), Kind.COPIED
    )
    for paths, kind in (
        (open_, Kind.WRITABLE),
        (protected.anchored, Kind.WRITABLE),
        (shown - open_, Kind.READ_ONLY),
        (protected.read_only, Kind.READ_ONLY),
        (protected.kept_empty, Kind.EMPTIED),
        (closed, Kind.HIDDEN),
    ):
        for path in paths:
            chosen[path] = max(kind, chosen.get(path, kind))
    return [
        Mount(path, kind)
        for path, kind in sorted(chosen.items(), key=_depth)
        if path in shown or not _is_gone(path, closed.union(fresh), shown)
    ]


def _is_gone(path: str, closed: Iterable[str], shown: Iterable[str]) -> bool:
    """Whether something above it was hidden, and nothing between them is shown all the same."""
    return any(
        is_below(path, one)
        and not any(is_below(other, one) and is_below_any(path, (other,)) for other in shown)
        for one in closed
    )


def _depth(one: tuple[str, Kind]) -> tuple[str, ...]:
    return tuple(one[0].split("/"))


def arguments(mounts: Iterable[Mount]) -> Iterator[str]:
    """What bubblewrap is told about them.

    Each mount costs a command a fraction of a millisecond. So what is hidden is not locked by one
    more, but by its mode: whoever changes that writes into a folder that is forgotten.
    """
    for path, kind in mounts:
        match kind:
            case Kind.COPIED:
                yield from ("--overlay-src", path, "--tmp-overlay", path)
            case Kind.WRITABLE:
                yield from ("--bind", path, path)
            case Kind.READ_ONLY:
                yield from ("--ro-bind", path, path)
            case Kind.EMPTIED:
                yield from (*_LOCKED, path)
            case Kind.HIDDEN if os.path.isdir(path):  # noqa: PTH112 - as above
                yield from (*_LOCKED, path)
            case Kind.HIDDEN:
                yield from ("--ro-bind", EMPTY, path)
            case _:
                assert_never(kind)


def real_paths(places: Iterable[str]) -> set[str]:
    """Of these, the real paths of what is there."""
    return {found for one in places if (found := footing.real(one))}


def reachable(paths: Iterable[str]) -> set[str]:
    """Of these, what whoever runs this process can get at: who cannot, cannot in the sandbox."""
    anyhow = (os.R_OK, os.W_OK, os.X_OK)
    return {one for one in paths if any(os.access(one, way) for way in anyhow)}


def may_be_shown(path: str) -> bool:
    """Whether it can be mounted without undoing what keeps programs apart."""
    return path not in {"/", RUNTIME} and not is_below_any(path, ("/proc", "/dev"))


def is_hidden(path: str, private: Iterable[str]) -> bool:
    """Whether it is private, in something private, or where the base has something new."""
    return is_below_any(path, (*private, *_FRESH))


def is_below_any(path: str, folders: Iterable[str]) -> bool:
    """Whether it is one of these folders, or in one."""
    return any(path == one or is_below(path, one) for one in folders)
