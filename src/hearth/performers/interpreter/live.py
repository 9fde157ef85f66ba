"""The performer of live interpreters: one supervised process per session, real kernels."""

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final, TypeAlias, assert_never

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.interpreter.answering import Asked, answer, look_around
from hearth.performers.interpreter.checking.check import Checker
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.running_cell import RunningCell
from hearth.performers.interpreter.signalling import is_alive
from hearth.performers.interpreter.warming import Warming, WarmUpStopped
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import (
    Runtime,
    RuntimeUnusable,
    WorkerFolder,
    runtime_folder,
)

Started: TypeAlias = tuple[Worker, r.WorkerReady]
LARGEST_SCRIPT: Final = 8 * 1024 * 1024

_said = logging.getLogger(__name__)


class LiveInterpreter:
    """Runs the interpreters of all sessions of one home."""

    effects: frozenset[type[fx.Effect]] = frozenset(
        {
            fx.StartWorker,
            fx.AttachWorker,
            fx.StopWorker,
            fx.ResetWorker,
            fx.ExecuteInWorker,
            fx.LoadInWorker,
            fx.InterruptWorker,
            fx.CheckInWorker,
            fx.CompleteInWorker,
            fx.InspectInWorker,
            fx.ListInWorker,
            fx.ExploreInWorker,
            fx.ReloadInWorker,
            fx.AnswerInWorker,
        }
    )

    def __init__(self, home: Path, preferences: Preferences | None = None) -> None:
        self._runtime = Runtime(runtime_folder(home))
        self._preferences = preferences or Preferences()
        self._launching = Launching(self._runtime, self._preferences)
        self._warming = Warming(self._launching, home)
        self._checker = Checker()
        self._workers: dict[SessionId, Worker] = {}
        self._starting: dict[SessionId, tuple[int, asyncio.Task[Started]]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._leaving: set[str] = set()
        """The names of workers that are being ended."""
        self._opening = asyncio.Lock()
        self._is_open = False

    async def open(self) -> None:
        """Take the runtime folder, and end what nobody will ask for. RuntimeUnusable.

        Whoever does not call it, has it done by the first effect.
        """
        async with self._opening:
            if self._is_open:
                return
            await asyncio.to_thread(self._runtime.open)
            self._is_open = True
        for folder in await asyncio.to_thread(list, self._runtime.workers()):
            record = folder.record()
            if record is None or record.session is None:
                self._end_left(folder)

    def warm(self, python: str) -> None:
        """Keep an interpreter of this environment ready."""
        self._launching.pool.warm(python)

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Carry out one effect."""
        try:
            if not self._is_open:
                await self.open()
        except RuntimeUnusable as trouble:
            stage.report(r.EffectFailed(effect, str(trouble)))
        else:
            await self._carry_out(session, effect, stage)

    async def _carry_out(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        match effect:
            case fx.StartWorker():
                await self._start(session, effect, stage)
            case fx.AttachWorker():
                await self._attach(session, effect, stage)
            case fx.StopWorker():
                await self._stop(session, effect.generation)
            case fx.ResetWorker():
                await self._reset(session, effect, stage)
            case fx.ExecuteInWorker() | fx.LoadInWorker():
                await self._execute(session, effect, stage)
            case fx.InterruptWorker() | fx.AnswerInWorker():
                self._speak(session, effect)
            case (
                fx.CheckInWorker()
                | fx.CompleteInWorker()
                | fx.InspectInWorker()
                | fx.ListInWorker()
                | fx.ExploreInWorker()
                | fx.ReloadInWorker()
            ):
                await self._ask(session, effect, stage)
            case fx.WaitThenRestart() | fx.ReplayHistory():
                stage.report(r.EffectFailed(effect, "an interpreter does neither wait nor replay"))
            case _:
                assert_never(effect)

    async def close(self) -> None:
        """Let go of every interpreter; they live on until the next daemon takes them up."""
        for _, starting in tuple(self._starting.values()):
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
        await asyncio.gather(*self._ending, return_exceptions=True)
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()
        await self._checker.close()
        await self._launching.close()
        self._runtime.close()

    async def end_all(self) -> None:
        """End every interpreter of this home: what `hearth stop` does. RuntimeUnusable."""
        await self.open()
        workers = tuple(self._workers.values())
        self._workers.clear()
        await asyncio.gather(*(self._end(worker) for worker in workers))
        for folder in await asyncio.to_thread(list, self._runtime.workers()):
            if (record := folder.record()) is not None and record.session is not None:
                self._end_left(folder)
        await asyncio.gather(*self._ending, return_exceptions=True)

    # -- starting and ending ----------------------------------------------------------------------

    async def _start(
        self, session: SessionId, effect: fx.StartWorker | fx.ResetWorker, stage: Stage
    ) -> None:
        self._end_soon(session)
        starting = asyncio.get_running_loop().create_task(
            self._warming.start(session, effect, stage)
        )
        self._starting[session] = (effect.generation, starting)
        try:
            worker, ready = await asyncio.shield(starting)
        except WarmUpStopped as stopped:
            stage.report(r.WorkerFailed(effect.generation, stopped.failure))
            return
        except asyncio.CancelledError:
            if not starting.cancelled():  # the daemon ends, not this start alone
                starting.cancel()
                raise
            return
        finally:
            if self._starting.get(session, (0, None))[1] is starting:
                del self._starting[session]
        worker.lost = self._forget
        self._workers[session] = worker
        stage.report(ready)
        worker.beside(look_around(worker))

    async def _reset(self, session: SessionId, effect: fx.ResetWorker, stage: Stage) -> None:
        worker = self._workers.get(session)
        try:
            if worker is not None and not worker.process.is_over and worker.running is None:
                worker.stage = stage
                ready = await self._warming.reset(worker, effect, stage)
                if ready is not None:
                    stage.report(ready)
                    worker.beside(look_around(worker))
                    return
        except WarmUpStopped as stopped:
            stage.report(r.WorkerFailed(effect.generation, stopped.failure))
            return
        await self._start(session, effect, stage)

    async def _stop(self, session: SessionId, generation: int) -> None:
        starting = self._starting.get(session)
        if starting is not None and starting[0] == generation:
            starting[1].cancel()
            await asyncio.gather(starting[1], return_exceptions=True)
        worker = self._current(session, generation)
        if worker is not None:
            del self._workers[session]
            await self._end(worker)
        for folder in self._left(session):
            record = folder.record()
            if record is not None and record.generation <= generation:
                self._end_left(folder)

    async def _end(self, worker: Worker, *, politely: bool = True) -> None:
        self._leaving.add(worker.folder.name)
        try:
            await worker.end(politely=politely)
        finally:
            self._leaving.discard(worker.folder.name)

    def _end_soon(self, session: SessionId) -> None:
        """An interpreter of an earlier generation must not be left beside the new one."""
        if (worker := self._workers.pop(session, None)) is not None:
            self._later(self._end(worker, politely=False))
        for folder in self._left(session):
            self._end_left(folder)

    def _left(self, session: SessionId) -> list[WorkerFolder]:
        """The folders of this session that no worker of ours speaks for."""
        ours = self._workers.get(session)
        return [
            folder
            for folder in self._runtime.workers()
            if (record := folder.record()) is not None
            and record.session == session
            and (ours is None or ours.folder.name != folder.name)
            and folder.name not in self._leaving
        ]

    def _end_left(self, folder: WorkerFolder) -> None:
        self._later(self._end_folder(folder))

    async def _end_folder(self, folder: WorkerFolder) -> None:
        record, guardian = folder.record(), folder.guardian()
        if record is not None and guardian is not None and is_alive(guardian.guardian):
            try:
                worker = self._launching.worker(folder, record)
            except (OSError, ValueError) as broken:
                _said.warning("%s is damaged: %s", folder.path, broken)
            else:
                worker.process.begin(guardian.guardian)
                await self._end(worker, politely=False)
        await asyncio.to_thread(folder.remove)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _forget(self, worker: Worker) -> None:
        """It ended by itself."""
        session = worker.record.session
        if session is not None and self._workers.get(session) is worker:
            del self._workers[session]
        self._later(self._end(worker, politely=False))

    # -- taking up --------------------------------------------------------------------------------

    async def _attach(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        worker = self._current(session, effect.generation)
        if worker is None:
            worker = await self._taken_up(session, effect)
        if worker is None:
            why = "it did not outlive the daemon"
            stage.report(r.WorkerLost(effect.generation, r.Exit.VANISHED, why))
            return
        worker.stage = stage
        worker.lost = self._forget
        self._workers[session] = worker
        stage.report(r.WorkerReady(effect.generation, 0.0))
        await worker.take_up(effect)
        worker.asking.prepare_beside()
        await look_around(worker)

    async def _taken_up(self, session: SessionId, effect: fx.AttachWorker) -> Worker | None:
        """The interpreter that an earlier daemon left, if it is there, whole and of this time."""
        found = None
        for folder in self._left(session):
            record = folder.record()
            fits = record is not None and record.generation == effect.generation
            if record is not None and fits and record.prepared and found is None:
                found = await self._connected(folder)
            else:
                self._end_left(folder)
        return found

    async def _connected(self, folder: WorkerFolder) -> Worker | None:
        record, guardian = folder.record(), folder.guardian()
        if record is None or guardian is None or not is_alive(guardian.guardian):
            self._end_left(folder)
            return None
        try:
            worker = self._launching.worker(folder, record)
        except (OSError, ValueError) as broken:
            _said.warning("%s is damaged: %s", folder.path, broken)
            self._end_left(folder)
            return None
        worker.process.begin(guardian.guardian)
        worker.connection.open()
        return worker

    # -- cells and questions -----------------------------------------------------------------------

    def _current(self, session: SessionId, generation: int) -> Worker | None:
        worker = self._workers.get(session)
        return worker if worker is not None and worker.generation == generation else None

    async def _execute(
        self, session: SessionId, effect: fx.ExecuteInWorker | fx.LoadInWorker, stage: Stage
    ) -> None:
        worker = self._current(session, effect.generation)
        if worker is None:
            why = "there is no such interpreter"
            stage.report(r.WorkerLost(effect.generation, r.Exit.VANISHED, why))
            return
        worker.stage = stage
        if isinstance(effect, fx.ExecuteInWorker):
            await _until_ended(worker.execute(effect, str(effect.code)))
            return
        try:
            path, code = await asyncio.to_thread(_script, worker.record.root, effect.path)
        except (OSError, ValueError) as error:
            problem = CodeRaised(type(error).__name__, _what(error, effect.path))
            ended = r.CellEnded(effect.generation, effect.cell, r.Raised(problem), 0.0)
            stage.report(ended)
            return
        if self._current(session, effect.generation) is worker:
            await _until_ended(worker.execute(effect, code, path))

    def _speak(self, session: SessionId, effect: fx.InterruptWorker | fx.AnswerInWorker) -> None:
        worker = self._current(session, effect.generation)
        if worker is None:
            return
        if isinstance(effect, fx.InterruptWorker):
            worker.stop(effect.cell)
        else:
            worker.answer(effect.cell, effect.text)

    async def _ask(self, session: SessionId, effect: Asked, stage: Stage) -> None:
        worker = self._current(session, effect.generation)
        if worker is None:
            stage.report(r.EffectFailed(effect, "there is no such interpreter"))
        else:
            stage.report(await answer(worker, self._checker, effect))


async def _until_ended(running: RunningCell | None) -> None:
    if running is not None:
        await running.ended.wait()


def _script(root: str, name: str) -> tuple[str, str]:
    """The path of a file and the code in it. OSError, ValueError."""
    path = Path(root or ".") / Path(name).expanduser()
    if path.stat().st_size > LARGEST_SCRIPT:
        raise ValueError(f"it is larger than {LARGEST_SCRIPT} bytes")
    return str(path), path.read_text("utf-8-sig")


def _what(error: Exception, path: str) -> str:
    if isinstance(error, OSError):
        return f"{path}: {error.strerror}"
    return f"{path}: {error}"
