"""An interpreter that plays from a script: for tests and the demo.

It speaks to the engine exactly as a real one does, with the same effects, reports and progress,
but what each cell does is written down beforehand.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, assert_never

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import Completion, Diagnostic, Output, StreamText
from hearth.core.vocabulary.failures import (
    CodeRaised,
    Failure,
    Interrupted,
    TimedOut,
    WarmUpFailed,
)
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import OutputChunk


class Scene(NamedTuple):
    """What one piece of code does when it is run."""

    prints: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    """What it writes to stderr."""
    value: str = ""
    value_type: str = ""
    raises: Failure | None = None
    names: tuple[str, ...] = ()
    statements: int = 1
    ends: Literal["at once", "when interrupted", "with the worker"] = "at once"
    exit: r.Exit = r.Exit.CRASH
    """How the worker goes, for a scene that ends with it."""
    diagnostics: tuple[Diagnostic, ...] = ()
    completions: tuple[Completion, ...] = ()


UNWRITTEN: Final = Scene(raises=CodeRaised("NotInTheScript", "no scene was written for this code"))


@dataclass(slots=True)
class _Worker:
    """One pretended interpreter process."""

    generation: int
    stage: Stage
    cell: CellId | None = None
    interrupted: asyncio.Event = field(default_factory=asyncio.Event)


class Backstage:
    """Where workers live. Given to a second performer, they outlive the first one's daemon."""

    def __init__(self) -> None:
        self.workers: dict[SessionId, _Worker] = {}


class ScriptedInterpreter:
    """Plays scenes. Warm-ups succeed unless `warm_up` says otherwise."""

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
        }
    )

    def __init__(
        self,
        scenes: Mapping[str, Scene],
        *,
        backstage: Backstage | None = None,
        warm_up: Callable[[fx.StartWorker | fx.ResetWorker], str] = lambda _: "",
    ) -> None:
        self._scenes = scenes
        self._backstage = backstage or Backstage()
        self._warm_up = warm_up
        self.performed: list[fx.Effect] = []
        """Everything it was asked to do, in order."""

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Play the part."""
        self.performed.append(effect)
        match effect:
            case fx.StartWorker() | fx.ResetWorker():
                self._start(session, effect, stage)
            case fx.AttachWorker():
                self._attach(session, effect, stage)
            case fx.StopWorker():
                self._stop(session, effect)
            case fx.ExecuteInWorker():
                await self._play(session, effect, self._scene(str(effect.code)))
            case fx.LoadInWorker():
                await self._play(session, effect, self._scene(effect.path))
            case fx.InterruptWorker():
                self._interrupt(session, effect)
            case fx.CheckInWorker():
                found = self._scene(effect.code).diagnostics
                stage.report(r.CodeChecked(effect.question, found))
            case fx.CompleteInWorker():
                items = self._scene(effect.code).completions
                stage.report(r.CodeCompleted(effect.question, items))
            case fx.WaitThenRestart():
                stage.report(r.EffectFailed(effect, "an interpreter does not wait"))
            case _:
                assert_never(effect)

    async def close(self) -> None:
        """The workers stay backstage."""

    def lose(self, session: SessionId, how: r.Exit, message: str) -> None:
        """Let the session's worker die, as if by itself."""
        worker = self._backstage.workers.pop(session)
        worker.stage.report(r.WorkerLost(worker.generation, how, message))

    def _scene(self, code: str) -> Scene:
        return self._scenes.get(code, UNWRITTEN)

    def _start(
        self, session: SessionId, effect: fx.StartWorker | fx.ResetWorker, stage: Stage
    ) -> None:
        problem = self._warm_up(effect)
        if problem:
            stage.report(r.WorkerFailed(effect.generation, WarmUpFailed(problem)))
            return
        self._backstage.workers[session] = _Worker(effect.generation, stage)
        stage.report(r.WorkerReady(effect.generation, 0.0))

    def _attach(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        worker = self._backstage.workers.get(session)
        if worker is None or worker.generation != effect.generation:
            gone = "it did not outlive the daemon"
            stage.report(r.WorkerLost(effect.generation, r.Exit.VANISHED, gone))
            return
        worker.stage = stage
        stage.report(r.WorkerReady(effect.generation, 0.0))
        if effect.cell is not None and worker.cell != effect.cell:
            missed = r.Raised(Interrupted("the interpreter never heard of this cell"))
            stage.report(r.CellEnded(effect.generation, effect.cell, missed, 0.0))

    def _stop(self, session: SessionId, effect: fx.StopWorker) -> None:
        worker = self._backstage.workers.get(session)
        if worker is not None and worker.generation == effect.generation:
            del self._backstage.workers[session]

    def _interrupt(self, session: SessionId, effect: fx.InterruptWorker) -> None:
        worker = self._backstage.workers.get(session)
        if worker is not None and worker.cell == effect.cell:
            worker.interrupted.set()

    async def _play(
        self, session: SessionId, effect: fx.ExecuteInWorker | fx.LoadInWorker, scene: Scene
    ) -> None:
        worker = self._backstage.workers.get(session)
        if worker is None or worker.generation != effect.generation:
            return
        worker.cell = effect.cell
        worker.interrupted.clear()
        for text in scene.prints:
            worker.stage.show(OutputChunk(effect.cell, "stdout", text))
        for text in scene.errors:
            worker.stage.show(OutputChunk(effect.cell, "stderr", text))
        ending: r.Ending = r.Raised(scene.raises) if scene.raises else _success(scene)
        duration = 0.0
        match scene.ends:
            case "with the worker":
                self.lose(session, scene.exit, "the interpreter died without a word")
                return
            case "when interrupted":
                ending, duration = await _interruption(worker, effect.time_limit)
            case "at once":
                pass
        worker.cell = None
        worker.stage.report(_ended(effect, scene, ending, duration))


def _success(scene: Scene) -> r.Succeeded:
    return r.Succeeded(scene.value, scene.value_type)


async def _interruption(worker: _Worker, limit: float | None) -> tuple[r.Ending, float]:
    try:
        async with asyncio.timeout(limit):
            await worker.interrupted.wait()
    except TimeoutError:
        elapsed = limit or 0.0
        return r.Raised(TimedOut(elapsed, elapsed)), elapsed
    return r.Stopped(), 0.0


def _ended(
    effect: fx.ExecuteInWorker | fx.LoadInWorker, scene: Scene, ending: r.Ending, duration: float
) -> r.CellEnded:
    outputs: list[Output] = []
    if scene.prints:
        outputs.append(StreamText("stdout", "".join(scene.prints)))
    if scene.errors:
        outputs.append(StreamText("stderr", "".join(scene.errors)))
    return r.CellEnded(
        generation=effect.generation,
        cell=effect.cell,
        ending=ending,
        duration=duration,
        outputs=tuple(outputs),
        names=scene.names,
        statements=scene.statements,
    )
