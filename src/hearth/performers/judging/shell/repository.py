"""Whether git, which does what a repository's own settings say, runs nothing here.

Settings of a repository can name programs for almost everything, also for looking. So only one
whose settings are all known to name none is trusted to be looked at, and so is every other that git
might take for it: it goes up from where it is until it finds one that it likes.
"""

import os
import stat
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.repository_settings import doubtful

_LARGEST: Final = 64 * 1024
_LARGEST_INDEX: Final = 32 * 1024 * 1024
_MODULE: Final = b"\x00\x00\xe0\x00"
"""The mode of an entry of the index that stands for another repository."""
_FIXED_UP_TO: Final = 3
"""Up to this version of the index, its entries begin at every eighth byte behind its header."""
_MODE_AT: Final = (12 + 24) % 8


def trouble_with(place: Place, *, within: bool = False) -> str:
    """Why git may run something when it looks at the repository of a folder; "" if it does not.

    `within`: the project's own repository counts as none. People know what that one runs.
    """
    return _once(_within if within else _trouble, place)


def _once(ask: Callable[[Place], str], place: Place) -> str:
    """What is found out of a folder, once for all commands that are judged together."""
    if place.steps is None:
        return ask(place)
    key = (ask.__name__, place.here)
    found = place.steps.told.get(key)
    if found is None:
        found = place.steps.told[key] = ask(place)
    return found


def _within(place: Place) -> str:
    return _trouble(place, within=True)


def _trouble(place: Place, *, within: bool = False) -> str:
    for here in _upwards(place):
        if within and place.relative(here) in {".", None}:
            return ""
        found = _about(f"{here}/.git")
        if found is not None:
            if not stat.S_ISDIR(found.st_mode):
                return f"the repository of {here} is elsewhere, so its settings are not known"
            if trouble := _trouble_in(f"{here}/.git"):
                return trouble
        if _about(f"{here}/HEAD") is not None:
            # Where the rest of it is can be said in other files, so this alone is enough.
            return f"{here} looks like a repository, and its settings are not protected"
    return ""


def has_repository(place: Place) -> bool:
    """Whether git finds one in the folder or above it, as far as the project goes."""
    return any(_about(f"{here}/.git") is not None for here in _upwards(place))


def trouble_with_modules(place: Place) -> str:
    """Why git may look at repositories within that of a folder, by what those say of themselves."""
    return _once(_trouble_with_modules, place)


def _trouble_with_modules(place: Place) -> str:
    for here in _upwards(place):
        folder = f"{here}/.git"
        try:
            names = os.listdir(folder)  # noqa: PTH208 - names are enough
        except OSError:  # there is none, or nothing that git could use either
            continue
        if any(name.startswith("sharedindex") for name in names):
            return "what is in the repository is kept in more than one index"
        about = _about(f"{folder}/index")
        if about is not None and _has_modules(f"{folder}/index", about.st_ino, about.st_ctime_ns):
            return (
                "there are other repositories in this one, and git does in each what that one says;"
                " with --ignore-submodules=all it does not look at them"
            )
    return ""


def _upwards(place: Place) -> Iterator[str]:
    """The folders in which git looks for a repository, to the first outside of the project."""
    here = place.here
    while True:
        yield here
        if place.is_outside(here) or here == "/":
            return
        here = os.path.dirname(here)  # noqa: PTH120 - text, not a Path


def _trouble_in(folder: str) -> str:
    if _about(f"{folder}/config.worktree") or _about(f"{folder}/commondir"):
        return "the repository has settings in more than one file"
    about = _about(f"{folder}/config")
    if about is None:
        return ""
    return _trouble_with_settings(f"{folder}/config", about.st_ino, about.st_ctime_ns)


@lru_cache(64)
def _trouble_with_settings(path: str, _number: int, _changed: int) -> str:
    """Read once for each state of the file: the time of its last change cannot be set."""
    try:
        content = _content(path, _LARGEST)
    except OSError as error:
        return f"the settings of the repository cannot be read ({error.strerror})"
    if len(content) > _LARGEST:
        return "the settings of the repository are too long to be looked at"
    found = doubtful(content)
    if not found:
        return ""
    return f"the repository's settings say {found!r}, which may run something"


@lru_cache(64)
def _has_modules(path: str, _number: int, _changed: int) -> bool:
    """Whether an index names other repositories, or cannot be looked at. As above."""
    try:
        content = _content(path, _LARGEST_INDEX)
    except OSError:
        return True
    if len(content) > _LARGEST_INDEX or content[:4] != b"DIRC":
        return True
    is_fixed = int.from_bytes(content[4:8], "big") <= _FIXED_UP_TO
    at = content.find(_MODULE)
    while at >= 0:
        if not is_fixed or at % 8 == _MODE_AT:
            return True
        at = content.find(_MODULE, at + 1)
    return False


def _content(path: str, most: int) -> bytes:
    with open(path, "rb", opener=_opener) as file:
        return file.read(most + 1)


def _opener(path: str, flags: int) -> int:
    """Opens no link, and does not wait for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _about(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None
