"""Where the project begins that a folder lies in, and which projects belong to it.

The order is fixed, and the answer says which step it came from:

1. the nearest folder above whose `hearth.jsonc` says `isRoot`: "local config"
2. the nearest folder above with a `.git`: "git"
3. the nearest folder above with a workspace file: "workspace"
4. the nearest folder above with a `hearth.jsonc`: "config"
5. the nearest folder above with a project in it, or this one with projects below: "discovery"
6. the folder itself, with nothing in it: "directory"
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from hearth.settings.project_file import (
    FILE_NAME,
    ProjectFile,
    SettingsError,
    read_project_file,
)
from hearth.settings.walking import ancestors, folders
from hearth.settings.workspaces import Workspaces, workspaces_in

Source: TypeAlias = Literal["local config", "git", "workspace", "config", "discovery", "directory"]

PROJECT_FILES: Final = ("pyproject.toml", "setup.py", "setup.cfg")
"""A folder with one of these is a project."""

_MOST: Final = 200


@dataclass(frozen=True)
class Root:
    """The folder in which sessions of a project work."""

    path: Path
    source: Source
    notices: tuple[str, ...] = ()
    """What a person should be told about how it was found."""
    config: ProjectFile | None = None
    """What the `hearth.jsonc` of the root says, if it has one."""

    @property
    def name(self) -> str:
        """How sessions are called here unless somebody says otherwise."""
        return (self.config and self.config.session_name) or self.path.name or str(self.path)


@dataclass(frozen=True)
class Projects:
    """The projects that belong to a root. None at all is fine: a bare session."""

    paths: tuple[Path, ...] = ()
    notices: tuple[str, ...] = ()


def find_root(directory: Path) -> Root:
    """The root that `directory` belongs to. It need not exist: what is above it counts.

    SettingsError for a `hearth.jsonc` on the way that cannot be used.
    """
    return _Search(directory, read_project_file).root()


def find_root_anyway(directory: Path) -> tuple[Root, tuple[SettingsError, ...]]:
    """The same for whoever can go on without a file that cannot be used: it says nothing then.

    Also of a path that nothing can be at, or that is closed to us: nothing is found there. What
    lies below is not looked through, for settings are asked for with every request: a folder with
    projects below is a "directory" here.
    """
    broken: list[SettingsError] = []

    def read(path: Path) -> ProjectFile | None:
        try:
            return read_project_file(path)
        except SettingsError as error:
            broken.append(error)
            return ProjectFile()

    try:
        search = _Search(directory, read)
        if (found := search.above()) is None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                (directory / FILE_NAME).stat()  # whether we may see into it
            found = search.here("directory")
        return found, tuple(broken)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        broken.append(SettingsError(directory, f"cannot be looked at: {why}", "a folder of yours"))
        return Root(directory, "directory"), tuple(broken)


def find_projects(root: Root) -> Projects:
    """The folders of the root's projects.

    As its config lists them, else as its workspace does, else as they are found. SettingsError for
    one that the config lists and that is not there.
    """
    if root.config and root.config.projects:
        return Projects(tuple(_listed(root.path, root.config.projects)))
    workspaces = workspaces_in(root.path)
    if workspaces.found:
        return _of_workspace(root.path, workspaces)
    found = tuple(_discovered(root.path))
    return Projects(found or ((root.path,) if _holds_code(root.path) else ()), workspaces.notices)


def start_up_files(home: Path, root: Root | None) -> tuple[Path, ...]:
    """What runs at the start of a session: the person's own file, then the project's.

    Only files that exist. Without a root (a bare session) the person's alone. SettingsError for an
    `initScript` that is not there.
    """
    files = [one for one in (home / "init.py",) if one.is_file()]
    if root is None:
        return tuple(files)
    files += [one for one in (root.path / ".hearthrc.py",) if one.is_file()]
    if root.config and root.config.init_script:
        script = root.path / Path(root.config.init_script).expanduser()
        if not script.is_file():
            raise SettingsError(
                root.path / FILE_NAME,
                f"{root.config.init_script} is not there",
                "the path of a file, relative to this one",
                "session.initScript",
            )
        files.append(script)
    return tuple(files)


class _Search:
    """One search, from a folder upwards; every file is read once."""

    def __init__(self, given: Path, read: Callable[[Path], ProjectFile | None]) -> None:
        directory = Path(os.path.abspath(given))  # noqa: PTH100 - links stay as people know them
        self._directory = directory
        self._notices: list[str] = []
        self._trusted = {os.geteuid(), 0, _owner(directory)}
        # From the nearest outwards. Above an isRoot nothing is looked at.
        self._configs: dict[Path, ProjectFile] = {}
        for folder in ancestors(directory):
            if self._is_ours(folder / FILE_NAME):
                config = read(folder / FILE_NAME)
                if config is not None:
                    self._configs[folder] = config
                    if config.is_root:
                        break

    def root(self) -> Root:
        if found := self.above():
            return found
        if _holds_code(self._directory) or next(_discovered(self._directory), None):
            return self.here("discovery")
        return self.here("directory")

    def above(self) -> Root | None:
        """The folder itself or one above it that says of itself that a project begins there."""
        steps: tuple[tuple[Source, Callable[[Path], bool]], ...] = (
            ("local config", self._is_local_root),
            ("git", lambda folder: self._is_ours(folder / ".git")),
            ("workspace", self._is_workspace),
            ("config", self._configs.__contains__),
            ("discovery", self._is_project),
        )
        for source, is_wanted in steps:
            found = next((one for one in ancestors(self._directory) if is_wanted(one)), None)
            if found:
                return self._at(found, source)
        return None

    def here(self, source: Source) -> Root:
        """The folder itself, for want of a better one."""
        return self._at(self._directory, source)

    def _at(self, path: Path, source: Source) -> Root:
        return Root(path, source, tuple(dict.fromkeys(self._notices)), self._configs.get(path))

    def _is_local_root(self, folder: Path) -> bool:
        config = self._configs.get(folder)
        if config is None or not config.is_root:
            return False
        self._notices.append(f"{folder / FILE_NAME} says isRoot: the search ends there")
        return True

    def _is_workspace(self, folder: Path) -> bool:
        workspaces = workspaces_in(folder)
        if not workspaces.found or not self._is_ours(workspaces.found[0].file):
            return False
        self._notices.extend(workspaces.notices)
        return True

    def _is_project(self, folder: Path) -> bool:
        return any(self._is_ours(folder / name) for name in PROJECT_FILES)

    def _is_ours(self, path: Path) -> bool:
        """Whether the path exists and may say what runs here.

        In a folder that many may write to, like /tmp, anybody could leave a file that makes our
        sessions run code. So it counts if it is ours, root's, or of whoever owns the folder we
        begin in (a checkout that is mounted into a container, say).
        """
        owner = _owner(path)
        if owner is None:
            return False
        if owner not in self._trusted:
            self._notices.append(f"{path} belongs to somebody else and was passed over")
        return owner in self._trusted


def _owner(path: Path) -> int | None:
    """Whose a path is; None if there is nothing that we can see."""
    try:
        return path.stat().st_uid
    except (OSError, ValueError):
        return None  # not there, or not for us to see


def _listed(root: Path, projects: tuple[str, ...]) -> Iterator[Path]:
    for one in projects:
        path = root / Path(one).expanduser()
        if not path.is_dir():
            raise SettingsError(
                root / FILE_NAME,
                f"{one} is not a folder",
                "paths of folders, relative to this file",
                "session.projects",
            )
        yield Path(os.path.abspath(path))  # noqa: PTH100 - takes `..` out and leaves links alone


def _of_workspace(root: Path, workspaces: Workspaces) -> Projects:
    workspace = workspaces.found[0]
    notices = list(workspaces.notices)
    if workspace.missing:
        names = ", ".join(workspace.missing)
        notices.append(f"{workspace.file} lists members that are not there: {names}")
    # A workspace's root is often a package itself.
    own = (root,) if _holds_code(root) else ()
    members = tuple(one for one in workspace.members if one != root)
    return Projects((*own, *members), tuple(notices))


def _discovered(root: Path) -> Iterator[Path]:
    """Folders with a project file, at most so many; a project's own folders are not searched."""
    found: list[Path] = []
    for folder in folders(root):
        if any(one in found for one in folder.parents if one != root):
            continue
        if any((folder / name).is_file() for name in PROJECT_FILES):
            found.append(folder)
            yield folder
            if len(found) == _MOST:
                return


def _holds_code(folder: Path) -> bool:
    """Whether there are packages or modules in a folder, also in its `src`."""
    return any(_has_python(one) for one in (folder, folder / "src"))


def _has_python(folder: Path) -> bool:
    try:
        return any(not one.name.startswith(".") for one in folder.glob("*.py")) or any(
            one.parent.name.isidentifier() for one in folder.glob("*/__init__.py")
        )
    except OSError:
        return False  # closed to us: nothing here for us
