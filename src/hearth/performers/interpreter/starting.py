"""How an interpreter process is started: its folder, its environment, its guardian."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from hearth.performers.interpreter.launcher import LAUNCHER, launcher_environment
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.spawning import spawn
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder, WorkerRecord

_reaping: Final[set[asyncio.Task[int]]] = set()


class CannotStart(Exception):
    """An interpreter could not be started; the message is for the person who wanted it."""


def make_folder(
    runtime: Runtime,
    record: WorkerRecord,
    preferences: Preferences,
    how: Mapping[str, Any],
    *,
    contain: bool = False,
) -> WorkerFolder:
    """A folder in which an interpreter can be started, which may `contain` it. OSError."""
    folder = runtime.new()
    if contain:
        folder.contain()
    settings = {
        "directory": str(folder.path),
        "inside": str(folder.inside),
        "memory": preferences.memory,
        "processes": preferences.processes,
        "orphan_after": preferences.orphan_after,
        "lock": str(runtime.lock_path),
        **how,
    }
    try:
        folder.write_connection()
        folder.write_launch(settings)
        folder.write_record(replace(record, name=folder.name))
    except OSError:
        folder.remove()
        raise
    return folder


def cannot_run(python: str, error: OSError | ValueError) -> str:
    """Why a program could not be started, for a person."""
    why = error.strerror if isinstance(error, OSError) else "no program can have this name"
    return f"{python!r} cannot be run: {why}"


async def start_cold(folder: WorkerFolder, how: str, python: str) -> ProcessId:
    """Start a guardian and its interpreter from nothing; the guardian's process. CannotStart."""
    try:
        process = await spawn(
            python,
            str(LAUNCHER),
            how,
            str(folder.path),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=launcher_environment(python),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise CannotStart(cannot_run(python, error)) from error
    # So that it is no zombie once it ends, whoever has let go of it by then.
    reaping = asyncio.get_running_loop().create_task(process.wait())
    _reaping.add(reaping)
    reaping.add_done_callback(_reaping.discard)
    return ProcessId(process.pid)
