"""Which of the files that changed can be kept, and what is said of the others."""

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

LARGEST: Final = 10 * 1024 * 1024
"""A larger file is not kept."""
LARGEST_IN_THE_WAY: Final = 200 * 1024 * 1024
"""Of a file that going back would overwrite: it is kept even if it is large, or ignored."""
MOST_BYTES: Final = 1024 * 1024 * 1024
"""So much may be new at once."""

_GONE: Final = b"D"
_NAMED: Final = 3


class TooMuch(Exception):
    """There is more that is new than is kept at once; the message says how much."""


@dataclass(slots=True)
class Sifted:
    """What is to be done with the files that git lists."""

    add: list[bytes] = field(default_factory=list)
    remove: list[bytes] = field(default_factory=list)
    nested: list[bytes] = field(default_factory=list)
    """Folders with a repository of their own, into which git does not look by itself."""
    left_out: dict[str, list[bytes]] = field(default_factory=dict)
    """By the reason why they cannot be kept."""
    modes: dict[bytes, int] = field(default_factory=dict)
    """Who may do what with the files that are added."""
    size: int = 0

    def notices(self) -> tuple[str, ...]:
        """What a person should know of what is not kept."""
        return tuple(_notice(why, paths) for why, paths in self.left_out.items())

    def left_paths(self) -> frozenset[bytes]:
        """All that cannot be kept."""
        return frozenset(one for paths in self.left_out.values() for one in paths)

    def leave(self, why: str, path: bytes) -> None:
        """Do not keep this."""
        self.left_out.setdefault(why, []).append(path)


def sift(
    root: Path, changed: bytes, others: bytes, in_the_way: Collection[bytes] = frozenset()
) -> Sifted:
    """Sort what `git diff-files --name-status -z` and `git ls-files -o -z` list. TooMuch.

    What is `in_the_way` of going back is kept although it is large. May wait for the disk.
    """
    sifted = Sifted()
    words = changed.split(b"\0")[:-1]
    for status, path in zip(words[::2], words[1::2], strict=True):
        if status == _GONE or not _take(sifted, root, path, in_the_way):
            sifted.remove.append(path)
    for path in dict.fromkeys(others.split(b"\0")[:-1]):
        if path.endswith(b"/"):
            sifted.nested.append(path)
        else:
            _take(sifted, root, path, in_the_way)
    if sifted.size > MOST_BYTES:
        raise TooMuch(
            f"there are {sifted.size // 1024**2} MB of new content in {len(sifted.add)} files,"
            f" and at most {MOST_BYTES // 1024**2} MB are kept at once; list what is made by"
            " programs in a .gitignore"
        )
    return sifted


def _take(sifted: Sifted, root: Path, path: bytes, in_the_way: Collection[bytes]) -> bool:
    """Whether a file is kept as it is now."""
    base = os.fsencode(root) + b"/"
    try:
        status = os.lstat(base + path)
    except (FileNotFoundError, NotADirectoryError):
        return False  # it went in between
    except OSError:
        sifted.leave("cannot be looked at", path)
        return False
    if stat.S_ISDIR(status.st_mode):
        return False  # what is in it is listed by itself
    largest = LARGEST_IN_THE_WAY if path in in_the_way else LARGEST
    if why := _why_not(base, path, status, largest):
        sifted.leave(why, path)
        return False
    sifted.add.append(path)
    sifted.size += status.st_size
    if stat.S_ISREG(status.st_mode):
        sifted.modes[path] = stat.S_IMODE(status.st_mode)
    return True


def _why_not(base: bytes, path: bytes, status: os.stat_result, largest: int) -> str:
    """Why something cannot be kept; "" if it can."""
    names = path.split(b"/")
    if any(one.lower() == b".git" for one in names):
        return "are named like git's own"
    if stat.S_ISLNK(status.st_mode):
        return "are named like git's own" if names[-1].lower() == b".gitmodules" else ""
    if not stat.S_ISREG(status.st_mode):
        return "are neither files nor links"
    if status.st_size > largest:
        return f"are over {largest // 1024**2} MB"
    return "" if os.access(base + path, os.R_OK) else "cannot be read"


def _notice(why: str, paths: list[bytes]) -> str:
    named = ", ".join(shown(one) for one in sorted(paths)[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"not kept, because they {why}: {named}{more}"


def shown(path: bytes) -> str:
    """A path as people read it and as JSON can hold it."""
    return path.decode("utf-8", "backslashreplace")
