"""Makes workers: from the pool, from nothing, or of another language by the name of its kernel."""

import asyncio
import json
import logging
import sys
from typing import Any, Final

import zmq.asyncio
from msgspec.structs import replace

from hearth.performers.interpreter.pool import Pool
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.starting import (
    CannotStart,
    environment_of,
    make_folder,
    start_cold,
)
from hearth.performers.interpreter.template import Template
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import (
    ProcessId,
    Runtime,
    WorkerFolder,
    WorkerRecord,
)

_said = logging.getLogger(__name__)

READY: Final = 60.0
SUBSHELLS: Final = "kernel subshells"


class Launching:
    """Starts interpreters and waits until they answer."""

    def __init__(self, runtime: Runtime, preferences: Preferences) -> None:
        self._runtime = runtime
        self._preferences = preferences
        self._sockets: zmq.asyncio.Context | None = None
        self.pool = Pool(self._python, preferences)

    def worker(self, folder: WorkerFolder, record: WorkerRecord) -> Worker:
        """A worker for a process that is there, or will be. OSError, ValueError."""
        if self._sockets is None:
            self._sockets = zmq.asyncio.Context()
        return Worker(folder, record, self._sockets, self._preferences)

    async def foreign(self, name: str, directory: str) -> Worker:
        """An interpreter of another language, by the name of its kernel. CannotStart."""
        found = await asyncio.to_thread(_specification, name)
        record = WorkerRecord(
            name="",
            kind="foreign",
            python=name,
            language=str(found.language),
            interrupt_by_message=found.interrupt_mode == "message",
        )
        launch = {
            "environment": {**environment_of(sys.executable), **found.env},
            "directory": directory or "/",
        }
        folder = make_folder(self._runtime, record, self._preferences, launch)
        places = {
            "{connection_file}": str(folder.path / "connection.json"),
            "{resource_dir}": str(found.resource_dir),
            "{prefix}": sys.prefix,
        }
        argv = [_filled(str(part), places) for part in found.argv]
        settings = json.loads((folder.path / "launch.json").read_bytes())
        folder.write_launch({**settings, "argv": argv})
        guardian = await start_cold(folder, "foreign", sys.executable)
        return await self._greeted(folder, replace(record, name=folder.name), guardian)

    async def close(self) -> None:
        """End what nobody uses, and let go of the sockets."""
        await self.pool.close()
        if self._sockets is not None:
            self._sockets.destroy(linger=0)

    async def _python(self, python: str, template: Template | None) -> Worker:
        record = WorkerRecord(name="", kind="python", python=python, subshells=True)
        launch = {"environment": environment_of(python)}
        folder = make_folder(self._runtime, record, self._preferences, launch)
        try:
            guardian = await _begin(folder, python, template)
        except CannotStart:
            folder.remove()
            raise
        return await self._greeted(folder, replace(record, name=folder.name), guardian)

    async def _greeted(
        self, folder: WorkerFolder, record: WorkerRecord, guardian: ProcessId
    ) -> Worker:
        """The worker once it answers; CannotStart if it ends before."""
        worker = self.worker(folder, record)
        worker.process.begin(guardian)
        worker.connection.open()
        try:
            about = await worker.asking.greet(READY)
        except TimeoutError:
            about = None
        except asyncio.CancelledError:
            await asyncio.shield(worker.end(politely=False))
            raise
        if about is None:
            problem = _why(folder, over=worker.process.is_over)
            await worker.end(politely=False)
            raise CannotStart(problem)
        features = about.get("supported_features")
        if isinstance(features, list) and SUBSHELLS in features:
            worker.record = replace(worker.record, subshells=True)
        language = about.get("language_info")
        if isinstance(language, dict):
            worker.language = str(language.get("name") or "")
            worker.language_version = str(language.get("version") or "")
        worker.asking.prepare_beside()
        return worker


async def _begin(folder: WorkerFolder, python: str, template: Template | None) -> ProcessId:
    """Fork it, or start it from nothing where that is not possible. CannotStart."""
    if template is not None:
        try:
            return await template.fork(folder)
        except CannotStart as trouble:
            _said.warning("%s is started from nothing: %s", python, trouble)
    return await start_cold(folder, "cold", python)


def _specification(name: str) -> Any:
    # Imported when it is first used: most sessions never need another kernel.
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel  # noqa: PLC0415 - slow to import

    specifications = KernelSpecManager()
    try:
        return specifications.get_kernel_spec(name)
    except NoSuchKernel:
        known = ", ".join(sorted(specifications.find_kernel_specs())) or "none"
        raise CannotStart(
            f"there is no interpreter named {name!r}; known kernels: {known}, and python"
        ) from None


def _filled(part: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        part = part.replace(place, value)
    return part


def _why(folder: WorkerFolder, *, over: bool) -> str:
    record = folder.guardian()
    if not over:
        return f"the interpreter did not answer within {READY:g} s"
    if record is not None and record.exit is not None and record.exit.message:
        return record.exit.message
    words = folder.last_words(500)
    return words.splitlines()[-1] if words else "the interpreter ended before it answered"
