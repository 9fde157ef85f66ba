"""Bringing a project's environment up to date, by the command its own tool has for it."""

import asyncio
import os
import shutil
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.project.environments import Environment, is_uv_project
from hearth.performers.interpreter.spawning import spawn
from hearth.performers.sandbox.environment import scrubbed
from hearth.settings.workspaces import read_toml

PATIENCE: Final = 900.0
"""Seconds that a rebuild may take: large environments are downloaded in it."""
_LONGEST: Final = 4_000
_LAST: Final = 5


@dataclass(frozen=True)
class SyncCommand:
    """What brings an environment up to date."""

    argv: tuple[str, ...]
    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """What the command needs beside our own variables."""

    def __str__(self) -> str:
        return " ".join((Path(self.argv[0]).name, *self.argv[1:]))


def sync_command(
    root: Path, environment: Environment, path: str | None = None
) -> SyncCommand | str:
    """The command for this project; as text why there is none. `path`: where commands are found."""
    if is_uv_project(root):
        return _uv(root, environment, path)
    if (root / "poetry.lock").is_file():
        poetry = shutil.which("poetry", path=path)
        if poetry is None:
            return f"{root} needs poetry, which is not there; install poetry"
        return SyncCommand((poetry, "install", "--no-interaction"), root)
    wanted = _for_pip(root)
    if not wanted:
        return f"{root} does not say how it is installed; a pyproject.toml would"
    if environment.source == "hearth":
        return f"{root} has no environment of its own; make one: python -m venv .venv"
    return SyncCommand((environment.python, "-m", "pip", "install", *wanted), root)


async def rebuild(
    command: SyncCommand,
    on_line: Callable[[str], None],
    patience: float = PATIENCE,
    keep: Sequence[str] = (),
) -> str:
    """Run the command, giving every line it prints to `on_line`; "" or what went wrong.

    Of the variables that look like secrets it gets those that are to be kept.
    """
    try:
        process = await spawn(
            *command.argv,
            cwd=command.directory,
            env={**_outer(keep), **command.variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"{command} cannot be run: {error.strerror}"
    last: deque[str] = deque(maxlen=_LAST)
    try:
        await asyncio.wait_for(_pass_on(process, on_line, last), patience)
    except TimeoutError:
        return f"{command} took over {patience:g} s and was stopped"
    finally:
        # Also what it left running, and also when nobody waits for it any more.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if process.returncode:
        return "\n".join((f"{command} ended with {process.returncode}:", *last))
    return ""


async def _pass_on(
    process: asyncio.subprocess.Process, on_line: Callable[[str], None], last: deque[str]
) -> None:
    """Read to the end, by pieces: a line may be longer than anybody wants to hold."""
    rest = b""
    while process.stdout and (piece := await process.stdout.read(1 << 16)):
        *lines, rest = (rest + piece).splitlines(keepends=True)
        if rest.endswith((b"\n", b"\r")) or len(rest) > _LONGEST:
            lines, rest = [*lines, rest], b""
        _tell(lines, on_line, last)
    _tell([rest], on_line, last)
    await process.wait()


def _tell(lines: list[bytes], on_line: Callable[[str], None], last: deque[str]) -> None:
    for line in lines:
        text = line[:_LONGEST].decode("utf-8", "replace").rstrip()
        if text:
            last.append(text)
            on_line(text)


def _uv(root: Path, environment: Environment, path: str | None) -> SyncCommand | str:
    # A uv that came with hearth's own environment serves, too.
    uv = shutil.which("uv", path=path) or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is None:
        return f"{root} needs uv, which is not there; install uv"
    where = {} if environment.source == "hearth" else {"UV_PROJECT_ENVIRONMENT": environment.prefix}
    return SyncCommand((uv, "sync"), root, where)


def _for_pip(root: Path) -> tuple[str, ...]:
    if (root / "setup.py").is_file() or "project" in read_toml(root / "pyproject.toml")[0]:
        return ("-e", ".")
    return ("-r", "requirements.txt") if (root / "requirements.txt").is_file() else ()


def _outer(keep: Sequence[str]) -> dict[str, str]:
    """Our variables without what is hearth's own: it would lead tools into our environment."""
    return {
        name: value
        for name, value in scrubbed(os.environ, keep).items()
        if name not in {"VIRTUAL_ENV", "PYTHONHOME"}
    }
