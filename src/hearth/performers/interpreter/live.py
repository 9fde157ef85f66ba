"""The performer of live interpreters: one supervised process per session, real kernels."""

import asyncio
import logging
from pathlib import Path
from typing import Final, TypeAlias

from msgspec.structs import replace

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.interpreter.answering import Asked, answer
from hearth.performers.interpreter.checking.check import Checker
from hearth.performers.interpreter.containing import wrapping
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.looking import look_around
from hearth.performers.interpreter.planning import Planning, Prefers, Trusts
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.reverting import revert
from hearth.performers.interpreter.running_cell import RunningCell
from hearth.performers.interpreter.runtime import Runtime, RuntimeUnusable, runtime_folder
from hearth.performers.interpreter.tool_calls import CellTools
from hearth.performers.interpreter.trials import Trials
from hearth.performers.interpreter.waiting_branches import Branched, WaitingBranches
from hearth.performers.interpreter.walls import WallsOf
from hearth.performers.interpreter.warming import Warming, WarmUpStopped
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.workers import Workers
from hearth.performers.sandbox.bubblewrap import Sandbox

Started: TypeAlias = tuple[Worker, r.WorkerReady]
Reverted: TypeAlias = r.WorkerReverted | r.RevertFailed
LARGEST_SCRIPT: Final = 8 * 1024 * 1024

_said = logging.getLogger(__name__)


class LiveInterpreter:
    """Runs the interpreters of all sessions of one home."""

    effects: frozenset[type[fx.Effect]] = fx.INTERPRETING

    def __init__(  # noqa: PLR0913 - each is a wish of its own, by keyword
        self,
        home: Path,
        preferences: Preferences | None = None,
        *,
        trusts: Trusts | None = None,
        prefers: Prefers | None = None,
        walls: WallsOf | None = None,
        sandbox: Sandbox | None = None,
        tools: CellTools | None = None,
    ) -> None:
        """`walls` says how interpreters of a project are kept apart; without it, none is.

        `tools` answers what code asks for by `hearth_tools`; without it, nobody does.
        """
        self._runtime = Runtime(runtime_folder(home))
        self._preferences = preferences or Preferences()
        sandbox = sandbox or Sandbox((str(self._runtime.folder), str(home)))
        self._launching = Launching(self._runtime, self._preferences, sandbox, tools)
        planning = Planning(home, trusts, prefers, walls, wrapping(sandbox))
        self._warming = Warming(self._launching, planning)
        self._checker = Checker()
        self._workers = Workers(self._runtime, self._launching)
        self._trials = Trials(self._workers, self._launching)
        self._branches = WaitingBranches(self._launching)
        self._starting: dict[SessionId, tuple[int, asyncio.Task[Started]]] = {}
        self._reverting: dict[SessionId, tuple[str, asyncio.Future[Reverted]]] = {}
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
            for folder in await asyncio.to_thread(list, self._runtime.workers()):
                record = folder.record()
                if record is None or record.session is None:
                    self._workers.end_left(folder)
            # Last of all: nobody may pass those who wait here, effects are carried out in order.
            self._is_open = True

    def warm(self, python: str) -> None:
        """Keep an interpreter of this environment ready."""
        self._launching.pool.warm(python)

    async def warmed(self, python: str) -> None:
        """Wait until what is to be kept ready of it is ready."""
        await self._launching.pool.warmed(python)

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
            case fx.RevertWorker():
                await self._revert(session, effect, stage)
            case fx.TryInWorker() | fx.AdoptVariant() | fx.DropVariants():
                await self._trials.perform(session, effect, stage)
            case fx.InterruptWorker() | fx.AnswerInWorker() | fx.AnswerToolInWorker():
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
            case _:
                stage.report(r.EffectFailed(effect, "an interpreter does nothing of this kind"))

    async def close(self) -> None:
        """Let go of every interpreter; they live on until the next daemon takes them up."""
        for _, starting in tuple(self._starting.values()):
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
        await self._branches.close()
        await self._workers.ended()
        self._workers.let_go()
        await self._checker.close()
        await self._launching.close()
        self._runtime.close()

    async def end_all(self) -> None:
        """End every interpreter of this home: what `hearth stop` does. RuntimeUnusable."""
        await self.open()
        await self._workers.end_all()

    # -- branches ---------------------------------------------------------------------------------

    async def branch(self, source: SessionId, to: SessionId) -> Branched:
        """Copy the live interpreter of a session, for another that is about to begin."""
        return await self._branches.make(self._workers.of(source), to)

    async def drop_branch(self, to: SessionId) -> None:
        """End a copy that no session came for."""
        await self._branches.drop(to)

    # -- starting and ending ----------------------------------------------------------------------

    async def _start(
        self, session: SessionId, effect: fx.StartWorker | fx.ResetWorker, stage: Stage
    ) -> None:
        self._workers.end_soon(session)
        if (copied := self._branches.take(session, effect, stage)) is not None:
            self._begin(session, *copied, stage)
            return
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
        self._begin(session, worker, ready, stage)

    def _begin(
        self, session: SessionId, worker: Worker, ready: r.WorkerReady, stage: Stage
    ) -> None:
        self._workers.add(session, worker)
        stage.report(ready)
        worker.beside(look_around(worker))

    async def _reset(self, session: SessionId, effect: fx.ResetWorker, stage: Stage) -> None:
        worker = self._workers.of(session)
        try:
            if worker is not None and not worker.process.is_over and worker.running is None:
                worker.stage = stage
                await asyncio.to_thread(worker.copies.drop_all)
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
        await self._workers.end(session, generation)

    # -- taking up --------------------------------------------------------------------------------

    async def _attach(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        worker = self._workers.current(session, effect.generation)
        if worker is None:
            worker = self._workers.left_by_another(session, effect.generation)
        if worker is None:
            why = "it did not outlive the daemon"
            stage.report(r.WorkerLost(effect.generation, r.Exit.VANISHED, why))
            return
        worker.stage = stage
        self._workers.add(session, worker)
        # The daemon before may have ended before it had ended what was not kept.
        self._workers.end_tried(session, but=effect.cell if effect.trial else effect.tried)
        ready = r.WorkerReady(effect.generation, 0.0, unanswered=effect.unanswered)
        stage.report(ready)
        await worker.take_up(replace(effect, cell=None) if effect.trial else effect)
        if effect.trial:
            worker.beside(self._trials.take_up(session, effect, stage))
        worker.asking.prepare_beside()
        await look_around(worker)

    # -- cells and questions -----------------------------------------------------------------------

    async def _execute(
        self, session: SessionId, effect: fx.ExecuteInWorker | fx.LoadInWorker, stage: Stage
    ) -> None:
        worker = self._workers.at_work(session, effect.generation, stage)
        if worker is None:
            return
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
        if self._workers.current(session, effect.generation) is worker:
            await _until_ended(worker.execute(effect, code, path))

    async def _revert(self, session: SessionId, effect: fx.RevertWorker, stage: Stage) -> None:
        worker = self._workers.at_work(session, effect.generation, stage)
        if worker is None:
            return
        asked, doing = self._reverting.get(session, ("", None))
        if doing is None or asked != effect.question or doing.cancelled():
            doing = asyncio.ensure_future(revert(worker, effect))
            self._reverting[session] = (effect.question, doing)
        # Else it was asked while the session was taken up, and again when it was: done once.
        stage.report(await doing)

    def _speak(
        self,
        session: SessionId,
        effect: fx.InterruptWorker | fx.AnswerInWorker | fx.AnswerToolInWorker,
    ) -> None:
        worker = self._workers.current(session, effect.generation)
        if worker is None:
            return
        match effect:
            case fx.InterruptWorker():
                worker.stop(effect.cell)
                self._trials.stop(session, effect.cell)
            case fx.AnswerInWorker():
                worker.answer(effect.cell, effect.text)
            case fx.AnswerToolInWorker():
                worker.allow(effect)
                self._trials.each(session, lambda one: one.allow(effect))

    async def _ask(self, session: SessionId, effect: Asked, stage: Stage) -> None:
        worker = self._workers.current(session, effect.generation)
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
