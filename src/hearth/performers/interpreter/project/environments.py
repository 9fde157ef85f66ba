"""The Python that a project's sessions run in: its own, wherever the project keeps it.

Each candidate is run once, shortly, to see what it is; what it said is believed until the files of
the environment change. One that cannot be used is passed over, and the problem is told with what
would help.
"""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from hearth.performers.interpreter.spawning import end, spawn
from hearth.performers.sandbox.environment import scrubbed
from hearth.settings.workspaces import read_toml, table

Source: TypeAlias = Literal[
    "uv", ".venv", "venv", "VIRTUAL_ENV", "poetry", "conda", ".python-version", "hearth"
]

OLDEST: Final = (3, 10)
OLDEST_KERNEL: Final = 7
PATIENCE: Final = 15.0
"""Seconds within which an interpreter must say what it is."""
_PROBE: Final = """
import json, sys, sysconfig
try:
    from importlib.metadata import version
    kernel = version("ipykernel")
except Exception:
    kernel = ""
print()
print(json.dumps({"version": "%d.%d.%d" % sys.version_info[:3], "prefix": sys.prefix,
                  "site": sysconfig.get_path("purelib"), "kernel": kernel}))
"""


@dataclass(frozen=True)
class Environment:
    """An interpreter that sessions can run in."""

    python: str
    """Its executable, as the project names it: a link leads away from the environment."""
    version: str
    prefix: str
    source: Source
    """By what it was found; "hearth": it is hearth's own, for the project has none."""
    kernel: str = ""
    """The version of its ipykernel; "" if it has none and hearth lends its own."""
    problems: tuple[str, ...] = ()
    """What was passed over, why, and what would help."""


@dataclass(frozen=True)
class Candidate:
    """Where an environment may be."""

    folder: Path
    source: Source


class _Said(msgspec.Struct, frozen=True):
    """What an interpreter says of itself."""

    version: str
    prefix: str
    site: str
    kernel: str


Wrap: TypeAlias = Callable[[Sequence[str], str], Sequence[str]]
"""Makes a command line into the one that is run; with the folder that it is about. In a thread."""


def _as_it_is(command: Sequence[str], _folder: str) -> Sequence[str]:
    return command


class Environments:
    """Finds the environments of projects, and remembers what each one said."""

    def __init__(
        self,
        own: str = sys.executable,
        variables: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
        wrap: Wrap = _as_it_is,
    ) -> None:
        """`wrap` makes the command lines that are run, which are the project's, into others."""
        self._wrap = wrap
        self._own = own
        self._variables = os.environ if variables is None else variables
        self._patience = patience
        self._known: dict[str, tuple[tuple[int, ...], _Said]] = {}

    async def find(self, root: Path, projects: Sequence[Path] = ()) -> Environment:
        """The environment of the project at `root`; hearth's own if it has none that works."""
        problems: list[str] = []
        async for candidate in self._candidates(root, projects):
            found = await self._tried(candidate)
            if isinstance(found, Environment):
                return replace(found, problems=tuple(problems))
            problems.append(found)
        if problems:
            problems.append("hearth's own interpreter is used instead")
        version = ".".join(map(str, sys.version_info[:3]))
        return Environment(self._own, version, sys.prefix, "hearth", "", tuple(problems))

    async def _candidates(self, root: Path, projects: Sequence[Path]) -> AsyncIterator[Candidate]:
        """The nearest first; poetry, which takes long to answer, only when nothing is near."""
        near, pinned = await asyncio.to_thread(self._near, root, projects)
        for candidate in near:
            yield candidate
        if far := await self._poetrys(root):
            yield Candidate(far, "poetry")
        if pinned:
            yield Candidate(pinned, ".python-version")

    def _near(self, root: Path, projects: Sequence[Path]) -> tuple[list[Candidate], Path | None]:
        near = list(local_candidates(root, projects, self._variables))
        return near, pinned_python(root, self._variables)

    async def _poetrys(self, root: Path) -> Path | None:
        """Where poetry keeps the environment, when it does so far from the project."""
        command = shutil.which("poetry", path=self._variables.get("PATH"))
        if command is None or not (root / "poetry.lock").is_file():
            return None
        said = await self._output([command, "env", "info", "-p"], root, root)
        lines = said.strip().splitlines() if said else []
        return Path(lines[-1]) if lines else None

    async def _tried(self, candidate: Candidate) -> Environment | str:
        """The environment, or what is wrong with it."""
        python = candidate.folder / "bin" / "python"
        if not python.exists():
            broken = "leads nowhere: the Python it was made with is gone" * python.is_symlink()
            return f"{python} {broken or 'is not there'}; make the environment anew"
        said = await self._said(python)
        if said is None:
            return f"{python} cannot be run; make the environment anew"
        environment = Environment(
            str(python), said.version, said.prefix, candidate.source, said.kernel
        )
        return self._unfit(environment) or environment

    def _unfit(self, one: Environment) -> str:
        """Why sessions cannot run there, or ""."""
        version = _numbers(one.version)
        if version < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            return f"{one.python} is Python {one.version}; hearth needs {oldest} or newer"
        if _numbers(one.kernel)[:1] >= (OLDEST_KERNEL,) or version[:2] == sys.version_info[:2]:
            return ""
        has = f"ipykernel {one.kernel}" if one.kernel else "no ipykernel"
        mine = ".".join(map(str, sys.version_info[:2]))
        return (
            f"{one.python} has {has}, and hearth can lend its own only to Python {mine}; "
            f"install it there: {one.python} -m pip install 'ipykernel>={OLDEST_KERNEL}'"
        )

    async def _said(self, python: Path) -> _Said | None:
        """What an interpreter says of itself; None if it says nothing that we understand."""
        known = self._known.get(str(python))
        if known is not None and known[0] == _stamp(python, known[1]):
            return known[1]
        # Isolated: neither our variables nor the working folder change what it is.
        command = [str(python), "-I", "-c", _PROBE]
        output = await self._output(command, python.parent, python.parent.parent)
        lines = output.strip().splitlines() if output else [""]
        try:
            said = msgspec.json.decode(lines[-1], type=_Said)
        except msgspec.DecodeError:
            return None
        self._known[str(python)] = (_stamp(python, said), said)
        return said

    async def _output(self, command: Sequence[str], directory: Path, folder: Path) -> str | None:
        wrapped = await asyncio.to_thread(self._wrap, command, str(folder))
        return await _output(wrapped, directory, self._variables, self._patience)


def local_candidates(
    root: Path, projects: Sequence[Path], variables: Mapping[str, str]
) -> Iterator[Candidate]:
    """Where environments are kept inside of projects, and what variables say about it."""
    named = variables.get("UV_PROJECT_ENVIRONMENT")
    if named and is_uv_project(root):
        yield Candidate(root / named, "uv")
    for folder in dict.fromkeys((root, *projects)):
        if (folder / ".venv").is_dir():
            yield Candidate(folder / ".venv", "uv" if is_uv_project(folder) else ".venv")
        if _is_environment(folder / "venv"):
            yield Candidate(folder / "venv", "venv")
    active = variables.get("VIRTUAL_ENV")
    if active and _belongs(Path(active), root):
        yield Candidate(Path(active), "VIRTUAL_ENV")
    conda = variables.get("CONDA_PREFIX")
    inner = [Path(conda)] if conda and Path(conda).is_relative_to(root) else []
    for folder in (root / ".conda", *inner):
        if (folder / "conda-meta").is_dir():
            yield Candidate(folder, "conda")


def pinned_python(root: Path, variables: Mapping[str, str]) -> Path | None:
    """The Python that `.python-version` names, if pyenv has it."""
    try:
        lines = (root / ".python-version").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    wanted = lines[0].strip() if lines else ""
    if not re.fullmatch(r"\d+(\.\d+)+", wanted):
        return None
    versions = Path(variables.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [one for one in versions.glob(f"{wanted}*") if _is_version(one.name, wanted)]
    return max(found, key=lambda one: _numbers(one.name), default=None)


def is_uv_project(folder: Path) -> bool:
    """Whether uv looks after a folder."""
    if (folder / "uv.lock").is_file():
        return True
    return bool(table(read_toml(folder / "pyproject.toml")[0], "tool", "uv"))


def _is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file() or (folder / "bin" / "python").is_symlink()


def _belongs(environment: Path, root: Path) -> bool:
    """Whether an active environment is this project's: inside of it, or made for it by pipenv."""
    if environment.resolve().is_relative_to(root.resolve()):
        return True
    with suppress(OSError, UnicodeDecodeError):  # without such a file it belongs to nobody
        return Path((environment / ".project").read_text("utf-8").strip()) == root
    return False


def _is_version(name: str, wanted: str) -> bool:
    """`3.11.7` is a `3.11`, `3.110.1` and `3.11-dev` are not."""
    return re.fullmatch(rf"{re.escape(wanted)}(\.\d+)*", name) is not None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", version)[:3])


def _stamp(python: Path, said: _Said) -> tuple[int, ...]:
    """Changes when the environment is made anew, or something is installed in it."""
    return tuple(
        _changed(one) for one in (python, python.parent.parent / "pyvenv.cfg", Path(said.site))
    )


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0  # not every environment has every one of them


async def _output(
    command: Sequence[str], directory: Path, variables: Mapping[str, str], patience: float
) -> str | None:
    """What a short command prints; None if it fails or takes too long."""
    try:
        process = await spawn(
            *command,
            cwd=directory,
            env=scrubbed(variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None  # not executable, or not for this machine
    try:
        output, _ = await asyncio.wait_for(process.communicate(), patience)
    except TimeoutError:
        return None
    finally:
        await end(process)
    return output.decode("utf-8", "replace") if process.returncode == 0 else None
