"""What of the world outside of a project a sandbox must let a command reach: what was allowed."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, READ, WRITE, Need
from hearth.performers.judging.paths import Place, path_needs
from hearth.performers.sandbox.footing import Made, made_file, made_folder, real

_OF_THE_SYSTEM: Final = ("/proc", "/dev", "/sys")
"""A sandbox has its own: those outside would show it other processes, whatever was allowed."""
_TEMPORARY: Final = ("/tmp", "/var/tmp")  # noqa: S108 - whose content a sandbox does not see

_MAKES_FILES: Final = frozenset({"written by a redirection", "written by tee", "written by touch"})
"""Why something is written to that can only be a file, and may be an empty one already."""
_MAKES_FOLDERS: Final = "written by mkdir"
_PARENTS: Final = re.compile(r"-[a-zA-Z]*p[a-zA-Z]*|--parents")


class Opening(NamedTuple):
    """What of the world outside is opened for a command to write to."""

    there: tuple[str, ...] = ()
    """Files and folders that are there, each for itself."""
    files: tuple[str, ...] = ()
    """Files that are made beforehand, so that they can be opened and nothing else."""
    folders: tuple[str, ...] = ()
    """The same of folders."""
    around: tuple[tuple[str, str], ...] = ()
    """What cannot be made beforehand, and the folder that must be opened to have it made."""
    own: tuple[str, ...] = ()
    """What comes to be in the temporary folder that commands have of their own."""


class Opened(NamedTuple):
    """What was opened, and which files were made for it."""

    paths: tuple[str, ...]
    made: tuple[Made, ...]


def opening(needs: tuple[Need, ...], place: Place, also: Sequence[str] = ()) -> Opening:
    """What a command needs opened that was allowed to write to these; `also` is open already.

    Never more than what the needs name: to have something made that is not there, all of the folder
    around it would have to be opened, and that takes a need of its own.
    """
    wanted = {path: need.why for path, need in _outside(needs, WRITE, place)}
    there = [path for path in wanted if path != "/" and real(path) == path]
    files: list[str] = []
    folders: list[str] = []
    around: list[tuple[str, str]] = []
    own: list[str] = []
    is_open = [*filter(None, map(real, also)), *(one for one in there if os.path.isdir(one))]  # noqa: PTH112 - text, not a Path
    # Folders first: what is in one that is made needs nothing of its own.
    for path in sorted(wanted):
        if os.path.lexists(path) or _is_in(path, (*is_open, *folders, *place.closed)):
            continue
        above = _above(path)
        if above in _TEMPORARY:
            own.append(path)
        elif wanted[path] in _MAKES_FILES:
            if above == os.path.dirname(path):  # noqa: PTH120 - as above
                files.append(path)
        elif wanted[path] == _MAKES_FOLDERS and _with_parents(needs):
            folders.append(path)
        elif above != "/":
            around.append((path, above))
    return Opening(tuple(there), tuple(files), tuple(folders), tuple(around), tuple(own))


def around_needs(needs: tuple[Need, ...], place: Place, also: Sequence[str]) -> tuple[Need, ...]:
    """What it takes to open the folders around what is not there yet: allowed once at a time."""
    return tuple(
        msgspec.structs.replace(need, pattern="")
        for path, folder in opening(needs, place, also).around
        for need in path_needs(
            folder, WRITE, place, f"all of it is opened, because {path} is not there yet"
        )
    )


def opened(what: Opening) -> Opened:
    """Make what has to be there, through no link; what cannot be made is not opened."""
    made = tuple(one for path in what.files if (one := made_file(path)))
    folders = (path for path in what.folders if made_folder(path))
    return Opened((*what.there, *folders, *(one.path for one in made)), made)


def readable(needs: tuple[Need, ...], place: Place) -> tuple[str, ...]:
    """What outside of the project a command was allowed to read and might not see.

    Of folders only temporary ones: all others are seen, but for the keys in them, and who may list
    a folder may not therefore read every key below it.
    """
    return tuple(
        path
        for path in dict(_outside(needs, READ, place))
        if os.path.isfile(path) or (_is_in(path, _TEMPORARY) and os.path.isdir(path))  # noqa: PTH112, PTH113 - text, not a Path
    )


def _outside(needs: tuple[Need, ...], permission: str, place: Place) -> Iterator[tuple[str, Need]]:
    """The paths that a permission is about, where being outside was allowed as well."""
    allowed = {need.resolved for need in needs if need.permission == EXTERNAL}
    for need in needs:
        path = need.resolved
        if need.permission != permission or not path or _is_in(path, _OF_THE_SYSTEM):
            continue
        # A folder that needs no permission of its own has no need of its own either.
        if path in allowed or (place.relative(path) is None and not place.is_outside(path)):
            yield path, need


def _above(path: str) -> str:
    """The nearest folder above that is there; the root of all if something is in the way."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)  # noqa: PTH120 - text, not a Path
    return path if real(path) == path and os.path.isdir(path) else "/"  # noqa: PTH112 - as above


def _with_parents(needs: tuple[Need, ...]) -> bool:
    """Whether every `mkdir` among the commands is content with what is there already."""
    made = [words for need in needs if need.permission == EXECUTE if (words := need.target.split())]
    return all(
        any(_PARENTS.fullmatch(word) for word in words) for words in made if words[0] == "mkdir"
    )


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in folders)
