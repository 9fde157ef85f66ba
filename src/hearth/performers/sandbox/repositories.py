"""Finds the repositories of git in a folder, within bounds and through no link that leads out."""

import os
import stat
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from hearth.performers.sandbox import footing
from hearth.performers.sandbox.git_settings import hooks_paths, included_paths

DEEP: Final = 2
"""So many folders below the root another repository is looked for."""
MOST_FOLDERS: Final = 400
"""So many are looked into for repositories, and so many for those of submodules."""
MOST_ENTRIES: Final = 50_000
MOST_REPOSITORIES: Final = 100
MOST_ABOVE: Final = 100
LARGEST_CONFIG: Final = 64 * 1024
_MOST_INCLUDED: Final = 16

_SKIPPED: Final = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", "target"})
_POINTER: Final = "gitdir:"
_LONGEST_POINTER: Final = 8192


class Repositories:
    """What is found in one folder, a real path, and on the way from there to a directory."""

    def __init__(self, folder: str, directory: str = "") -> None:
        """Looks. Waits for the disk."""
        self.folder = folder
        self.is_whole = True
        """Nothing was left out because there was too much."""
        self.pointers: list[str] = []
        """Files that say where a repository is: of worktrees and of submodules."""
        self.top: list[str] = []
        """Folders, each a repository of its own."""
        self.all: list[str] = []
        """The same, with those of submodules and worktrees that lie in them."""
        self._folders = self._of_modules = MOST_FOLDERS
        self._entries = MOST_ENTRIES
        self._to_read = 8 * LARGEST_CONFIG
        for found in dict.fromkeys(self._found(directory)):
            self._take(found)
        for one in tuple(self.top):
            for below in (one, *self._modules(one)):
                self._add(below, self.all)

    def inside(self, path: str) -> str:
        """The real path of what is there, if it is below the folder; what is elsewhere is not ours.

        A link that leads to something hidden must not have it shown.
        """
        found = footing.real(path)
        return found if footing.is_below(found, self.folder) else ""

    def hooks_elsewhere(self, repository: str) -> list[str]:
        """Where its own settings have git look for hooks instead, if that is in the folder."""
        said = footing.text_of(f"{repository}/config", min(LARGEST_CONFIG, self._to_read))
        self._to_read -= len(said or "")
        return self._hooks(repository, said)

    def hooks_by_person(self, repository: str) -> list[str]:
        """The same, by the settings of whoever runs the daemon."""
        return self._hooks(repository, self._of_person)

    @cached_property
    def _of_person(self) -> str | None:
        own = footing.real(os.path.expanduser("~/.gitconfig"))  # noqa: PTH111 - a text stays a text
        return footing.text_of(own, LARGEST_CONFIG) if own else None

    def included(self, repository: str) -> list[str]:
        """Files in the folder whose settings its own say to hold too, be they there or not."""
        found: list[str] = []
        waiting = [f"{repository}/config"]
        while waiting and len(found) <= _MOST_INCLUDED:
            config = waiting.pop(0)
            said = footing.text_of(config, min(LARGEST_CONFIG, self._to_read)) or ""
            self._to_read -= len(said)
            above = os.path.dirname(config)  # noqa: PTH120 - a text stays a text
            for one in included_paths(said):
                named = os.path.join(above, os.path.expanduser(one))  # noqa: PTH111, PTH118 - as above
                path = self.inside(named) or os.path.normpath(named)
                if footing.is_below(path, self.folder) and path not in found:
                    found.append(path)
                    waiting.append(path)
        return found

    def _hooks(self, repository: str, config: str | None) -> list[str]:
        above = os.path.dirname(repository)  # noqa: PTH120 - as above
        named = (os.path.expanduser(one) for one in hooks_paths(config or ""))  # noqa: PTH111 - as above
        found = (self.inside(os.path.join(above, one)) for one in named)  # noqa: PTH118 - as above
        return [one for one in found if one]

    def _take(self, path: str) -> None:
        """Add what is called `.git`, or looks like it from inside."""
        seen = footing.looked_at(path)
        if seen is None:
            return
        if stat.S_ISDIR(seen.st_mode):
            self._add(path, self.top)
        elif stat.S_ISREG(seen.st_mode):
            self._add(path, self.pointers)
            said = footing.text_of(path, _LONGEST_POINTER) or ""
            if said.startswith(_POINTER):
                above = os.path.dirname(path)  # noqa: PTH120 - as above
                led = os.path.join(above, said[len(_POINTER) :].strip())  # noqa: PTH118 - as above
                if (found := self.inside(led)) and os.path.isdir(found):  # noqa: PTH112 - as above
                    self._add(found, self.top)

    def _add(self, path: str, found: list[str]) -> None:
        if path in found:
            return
        if len(found) < MOST_REPOSITORIES:
            found.append(path)
        else:
            self.is_whole = False

    def _found(self, directory: str) -> Iterator[str]:
        """Everything called `.git` in the folder, in those below, and on the way to the directory.

        The folder's own comes first: whatever is too much, it is not left out.
        """
        if found := self.inside(f"{self.folder}/.git"):
            yield found
        above = directory
        for _ in range(MOST_ABOVE):
            if not footing.is_below(above, self.folder):
                break
            if found := self.inside(f"{above}/.git"):
                yield found
            above = os.path.dirname(above)  # noqa: PTH120 - as above
        waiting = [(self.folder, 0)]
        while waiting:
            place, depth = waiting.pop(0)
            if self._folders <= 0:
                self.is_whole = False
                return
            self._folders -= 1
            if found := self.inside(f"{place}/.git"):
                yield found
            elif footing.looked_at(f"{place}/HEAD"):
                yield place
            if depth < DEEP:
                waiting += [(below, depth + 1) for below in self._below(place)]

    def _modules(self, repository: str) -> Iterator[str]:
        """The repositories of submodules and worktrees, which lie in the one of their project."""
        waiting = [f"{repository}/modules", f"{repository}/worktrees"]
        while waiting:
            if self._of_modules <= 0:
                self.is_whole = False
                return
            self._of_modules -= 1
            for one in self._below(waiting.pop(0)):
                if footing.looked_at(f"{one}/HEAD"):
                    yield one
                    waiting.append(f"{one}/modules")
                else:
                    waiting.append(one)  # the name of a submodule may have slashes

    def _below(self, place: str) -> list[str]:
        """The folders in a folder, but for those that hold nothing of the project's own."""
        found = footing.entries(place, self._entries + 1)
        if len(found) > self._entries:
            self.is_whole = False
            found.pop()
        self._entries -= len(found)
        return sorted(
            f"{place.rstrip('/')}/{one.name}"
            for one in found
            if one.is_folder and one.name != ".git" and one.name not in _SKIPPED
        )
