"""Where a path really leads, found by looking at one component after the other.

Nothing is ever opened: only `lstat` and `readlink`, and only so many of them. Names are compared
as they are written: a file system that takes `A` for `a` is not provided for.
"""

import os
import stat
from dataclasses import dataclass, field
from typing import Final

MOST_LINKS: Final = 40
"""As many as Linux itself follows."""

MOST_STEPS: Final = 5000
"""So many components are gone through for one path."""
MOST_STEPS_IN_ALL: Final = 15_000
"""And so many for all paths of one judgement."""

_PROC: Final = "/proc"


@dataclass(slots=True)
class Steps:
    """What one judgement has gone through, and how many components it still may.

    Nothing is looked at twice: what is judged together was there at one time.
    """

    left: int = MOST_STEPS_IN_ALL
    seen: dict[str, os.stat_result] = field(default_factory=dict)
    found: dict[str, "Followed"] = field(default_factory=dict)
    """What is at the end of the paths that were asked for."""
    told: dict[tuple[str, str], str] = field(default_factory=dict)
    """What else was found out, by the question and the folder that it was about."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What is at the end of a path."""

    path: str | None
    """Absolute and without links; None if that cannot be known from here."""
    doubt: str = ""
    """Why it cannot, or why it may be another file by the time it is used."""
    about: os.stat_result | None = None
    """What is there; None: nothing, or nobody knows."""

    @property
    def is_directory(self) -> bool:
        """Whether a folder is there."""
        return self.about is not None and stat.S_ISDIR(self.about.st_mode)

    @property
    def special(self) -> str:
        """What is there if it is no file and no folder; "" otherwise."""
        if self.about is None:
            return ""
        return _SPECIAL.get(stat.S_IFMT(self.about.st_mode), "")

    @property
    def is_shared(self) -> bool:
        """Whether it is a file that has other names elsewhere."""
        about = self.about
        return about is not None and stat.S_ISREG(about.st_mode) and about.st_nlink > 1


_SPECIAL: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class _CannotTell(Exception):
    """Where this leads cannot be known."""


def follow(path: str, steps: Steps | None = None) -> Followed:
    """Go the way that the system would go. `path` is absolute, without NUL and not too long.

    `steps` are those that it may take together with others.
    """
    steps = steps or Steps()
    found = steps.found.get(path)
    if found is None:
        found = steps.found[path] = _followed(path, steps)
    return found


def _followed(path: str, steps: Steps) -> Followed:
    rest = path.split("/")
    rest.reverse()
    try:
        return _checked(_walk(rest, steps))
    except _CannotTell as doubt:
        return Followed(None, str(doubt))
    except (OSError, ValueError) as error:
        return Followed(None, f"it cannot be looked at ({_reason(error)})")


def _walk(rest: list[str], steps: Steps) -> Followed:
    """Through these components, the last of which comes first."""
    here, links = "", 0
    least = max(steps.left - MOST_STEPS, 0)
    about: os.stat_result | None = None
    while rest:
        part = rest.pop()
        if part in {"", "."}:
            continue
        steps.left -= 1
        if steps.left < least:
            raise _CannotTell("it leads through too many folders")
        if part == "..":
            here, about = _above(here, about), None
            continue
        there = f"{here}/{part}"
        try:
            about = steps.seen.get(there) or os.lstat(there)
        except (FileNotFoundError, NotADirectoryError):
            return _beyond(there, rest)
        if not stat.S_ISLNK(about.st_mode):
            here = there
            steps.seen[there] = about
            continue
        if (links := links + 1) > MOST_LINKS:
            raise _CannotTell("it leads through too many links")
        target, about = _target(there, about), None
        if target.startswith("/"):
            here = ""
        rest.extend(reversed(target.split("/")))
    # The last step may have been back to a folder above: that one was not looked at.
    return Followed(here or "/", "", os.lstat(here or "/") if about is None else about)


def _above(here: str, about: os.stat_result | None) -> str:
    if about is not None and not stat.S_ISDIR(about.st_mode):
        raise _CannotTell(f"it leads back out of {_shown(here)}, which is no folder")
    return here.rpartition("/")[0]


def _beyond(missing: str, rest: list[str]) -> Followed:
    """Nothing is there yet: what would be made lies below what is there."""
    parts = [part for part in reversed(rest) if part not in {"", "."}]
    if ".." in parts:
        raise _CannotTell(f"it leads back out of {_shown(missing)}, which is not there yet")
    return Followed("/".join((missing, *parts)))


def _target(link: str, about: os.stat_result) -> str:
    target = os.readlink(link)  # noqa: PTH115 - text, not a Path: half of the time
    if link.startswith(f"{_PROC}/"):
        raise _CannotTell(f"{_shown(link)} means something else to each process")
    if about.st_size != len(os.fsencode(target)):
        # The links that the system makes up (those of /proc, wherever it is mounted) say a size
        # that is not the length of what they show, and lead where their text does not.
        raise _CannotTell(f"{_shown(link)} is no ordinary link")
    return target


def _checked(found: Followed) -> Followed:
    path = found.path or ""
    if path.startswith(f"{_PROC}/") and path[len(_PROC) + 1 : len(_PROC) + 2].isdigit():
        return Followed(None, "it is about a running process, and another one at another time")
    if not path.isascii() and not _is_text(path):
        return Followed(None, "it leads to a name that is not valid text")
    return found


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "it is no valid name"
