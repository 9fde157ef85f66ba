"""An interpreter that plays from a script: for tests and the demo.

It speaks to the engine exactly as a real one does, with the same effects, reports and progress,
but what each cell does is written down beforehand.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, assert_never

from msgspec.structs import replace

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Exploration
from hearth.core.vocabulary.failures import (
    Interrupted,
    TimedOut,
    WarmUpFailed,
)
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import OutputChunk
from hearth.performers.interpreter.scene import UNWRITTEN, Scene, ended, ending_of
from hearth.performers.interpreter.scripted_copies import ScriptedCopies, result_of, reverted

_Questioning: TypeAlias = (
    fx.CheckInWorker
    | fx.CompleteInWorker
    | fx.InspectInWorker
    | fx.ListInWorker
    | fx.ExploreInWorker
    | fx.ReloadInWorker
)


class _Playing(NamedTuple):
    """A cell that is not over yet."""

    effect: fx.ExecuteInWorker | fx.LoadInWorker
    scene: Scene


class _Trying(NamedTuple):
    """Variants that are not over yet."""

    effect: fx.TryInWorker
    scenes: tuple[Scene, ...]


@dataclass(slots=True)
class _Worker:
    """One pretended interpreter process."""

    generation: int
    stage: Stage
    playing: _Playing | _Trying | None = None
    copies: ScriptedCopies = field(default_factory=ScriptedCopies)
    tried: CellId | None = None
    """The trial whose variants wait to be kept."""
    interrupted: asyncio.Event = field(default_factory=asyncio.Event)

    def cell(self) -> CellId | None:
        """The cell it is at."""
        return self.playing.effect.cell if self.playing else None


class Obstacles(NamedTuple):
    """What is in the way of a copy; nothing: there is one."""

    obstacles: tuple[str, ...] = ()


class Backstage:
    """Where workers live. Given to a second performer, they outlive the first one's daemon."""

    def __init__(self) -> None:
        self.workers: dict[SessionId, _Worker] = {}


class ScriptedInterpreter:
    """Plays scenes. Warm-ups succeed unless `warm_up` says otherwise."""

    effects: frozenset[type[fx.Effect]] = fx.INTERPRETING

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

    async def perform(  # noqa: C901 - one case for each effect
        self, session: SessionId, effect: fx.Effect, stage: Stage
    ) -> None:
        """Play the part."""
        self.performed.append(effect)
        match effect:
            case fx.StartWorker() | fx.ResetWorker():
                self._start(session, effect, stage)
            case fx.AttachWorker():
                await self._attach(session, effect, stage)
            case fx.StopWorker():
                self._stop(session, effect)
            case fx.ExecuteInWorker():
                await self._play(session, _Playing(effect, self._scene(str(effect.code))), stage)
            case fx.LoadInWorker():
                await self._play(session, _Playing(effect, self._scene(effect.path)), stage)
            case fx.InterruptWorker():
                self._interrupt(session, effect)
            case (
                fx.CheckInWorker()
                | fx.CompleteInWorker()
                | fx.InspectInWorker()
                | fx.ListInWorker()
                | fx.ExploreInWorker()
                | fx.ReloadInWorker()
            ):
                stage.report(self._said_to(effect))
            case fx.AnswerInWorker():
                self._answer(session, effect)
            case fx.AnswerToolInWorker():
                pass  # no code of a script calls tools
            case fx.RevertWorker() | fx.TryInWorker() | fx.AdoptVariant() | fx.DropVariants():
                await self._take_back(session, effect, stage)
            case _:
                stage.report(r.EffectFailed(effect, "an interpreter does nothing of this kind"))

    async def _take_back(
        self,
        session: SessionId,
        effect: fx.RevertWorker | fx.TryInWorker | fx.AdoptVariant | fx.DropVariants,
        stage: Stage,
    ) -> None:
        if isinstance(effect, fx.AdoptVariant):
            self._adopt(session, effect, stage)
            return
        worker = self._worker(session, effect.generation)
        if worker is None:
            stage.report(_gone(effect.generation, "there is no such interpreter"))
            return
        match effect:
            case fx.RevertWorker():
                stage.report(reverted(worker.copies, effect))
            case fx.DropVariants():
                worker.tried = None
            case fx.TryInWorker():
                trying = _Trying(effect, tuple(map(self._scene, effect.variants)))
                worker.playing = trying
                worker.interrupted.clear()
                await self._try(session, worker, trying)

    def _adopt(self, session: SessionId, effect: fx.AdoptVariant, stage: Stage) -> None:
        worker = self._backstage.workers.get(session)
        if worker is not None and effect.generation == worker.generation + 1:
            if worker.tried != effect.cell:
                stage.report(_gone(effect.generation, "the variant is gone"))
                return
            self._remove(session)
            self._backstage.workers[session] = _Worker(effect.generation, stage)
        stage.report(r.WorkerReady(effect.generation, 0.0))

    async def branch(self, source: SessionId, to: SessionId) -> Obstacles:  # noqa: ARG002 - a start does it
        """Copy an interpreter for another session; what is in the way of it."""
        worker = self._backstage.workers.get(source)
        if worker is None:
            return Obstacles(("it has no interpreter",))
        return Obstacles(("a cell runs in it",) if worker.playing is not None else ())

    async def drop_branch(self, to: SessionId) -> None:
        """End a copy that no session came for."""

    def _said_to(self, effect: _Questioning) -> r.Report:
        match effect:
            case fx.CheckInWorker():
                return r.CodeChecked(effect.question, self._scene(effect.code).diagnostics)
            case fx.CompleteInWorker():
                return r.CodeCompleted(effect.question, self._scene(effect.code).completions)
            case fx.InspectInWorker():
                return r.CodeInspected(effect.question, self._scene(effect.code).inspection)
            case fx.ListInWorker():
                return r.VariablesFound(effect.question)
            case fx.ExploreInWorker():
                return r.MembersFound(effect.question, Exploration(name=effect.name))
            case fx.ReloadInWorker():
                return r.SourcesTaken(effect.question)
            case _:
                assert_never(effect)

    async def close(self) -> None:
        """The workers stay backstage."""

    def lose(self, session: SessionId, how: r.Exit, message: str) -> None:
        """Let the session's worker die, as if by itself."""
        worker = self._backstage.workers[session]
        self._remove(session)
        worker.stage.report(r.WorkerLost(worker.generation, how, message))

    def see(self, session: SessionId, fingerprint: str, parts: Mapping[str, str]) -> None:
        """Let the session's worker find that this is what it has loaded."""
        worker = self._backstage.workers[session]
        worker.stage.report(r.EnvironmentSeen(worker.generation, fingerprint, dict(parts)))

    def _scene(self, code: str) -> Scene:
        return self._scenes.get(code, UNWRITTEN)

    def _start(
        self, session: SessionId, effect: fx.StartWorker | fx.ResetWorker, stage: Stage
    ) -> None:
        problem = self._warm_up(effect)
        if problem:
            stage.report(r.WorkerFailed(effect.generation, WarmUpFailed(problem)))
            return
        self._remove(session)
        self._backstage.workers[session] = _Worker(effect.generation, stage)
        stage.report(r.WorkerReady(effect.generation, 0.0))

    async def _attach(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        worker = self._worker(session, effect.generation)
        if worker is None:
            stage.report(_gone(effect.generation, "it did not outlive the daemon"))
            return
        worker.stage = stage
        stage.report(r.WorkerReady(effect.generation, 0.0, unanswered=effect.unanswered))
        if effect.trial and effect.cell is not None and worker.cell() != effect.cell:
            missed_it = "the interpreter never heard of it"
            stage.report(r.VariantsTried(effect.generation, effect.cell, problem=missed_it))
        elif effect.cell is not None and worker.cell() != effect.cell:
            missed = r.Raised(Interrupted("the interpreter never heard of this cell"))
            stage.report(r.CellEnded(effect.generation, effect.cell, missed, 0.0))
        elif isinstance(worker.playing, _Trying):
            await self._try(session, worker, worker.playing)
        elif worker.playing is not None:
            # Whoever played it before went with the daemon.
            await self._until_interrupted(session, worker, worker.playing)

    def _stop(self, session: SessionId, effect: fx.StopWorker) -> None:
        if self._worker(session, effect.generation) is not None:
            self._remove(session)

    def _interrupt(self, session: SessionId, effect: fx.InterruptWorker) -> None:
        worker = self._worker(session, effect.generation)
        if worker is not None and worker.cell() == effect.cell:
            worker.interrupted.set()

    def _answer(self, session: SessionId, effect: fx.AnswerInWorker) -> None:
        worker = self._worker(session, effect.generation)
        playing = worker.playing if worker is not None else None
        if worker is None or not isinstance(playing, _Playing) or worker.cell() != effect.cell:
            return
        if playing.scene.asks is not None:
            worker.playing = None
            worker.interrupted.set()  # whoever waits for one need not wait any longer
            given = r.Succeeded(effect.text, "str")
            worker.stage.report(_ended(worker, playing, given, 0.0))

    def _worker(self, session: SessionId, generation: int) -> _Worker | None:
        worker = self._backstage.workers.get(session)
        return worker if worker is not None and worker.generation == generation else None

    def _remove(self, session: SessionId) -> None:
        """The worker is no more; what it was at ends without a word."""
        worker = self._backstage.workers.pop(session, None)
        if worker is not None:
            worker.playing = None
            worker.interrupted.set()

    async def _play(self, session: SessionId, playing: _Playing, stage: Stage) -> None:
        effect, scene = playing
        worker = self._worker(session, effect.generation)
        if worker is None:
            stage.report(_gone(effect.generation, "there is no such interpreter"))
            return
        worker.playing = playing
        worker.interrupted.clear()
        worker.copies.begin(effect.cell, copy=effect.copy)
        for text in scene.prints:
            worker.stage.show(OutputChunk(effect.cell, "stdout", text))
        for text in scene.errors:
            worker.stage.show(OutputChunk(effect.cell, "stderr", text))
        if scene.asks is not None and effect.may_ask:
            worker.stage.report(r.InputAsked(effect.generation, effect.cell, scene.asks))
            await self._until_interrupted(session, worker, playing)
            return
        match scene.ends:
            case "with the worker":
                self.lose(session, scene.exit, "the interpreter died without a word")
            case "when interrupted":
                await self._until_interrupted(session, worker, playing)
            case "at once":
                worker.playing = None
                worker.stage.report(_ended(worker, playing, ending_of(scene), 0.0))

    async def _until_interrupted(
        self, session: SessionId, worker: _Worker, playing: _Playing
    ) -> None:
        ending, duration = await _interruption(worker, playing.effect.time_limit)
        still = self._backstage.workers.get(session) is worker and worker.playing is playing
        if still:
            worker.playing = None
            worker.stage.report(_ended(worker, playing, ending, duration))

    async def _try(self, session: SessionId, worker: _Worker, trying: _Trying) -> None:
        stopped: r.Ending | None = None
        if any(scene.ends == "when interrupted" for scene in trying.scenes):
            stopped, _ = await _interruption(worker, trying.effect.time_limit)
        if self._backstage.workers.get(session) is not worker or worker.playing is not trying:
            return
        worker.playing, worker.tried = None, trying.effect.cell
        results = tuple(
            result_of(scene, None if scene.ends == "at once" else stopped)
            for scene in trying.scenes
        )
        effect = trying.effect
        worker.stage.report(r.VariantsTried(effect.generation, effect.cell, results))


def _ended(worker: _Worker, playing: _Playing, ending: r.Ending, duration: float) -> r.CellEnded:
    """The end of a cell, with what can be taken back then."""
    effect = playing.effect
    undone = (
        isinstance(effect, fx.ExecuteInWorker)
        and effect.on_error == "undo"
        and not isinstance(ending, r.Succeeded)
        and worker.copies.revert(effect.cell, "")
    )
    told = ended(effect, playing.scene, ending, duration)
    return replace(told, kept=worker.copies.kept, undone=undone)


def _gone(generation: int, message: str) -> r.WorkerLost:
    return r.WorkerLost(generation, r.Exit.VANISHED, message)


async def _interruption(worker: _Worker, limit: float | None) -> tuple[r.Ending, float]:
    try:
        async with asyncio.timeout(limit):
            await worker.interrupted.wait()
    except TimeoutError:
        elapsed = limit or 0.0
        return r.Raised(TimedOut(elapsed, elapsed)), elapsed
    return r.Stopped(), 0.0
