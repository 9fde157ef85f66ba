"""What a new interpreter needs to know of the place it is started in."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.core.vocabulary.failures import Failure, ProjectNotFound, WarmUpFailed
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.project.environments import Environment, Environments, Wrap
from hearth.performers.interpreter.project.packages import importables
from hearth.performers.interpreter.walls import NONE, Ground, Walls, WallsOf
from hearth.settings.project_file import SettingsError
from hearth.settings.roots import Root, find_projects, find_root, start_up_files

Trusts: TypeAlias = Callable[[Root], bool]
"""Whether a person has trusted what runs in this project. Asked in a thread."""
Prefers: TypeAlias = Callable[[Root | None], Preferences]
"""How interpreters are to be run in this project, or without one. Asked in a thread."""

NOT_TRUSTED: Final = (
    "nothing of the project in {root} was loaded: it is not trusted yet; "
    "`hearth trust {root}` trusts it, and `hearth reset` begins again with it"
)
_RUNS: Final = ("hearth.jsonc", ".hearthrc.py", ".venv", "venv")
"""What can make a folder that is no project run something."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How an interpreter is started and prepared."""

    directory: str
    root: str = ""
    source: str = "directory"
    name: str = ""
    environment: Environment | None = None
    projects: tuple[Path, ...] = ()
    paths: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    bare: bool = False
    preferences: Preferences | None = None
    """How it is run; None: as all are."""
    walls: Walls = NONE
    """How it is kept apart."""

    @property
    def python(self) -> str:
        """The interpreter's executable: the project's own, else hearth's."""
        return self.environment.python if self.environment else sys.executable

    @property
    def ground(self) -> Ground:
        """Where it is, if it is kept apart.

        Without a project it may write to its folder, unless that is the person's home, or above it.
        """
        root = self.root
        if not root and not Path.home().is_relative_to(self.directory):
            root = self.directory
        return Ground(walls=self.walls, directory=self.directory, root=root, shown=self.profile)

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


class Planning:
    """Looks at places and makes plans for them."""

    def __init__(
        self,
        home: Path,
        trusts: Trusts | None = None,
        prefers: Prefers | None = None,
        walls: WallsOf | None = None,
        wrap: Wrap | None = None,
    ) -> None:
        """`wrap` makes command lines of a project's into contained ones."""
        self._home = home
        self._walls = walls
        self._trusts = trusts
        self._prefers = prefers
        self._environments = Environments()
        self._contained = Environments(wrap=wrap) if wrap is not None else self._environments

    async def plan(self, config: SessionConfig) -> Plan | Failure:
        """The plan for a session of this configuration, or why there can be none."""
        try:
            plan = await asyncio.to_thread(self._planned, config)
        except SettingsError as error:
            return WarmUpFailed(str(error))
        except OSError as error:
            return WarmUpFailed(f"{error.filename or config.directory}: {error.strerror}")
        except RuntimeError as error:  # `~somebody`, and there is nobody of this name
            return WarmUpFailed(f"{config.directory}: {error}")
        if not isinstance(plan, Plan) or plan.bare:
            return plan
        # What is asked is a program of the project's: it may be another one by now.
        asked = self._contained if plan.walls.contained else self._environments
        found = await asked.find(Path(plan.root), plan.projects)
        return replace(plan, environment=found, notices=(*plan.notices, *found.problems))

    def _planned(self, config: SessionConfig) -> Plan | Failure:
        plan = self._plan(config)
        if not isinstance(plan, Plan) or self._walls is None:
            return plan
        wanted = self._walls(plan.root)
        return replace(plan, walls=wanted if wanted.contained else Walls(keep=wanted.keep))

    def _plan(self, config: SessionConfig) -> Plan | Failure:
        directory = Path(config.directory or Path.home()).expanduser()
        if not directory.is_dir():
            return ProjectNotFound(str(directory))
        if config.mode is SessionMode.BARE or not config.directory:
            return Plan(
                directory=str(directory),
                profile=_profile(self._home, None),
                bare=True,
                preferences=self._prefers(None) if self._prefers else None,
            )
        root = find_root(directory)
        if self._trusts is None or _is_harmless(root) or self._trusts(root):
            plan = _of_project(root, config, self._home)
        else:
            plan = _of_stranger(root, self._home)
        if isinstance(plan, Plan) and self._prefers is not None:
            return replace(plan, preferences=self._prefers(root))
        return plan


def _is_harmless(root: Root) -> bool:
    """Whether there is nothing in it that would run without being asked for."""
    return root.source == "directory" and not any((root.path / one).exists() for one in _RUNS)


def _of_stranger(root: Root, home: Path) -> Plan:
    """A session in the folder of a project that is not trusted: of which nothing is used."""
    return Plan(
        directory=str(root.path),
        root=str(root.path),
        source=root.source,
        name=root.path.name,
        profile=_profile(home, None),
        notices=(*root.notices, NOT_TRUSTED.format(root=root.path)),
        bare=True,
    )


def _of_project(root: Root, config: SessionConfig, home: Path) -> Plan | Failure:
    named = tuple(root.path / Path(project).expanduser() for project in config.projects)
    for project in named:
        if not project.is_dir():
            return ProjectNotFound(str(project))
    found = find_projects(root)
    projects = named or found.paths
    wanted = root.config is None or root.config.auto_load is not False
    loaded = importables(projects if wanted else ())
    return Plan(
        directory=str(root.path),
        root=str(root.path),
        source=root.source,
        name=root.name,
        projects=projects,
        paths=loaded.paths,
        modules=loaded.modules,
        profile=_profile(home, root),
        argv=tuple(root.config.default_args) if root.config else (),
        notices=(*root.notices, *found.notices, *loaded.notices),
    )


def _profile(home: Path, root: Root | None) -> tuple[str, ...]:
    return tuple(map(str, start_up_files(home, root)))
