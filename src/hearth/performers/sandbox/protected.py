"""What stays as it is inside of a project: what git and hearth run without being asked."""

from typing import Final, NamedTuple

from hearth.performers.sandbox import footing
from hearth.performers.sandbox.repositories import Repositories

OWN_FILES: Final = ("hearth.jsonc", ".hearthrc.py", ".hearth")
"""hearth's own in a project: settings, what runs at the start, what agents are told."""
_OF_GIT: Final = ("config", "config.worktree", "commondir", "hooks")


class Protected(NamedTuple):
    """What is not to be changed in the folders that may be."""

    read_only: tuple[str, ...]
    """Files and folders that are there."""
    anchored: tuple[str, ...]
    """Folders that may be written to, but neither moved nor replaced: the others are in them."""
    kept_empty: tuple[str, ...]
    """Folders of hooks that are not there, where git would look for them."""


def protected_in(folders: tuple[str, ...], directory: str = "") -> Protected:
    """What is protected in these folders, which are real paths. Waits for the disk, within bounds.

    A repository is looked for in each of them, a little below it, and in those between it and the
    working directory.
    """
    read_only: list[str] = []
    anchored: list[str] = []
    empty: list[str] = []
    here = footing.real(directory) if directory else ""
    for folder in folders:
        found = Repositories(folder, here)
        read_only += [real for name in OWN_FILES if (real := found.inside(f"{folder}/{name}"))]
        read_only += found.pointers
        for repository in found.all:
            if not _is_one(repository):
                continue
            if repository in found.top:
                anchored.append(repository)
                for elsewhere in (
                    *found.hooks_elsewhere(repository),
                    *found.hooks_by_person(repository),
                    *filter(footing.looked_at, found.included(repository)),
                ):
                    read_only.append(elsewhere)
                    anchored += _between(folder, elsewhere)
            read_only += [
                real for name in _OF_GIT if (real := found.inside(f"{repository}/{name}"))
            ]
            if footing.looked_at(f"{repository}/hooks") is None:
                empty.append(f"{repository}/hooks")
    return Protected(_once(read_only), _once(anchored), _once(empty))


def _between(folder: str, path: str) -> list[str]:
    """The folders between these two: whoever moves one of them moves what is in it."""
    names = path[len(folder.rstrip("/")) + 1 :].split("/")[:-1]
    return ["/".join((folder.rstrip("/"), *names[: at + 1])) for at in range(len(names))]


def _is_one(repository: str) -> bool:
    """Whether git would take it for a repository, or will once something is put into it.

    A folder with a file named HEAD alone is none: what would be made in it would be litter.
    """
    if repository.endswith("/.git") or "/.git/" in repository:
        return True
    return footing.looked_at(f"{repository}/commondir") is not None or all(
        footing.looked_at(f"{repository}/{name}") is not None for name in ("objects", "refs")
    )


def _once(found: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
