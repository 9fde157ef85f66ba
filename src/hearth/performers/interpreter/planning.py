"""What a new interpreter needs to know of the place it is started in."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.core.vocabulary.failures import Failure, ProjectNotFound, WarmUpFailed
from hearth.settings.project_file import SettingsError
from hearth.settings.roots import Projects, Root, find_projects, find_root, start_up_files


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How an interpreter is started and prepared."""

    directory: str
    root: str = ""
    source: str = ""
    python: str = sys.executable
    paths: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    bare: bool = False

    def as_asked(self) -> dict[str, Any]:
        """What the interpreter is asked to do before its first cell."""
        return {
            "directory": self.directory,
            "root": self.root,
            "paths": list(self.paths),
            "modules": list(self.modules),
            "profile": list(self.profile),
            "argv": list(self.argv),
            "environment": {},
            "bare": self.bare,
        }


async def plan_for(config: SessionConfig, home: Path) -> Plan | Failure:
    """The plan for a session of this configuration, or why there can be none."""
    try:
        return await asyncio.to_thread(_plan, config, home)
    except SettingsError as error:
        return WarmUpFailed(str(error))
    except OSError as error:
        return WarmUpFailed(f"{error.filename or config.directory}: {error.strerror}")


def _plan(config: SessionConfig, home: Path) -> Plan | Failure:
    directory = Path(config.directory or Path.home()).expanduser()
    if not directory.is_dir():
        return ProjectNotFound(str(directory))
    for project in config.projects:
        if not (directory / project).exists():
            return ProjectNotFound(str(directory / project))
    if config.mode is SessionMode.BARE or not config.directory:
        profile = tuple(map(str, start_up_files(home, None)))
        return Plan(directory=str(directory), profile=profile, source="directory", bare=True)
    root = find_root(directory)
    projects = find_projects(root)
    return _of_project(root, projects, home)


def _of_project(root: Root, projects: Projects, home: Path) -> Plan:
    return Plan(
        directory=str(root.path),
        root=str(root.path),
        source=root.source,
        profile=tuple(map(str, start_up_files(home, root))),
        argv=tuple(root.config.default_args) if root.config else (),
        notices=(*root.notices, *projects.notices),
    )
