"""What lies below a folder whose files a command shows: files that may hold secrets, and links.

Only so much is looked at. What a folder holds is kept in mind until the folder changes.
"""

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from hearth.performers.judging.sensitive import may_hold_secrets
from hearth.performers.judging.shell.sieves import Sieve
from hearth.performers.judging.shell.unhiding import NAMES, above, taken_back, within

MOST_NAMES: Final = 12_000
"""So many names are read for one line; what is kept in mind costs none."""
MOST_FOLDERS: Final = 6_000
MOST_SECRETS: Final = 20
_MOST_ROUNDS: Final = 4

_KEPT: Final = 8_000
_SETTLED: Final = 2 * 10**9
"""A folder that changed within so many nanoseconds may change again without it being seen."""
_OF_OTHERS: Final = frozenset({"node_modules", "site-packages"})
"""Made by programs that install others: large, and what is in them is public."""


@dataclass(slots=True)
class Allowance:
    """How much may still be looked at."""

    names: int = MOST_NAMES
    folders: int = MOST_FOLDERS


class Tree(NamedTuple):
    """What was found below a folder."""

    secrets: tuple[str, ...] = ()
    """Paths of files that may hold some, no more than so many."""
    has_links: bool = False
    """Or may have some."""
    is_whole: bool = True
    """All of it was looked at."""


class _Listing(NamedTuple):
    secrets: tuple[str, ...]
    folders: tuple[str, ...]
    has_links: bool
    rules: tuple[str, ...] = ()
    """Names of files that say what is ignored."""


class _TooMuch(Exception):
    """Looking at all of it would take too long, or is not possible."""


def look_through(top: str, sieve: Sieve, allowance: Allowance) -> Tree:
    """Look at everything below a folder, given by its canonical path, that a sieve lets through."""
    if not sieve.skips_hidden:
        return _looked(top, sieve, allowance, {})
    # What is hidden is not hidden to rg where the project says so.
    unhidden = dict.fromkeys(one for path in above(top) for one in taken_back(path))
    for _ in range(_MOST_ROUNDS):
        known = tuple(unhidden)
        found = _looked(top, replace(sieve, unhidden=known), allowance, unhidden)
        if len(unhidden) == len(known):
            return found
    return Tree(is_whole=False)  # folders that were hidden say more and more


def _looked(top: str, sieve: Sieve, allowance: Allowance, unhidden: dict[str, None]) -> Tree:
    """As above; what it finds to be not hidden is added to the last."""
    secrets: list[str] = []
    has_links = False
    try:
        for folder, listing in _below(top, sieve, allowance):
            has_links = has_links or listing.has_links
            secrets += (f"{folder}/{name}" for name in listing.secrets if sieve.may_read(name))
            if len(secrets) > MOST_SECRETS:
                return Tree(tuple(secrets[:MOST_SECRETS]), has_links, is_whole=False)
            if sieve.skips_hidden and (listing.rules or ".git" in listing.folders):
                for path in within(folder, listing.rules):
                    unhidden.update(dict.fromkeys(taken_back(path)))
    except _TooMuch:
        return Tree(tuple(secrets), has_links, is_whole=False)
    return Tree(tuple(secrets), has_links)


def _below(top: str, sieve: Sieve, allowance: Allowance) -> Iterator[tuple[str, _Listing]]:
    left = [top]
    while left:
        folder = left.pop()
        listing = _listing(folder, allowance)
        if listing is None:
            continue
        yield folder, listing
        left += (f"{folder}/{name}" for name in listing.folders if sieve.may_enter(name))


_kept: dict[str, tuple[tuple[int, int], _Listing]] = {}


def _listing(folder: str, allowance: Allowance) -> _Listing | None:
    """What is in a folder; None if nobody can list it."""
    allowance.folders -= 1
    if allowance.folders < 0:
        raise _TooMuch
    try:
        about = os.lstat(folder)
    except OSError:  # it has gone
        return None
    if not stat.S_ISDIR(about.st_mode):
        return None
    state = (about.st_ino, about.st_ctime_ns)
    kept = _kept.get(folder)
    if kept is not None and kept[0] == state:
        return kept[1]
    try:
        listing = _read(folder, allowance)
    except OSError as error:
        # What this process may not list, no command that it starts can.
        if isinstance(error, PermissionError | FileNotFoundError):
            return None
        raise _TooMuch from None
    if time.time_ns() - about.st_ctime_ns > _SETTLED:
        if len(_kept) >= _KEPT:
            _kept.clear()
        _kept[folder] = state, listing
    return listing


def _read(folder: str, allowance: Allowance) -> _Listing:
    secrets: list[str] = []
    folders: list[str] = []
    has_links = False
    is_secret = may_hold_secrets(f"{folder}/plain")
    is_repository = folder.endswith("/.git")
    rules: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            allowance.names -= 1
            if allowance.names < 0:
                raise _TooMuch
            name = entry.name
            if name in NAMES:
                rules.append(name)
            if entry.is_symlink():
                has_links = True
            elif entry.is_dir(follow_symlinks=False):
                if name in _OF_OTHERS or (is_repository and name == "objects"):
                    has_links = True  # perhaps: it is not looked into
                else:
                    folders.append(name)
            elif may_hold_secrets(f"{folder}/{name}" if is_secret else name):
                secrets.append(name)
    return _Listing(tuple(secrets), tuple(folders), has_links, tuple(rules))
