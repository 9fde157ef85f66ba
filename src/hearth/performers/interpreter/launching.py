"""Makes workers: from the pool, from nothing, or of another language by the name of its kernel."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, TypeAlias

import zmq.asyncio
from msgspec.structs import replace

from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.containing import contained
from hearth.performers.interpreter.launcher import environment_of
from hearth.performers.interpreter.pool import Pool
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.process_watch import ProcessWatch
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.starting import (
    CannotStart,
    make_folder,
    start_cold,
)
from hearth.performers.interpreter.template import Template
from hearth.performers.interpreter.tool_calls import CellTools
from hearth.performers.interpreter.walls import NONE, OPEN, Ground
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder, WorkerRecord
from hearth.performers.sandbox.bubblewrap import Sandbox

_said = logging.getLogger(__name__)

Start: TypeAlias = Callable[[WorkerFolder], Coroutine[Any, Any, ProcessId]]
"""Starts a guardian in a folder. CannotStart."""

READY: Final = 60.0
SUBSHELLS: Final = "kernel subshells"


class Launching:
    """Starts interpreters and waits until they answer."""

    def __init__(
        self,
        runtime: Runtime,
        preferences: Preferences,
        sandbox: Sandbox | None = None,
        tools: CellTools | None = None,
    ) -> None:
        self._runtime = runtime
        self._preferences = preferences
        self._sandbox = sandbox or Sandbox((str(runtime.folder),))
        self._tools = tools
        self._sockets: zmq.asyncio.Context | None = None
        self.pool = Pool(self._python, preferences)

    def worker(self, folder: WorkerFolder, record: WorkerRecord) -> Worker:
        """A worker for a process that is there, or will be. OSError, ValueError."""
        if self._sockets is None:
            self._sockets = zmq.asyncio.Context()
        wanted = self.wanted(record.preferences)
        return Worker(folder, record, self._sockets, wanted, self._tools)

    def wanted(self, preferences: Preferences | None) -> Preferences:
        """How an interpreter is run: as its project wants it, else as all are."""
        return preferences or self._preferences

    async def take(
        self, python: str, preferences: Preferences | None = None, ground: Ground = OPEN
    ) -> Worker:
        """An interpreter of this environment. CannotStart, OSError.

        Those that are kept ready are run as all are: one that is to be run otherwise is forked, and
        one that is contained is started from nothing, inside of its walls.
        """
        if ground.walls.contained:
            return await self._contained(python, preferences, ground)
        if self.wanted(preferences) == self._preferences and ground.walls == NONE:
            return await self.pool.take(python)
        return await self._python(python, await self.pool.template(python), preferences, ground)

    async def foreign(
        self,
        name: str,
        directory: str,
        preferences: Preferences | None = None,
        ground: Ground = OPEN,
    ) -> Worker:
        """An interpreter of another language, by the name of its kernel. CannotStart."""
        if ground.walls.contained:
            raise CannotStart(
                "interpreters are to be contained here (sandbox.interpreter), which is possible "
                f"for python and not for {name}"
            )
        found = await asyncio.to_thread(_specification, name)
        record = WorkerRecord(
            name="",
            kind="foreign",
            python=name,
            language=str(found.language),
            interrupt_by_message=found.interrupt_mode == "message",
            preferences=preferences,
            walls=ground.walls,
        )
        launch = {
            "environment": {**environment_of(sys.executable, ground.walls.keep), **found.env},
            "directory": directory or "/",
        }

        async def start(folder: WorkerFolder) -> ProcessId:
            places = {
                "{connection_file}": str(folder.path / "connection.json"),
                "{resource_dir}": str(found.resource_dir),
                "{prefix}": sys.prefix,
            }
            argv = [_filled(str(part), places) for part in found.argv]
            folder.write_launch({**folder.launch(), "argv": argv})
            return await start_cold(folder, "foreign", sys.executable)

        return await self.made(record, launch, start)

    async def made(self, record: WorkerRecord, launch: Mapping[str, Any], start: Start) -> Worker:
        """A worker that answers, however it is started; none is left otherwise. CannotStart."""
        return await self._greeted(*await self._begun(record, launch, start))

    async def close(self) -> None:
        """End what nobody uses, and let go of the sockets."""
        await self.pool.close()
        if self._sockets is not None:
            self._sockets.destroy(linger=0)

    async def _contained(
        self, python: str, preferences: Preferences | None, ground: Ground
    ) -> Worker:
        """One in the sandbox; its guardian, which ends it, is outside and runs in our Python."""
        record = WorkerRecord(
            name="",
            kind="python",
            python=python,
            subshells=True,
            preferences=preferences,
            walls=ground.walls,
            # What a signal would reach is its sandbox.
            interrupt_by_message=True,
        )
        launch = {
            "environment": environment_of(python, ground.walls.keep),
            "directory": "/",
            "contained": True,
        }

        async def start(folder: WorkerFolder) -> ProcessId:
            argv = await asyncio.to_thread(contained, folder, python, ground, self._sandbox)
            folder.write_launch({**folder.launch(), "argv": argv})
            return await start_cold(folder, "foreign", sys.executable)

        return await self.made(record, launch, start)

    async def _python(
        self,
        python: str,
        template: Template | None,
        preferences: Preferences | None = None,
        ground: Ground = OPEN,
    ) -> Worker:
        record = WorkerRecord(
            name="",
            kind="python",
            python=python,
            subshells=True,
            preferences=preferences,
            walls=ground.walls,
        )
        launch = {"environment": environment_of(python, ground.walls.keep)}
        if template is not None:
            try:
                begun = await self._begun(record, launch, template.fork)
            except CannotStart as trouble:
                _said.warning("%s is started from nothing: %s", python, trouble)
            else:
                return await self._greeted(*begun)

        async def start(folder: WorkerFolder) -> ProcessId:
            return await start_cold(folder, "cold", python)

        return await self.made(record, launch, start)

    async def _begun(
        self, record: WorkerRecord, launch: Mapping[str, Any], start: Start
    ) -> tuple[WorkerFolder, WorkerRecord, ProcessId]:
        """A folder and the guardian that was started in it; neither is left if it fails."""
        folder = make_folder(
            self._runtime,
            record,
            self.wanted(record.preferences),
            launch,
            contain=record.walls.contained,
        )
        starting = asyncio.get_running_loop().create_task(start(folder))
        try:
            # Half a start cannot be taken back: who stops waiting has it end first.
            guardian = await asyncio.shield(starting)
        except BaseException:
            await asyncio.shield(_undo(folder, starting))
            raise
        return folder, replace(record, name=folder.name), guardian

    async def _greeted(
        self, folder: WorkerFolder, record: WorkerRecord, guardian: ProcessId
    ) -> Worker:
        """The worker once it answers; CannotStart if it ends before."""
        try:
            worker = self.worker(folder, record)
        except (OSError, ValueError, KeyError) as broken:
            signalling.send(guardian, signal.SIGTERM)
            folder.remove()
            raise CannotStart(f"{folder.path} cannot be used: {broken}") from broken
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
            problem = _why(worker, over=worker.process.is_over)
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


async def _undo(folder: WorkerFolder, starting: asyncio.Task[ProcessId]) -> None:
    """End what a start has come to, if it has come to anything."""
    (found,) = await asyncio.gather(starting, return_exceptions=True)
    guardian = found if isinstance(found, ProcessId) else None
    if guardian is None and (told := folder.guardian()) is not None:
        guardian = told.guardian
    if guardian is not None:
        watch = ProcessWatch(folder, lambda: None)
        watch.begin(guardian)
        await watch.end()
        watch.close()
    await asyncio.to_thread(folder.remove)


def _specification(name: str) -> Any:
    # Imported when it is first used: most sessions never need another kernel.
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel  # noqa: PLC0415 - slow to import
    from traitlets import TraitError  # noqa: PLC0415 - comes with it

    specifications = KernelSpecManager()
    try:
        found = specifications.get_kernel_spec(name)
    except (OSError, ValueError, TypeError, TraitError) as broken:
        raise CannotStart(f"the kernel {name!r} is not described as it should: {broken}") from None
    except NoSuchKernel:
        known = ", ".join(sorted(specifications.find_kernel_specs())) or "none"
        raise CannotStart(
            f"there is no interpreter named {name!r}; known kernels: {known}, and python"
        ) from None
    if not found.argv:
        raise CannotStart(f"the kernel {name!r} does not say how it is started")
    return found


def _filled(part: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        part = part.replace(place, value)
    return part


def _why(worker: Worker, *, over: bool) -> str:
    folder, python = worker.folder, worker.record.python
    record = folder.guardian()
    if not over:
        return f"{python} did not answer within {READY:g} s"
    if record is not None and record.exit is not None and record.exit.message:
        return record.exit.message
    words = folder.last_words(500)
    return words.splitlines()[-1] if words else f"{python} ended before it answered"
