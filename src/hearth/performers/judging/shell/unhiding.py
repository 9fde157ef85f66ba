"""Which hidden files rg searches all the same, because files that tell it what to ignore say so.

A line that begins with `!` takes something back, and then it does not matter that its name begins
with a dot. Anybody who may write to a project can write such a line.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

NAMES: Final = frozenset({".gitignore", ".ignore", ".rgignore"})
_OF_REPOSITORY: Final = ".git/info/exclude"
_LARGEST: Final = 256 * 1024
_ANYTHING: Final = ("*",)


def above(folder: str) -> Iterator[str]:
    """The files that may say so for all that is below a folder, and do not lie in it."""
    while folder not in {"", "/"}:
        folder = os.path.dirname(folder)  # noqa: PTH120 - text, not a Path
        yield from (f"{folder.rstrip('/')}/{name}" for name in (*NAMES, _OF_REPOSITORY))


def within(folder: str, names: Iterable[str]) -> Iterator[str]:
    """Those that lie in a folder, by the names of what is in there."""
    yield from (f"{folder}/{name}" for name in names)
    yield f"{folder}/{_OF_REPOSITORY}"


def taken_back(path: str) -> tuple[str, ...]:
    """Patterns over the names of what is not ignored any more; none if there is no such file."""
    try:
        about = os.lstat(path)
    except OSError:
        return ()
    return _read(path, about.st_ino, about.st_ctime_ns)


@lru_cache(2048)
def _read(path: str, _number: int, _changed: int) -> tuple[str, ...]:
    """Read once for each state of the file: the time of its last change cannot be set."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # a link, for one: nobody knows what it leads to by the time it is read
        return _ANYTHING
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return _ANYTHING
        content = os.read(file, _LARGEST + 1)
    except OSError:
        return _ANYTHING
    finally:
        os.close(file)
    if len(content) > _LARGEST:
        return _ANYTHING
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = (line[1:].strip().strip("/") for line in text.splitlines() if line.startswith("!"))
    # What stands before a slash is where it is. `**` at the end is all that is there.
    return tuple(dict.fromkeys(line.rpartition("/")[2] for line in lines))
