"""What a command left where git and hearth look by themselves, and what is done about it.

What is there already cannot be changed from inside of the sandbox. What is not there cannot be
protected without making it, which would be litter: it is looked for afterwards instead. All that is
ever done is to give something another name: nothing that a link leads to is touched.
"""

import os
import stat
from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple, assert_never

from hearth.performers.sandbox import footing
from hearth.performers.sandbox.git_settings import doubtful_settings
from hearth.performers.sandbox.protected import OWN_FILES
from hearth.performers.sandbox.repositories import LARGEST_CONFIG, Repositories

MOST_HOOKS: Final = 200
"""A folder with more than that is none for hooks."""
MOST_OF_ALL: Final = 4000
"""So many hooks are looked at."""
_SAMPLE: Final = ".sample"
_EXECUTABLE: Final = 0o111
_LONGEST_COMMON: Final = 4096


class Role(Enum):
    """What a file or folder is to git, or to hearth."""

    OWN = "hearth's own"
    SETTINGS = "settings of git"
    ELSEWHERE = "says where the settings are"
    HOOKS = "a folder of hooks"
    HOOK = "a hook"


class Seen(NamedTuple):
    """What is there, with what tells it from another."""

    role: Role
    mode: int
    inode: int
    changed: int
    above: tuple[int, ...] = ()
    """The folders that it is in, below the one that is looked at: by these it is seen whether one
    of them was moved, with what is protected in it, and another put in its place."""


class State(NamedTuple):
    """What is there of everything that would run by itself."""

    folders: tuple[str, ...]
    """Real paths, and they stay these: what a command puts in their place is not looked at."""
    directory: str
    found: dict[str, Seen]
    is_whole: bool
    """Nothing was left out because there was too much."""


class Left(NamedTuple):
    """One thing that a command left."""

    path: str
    what: str
    """In a sentence, with what was done about it."""


def state(folders: tuple[str, ...], directory: str = "") -> State:
    """What is there now in these folders, before a command. For a thread."""
    real = (footing.real(one) for one in folders)
    here = footing.real(directory) if directory else ""
    return _state(tuple(dict.fromkeys(one for one in real if one)), here, None)


def aftermath(before: State) -> tuple[Left, ...]:
    """What has come since, in words; what git would run of it is moved aside. For a thread."""
    after = _state(before.folders, before.directory, before)
    found = []
    for path, now in after.found.items():
        was = before.found.get(path)
        if was == now:
            continue
        # Whoever put something in the place of a link, or of a folder around it, has made it.
        is_new = was is None or stat.S_ISLNK(was.mode) or was.above != now.above
        what = _settled(path, now, is_new=is_new)
        if what:
            found.append(Left(path, what))
    if before.is_whole and not after.is_whole:
        what = "so much was made that not all of it was looked at for hooks and settings of git"
        found.append(Left(before.folders[0], what))
    return tuple(found)


def _settled(path: str, now: Seen, *, is_new: bool) -> str:
    """What is to be said of something that has come, or has changed; empty: nothing."""
    match now.role:
        case Role.OWN:
            return f"{path}, which hearth reads, was made: it counts once a person trusts it"
        case Role.ELSEWHERE:
            why = "" if _is_usual(path) else "would have git take its settings from elsewhere"
        case Role.SETTINGS:
            why = _doubt(path, now)
        case Role.HOOKS:
            why = _trouble(path, now)
        case Role.HOOK:
            why = "is a hook, which git would run by itself" if _is_run(path, now) else ""
        case _:
            assert_never(now.role)
    if not why:
        return ""
    return _moved(path, why) if is_new else f"{path} {why}, and has changed"


def _moved(path: str, why: str) -> str:
    try:
        aside = footing.moved_aside(path)
    except OSError as error:
        return f"{path} {why}, and could not be moved aside: {error.strerror}"
    return f"{path} {why}: it is new and was moved aside, to {aside}"


def _is_usual(path: str) -> bool:
    """Whether a `commondir` is that of a worktree, which leads to the repository it lies in."""
    above = os.path.dirname(os.path.dirname(path))  # noqa: PTH120 - a text stays a text
    said = footing.text_of(path, _LONGEST_COMMON)
    return above.endswith("/.git/worktrees") and said is not None and said.strip() == "../.."


def _doubt(path: str, now: Seen) -> str:
    if not stat.S_ISREG(now.mode):
        return "stands where git has its settings and is no file"
    said = footing.text_of(path, LARGEST_CONFIG)
    if said is None:
        return "stands where git has its settings and cannot be looked at"
    doubtful = ", ".join(doubtful_settings(said)[:3])
    return f"says {doubtful}, which can have git run programs" if doubtful else ""


def _trouble(path: str, now: Seen) -> str:
    if stat.S_ISLNK(now.mode):
        return "is a link to where git would look for hooks"
    if len(footing.entries(path, MOST_HOOKS + 1)) > MOST_HOOKS:
        return "has more in it than hooks, and git would run some of it"
    return ""


def _is_run(path: str, now: Seen) -> bool:
    """Whether git might run it: a link may lead to something else tomorrow."""
    if path.endswith(_SAMPLE) or footing.HELD in path.rpartition("/")[2]:
        return False
    return stat.S_ISLNK(now.mode) or bool(stat.S_ISREG(now.mode) and now.mode & _EXECUTABLE)


def _state(folders: tuple[str, ...], directory: str, before: State | None) -> State:
    found: dict[str, Seen] = {}
    is_whole, left = True, MOST_OF_ALL

    def look(path: str, role: Role) -> Seen | None:
        about = footing.looked_at(path)
        if about is None:
            return None
        above = _above(path, folder)
        found[path] = seen = Seen(role, about.st_mode, about.st_ino, about.st_ctime_ns, above)
        return seen

    for folder in folders:
        for name in OWN_FILES[:2]:  # in the third, hearth itself writes while a command runs
            look(f"{folder}/{name}", Role.OWN)
        repositories = Repositories(folder, directory)
        is_whole = is_whole and repositories.is_whole
        for repository in repositories.all:
            config = look(f"{repository}/config", Role.SETTINGS)
            look(f"{repository}/config.worktree", Role.SETTINGS)
            look(f"{repository}/commondir", Role.ELSEWHERE)
            hooks = look(f"{repository}/hooks", Role.HOOKS)
            known = before.found if before else found
            # Where a command itself has git look, nothing is a hook: that it does so is undone.
            is_as_before = config is not None and known.get(f"{repository}/config") == config
            included, elsewhere = _said_by(repository, repositories) if is_as_before else ((), ())
            for path in included:
                look(path, Role.SETTINGS)
            for place in (
                *_hooks_in(repository, hooks, repositories, known),
                *elsewhere,
                *repositories.hooks_by_person(repository),
            ):
                inside = footing.entries(place, MOST_HOOKS + 1)
                left -= len(inside)
                is_whole = is_whole and left >= 0
                for one in inside if len(inside) <= MOST_HOOKS and left >= 0 else ():
                    if not one.is_folder:
                        look(f"{place}/{one.name}", Role.HOOK)
    return State(folders, directory, found, is_whole)


def _said_by(
    repository: str, repositories: Repositories
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files that the settings of a repository include, and where else it has its hooks."""
    included = tuple(repositories.included(repository))
    return included, tuple(repositories.hooks_elsewhere(repository))


def _above(path: str, folder: str) -> tuple[int, ...]:
    """What the folders between these two are, whatever they are called."""
    found: list[int] = []
    above = os.path.dirname(path)  # noqa: PTH120 - a text stays a text
    while footing.is_below(above, folder):
        about = footing.looked_at(above)
        found.append(about.st_ino if about is not None else 0)
        above = os.path.dirname(above)  # noqa: PTH120 - as above
    return tuple(found)


def _hooks_in(
    repository: str, hooks: Seen | None, repositories: Repositories, known: dict[str, Seen]
) -> Iterator[str]:
    """The folder of a repository's own hooks, or where a link leads that was there before."""
    path = f"{repository}/hooks"
    if hooks is None:
        return
    if not stat.S_ISLNK(hooks.mode):
        yield path
    elif known.get(path) == hooks and (led := repositories.inside(path)):
        yield led
