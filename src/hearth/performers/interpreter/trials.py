"""Variants of a cell, each tried in a branch of its own, until one of them is kept or none."""

import asyncio
from collections.abc import Callable
from typing import Final

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.failures import Interrupted, WorkerCrashed
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.undoing import VariantResult
from hearth.performers.interpreter.branching import CannotBranch, branch, trial_record
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.looking import look_around
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.workers import Workers

NOTHING_LEFT: Final = "nothing of it outlived the daemon"
LOST: Final = VariantResult(failure=Interrupted(NOTHING_LEFT))
"""Of one that was not begun when the daemon ended, or whose interpreter ended while it was away."""
STOPPED: Final = VariantResult(failure=Interrupted("it was stopped before it was begun"))


class _Variant:
    """The stage of one variant: what it says is gathered, and told with that of the others."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.result: asyncio.Future[VariantResult] = asyncio.get_running_loop().create_future()

    def report(self, report: r.Report) -> None:
        """Keep how it ended; what its code asks of others concerns the session."""
        match report:
            case r.CellEnded():
                self._settle(_result(report))
            case r.WorkerLost():
                crashed = WorkerCrashed(report.message, report.traceback)
                self._settle(
                    VariantResult(duration=report.duration, outputs=report.outputs, failure=crashed)
                )
            case r.ToolUsed() | r.ToolAsked():
                self.stage.report(report)
            case _:
                pass

    def show(self, progress: Progress) -> None:
        """Several run at once: what they write is shown when they have ended."""

    def _settle(self, result: VariantResult) -> None:
        if not self.result.done():
            self.result.set_result(result)


class Trials:
    """What is tried in the sessions of one home."""

    def __init__(self, workers: Workers, launching: Launching) -> None:
        self._workers = workers
        self._launching = launching
        self._making: dict[SessionId, CellId] = {}
        """The trials whose branches are being made; what is stopped meanwhile is taken out."""

    async def perform(
        self,
        session: SessionId,
        effect: fx.TryInWorker | fx.AdoptVariant | fx.DropVariants,
        stage: Stage,
    ) -> None:
        """Carry out one effect."""
        match effect:
            case fx.TryInWorker():
                await self._try(session, effect, stage)
            case fx.AdoptVariant():
                await self._adopt(session, effect, stage)
            case fx.DropVariants():
                self._workers.end_tried(session)

    async def _try(self, session: SessionId, effect: fx.TryInWorker, stage: Stage) -> None:
        source = self._workers.at_work(session, effect.generation, stage)
        if source is None:
            return
        self._workers.end_tried(session)
        self._making[session] = effect.cell
        try:
            trying, problem = await self._begun(session, effect, source, stage)
        finally:
            self._making.pop(session, None)
        if problem:
            # All or none: to choose among some of them is not what was asked for.
            self._workers.end_tried(session)
            report = r.VariantsTried(effect.generation, effect.cell, problem=problem)
        else:
            results = await _unless_ended(source, trying)
            if results is None:
                return  # what becomes of the trial follows from that loss
            report = r.VariantsTried(effect.generation, effect.cell, results)
        if self._workers.current(session, effect.generation) is source:
            stage.report(report)

    async def _begun(
        self, session: SessionId, effect: fx.TryInWorker, source: Worker, stage: Stage
    ) -> tuple[list[asyncio.Future[VariantResult]], str]:
        """Those that run, each in its branch; or what is in the way."""
        trying: list[asyncio.Future[VariantResult]] = []
        for variant, code in enumerate(effect.variants, 1):
            told = _Variant(stage)
            trying.append(told.result)
            if session not in self._making:
                told.result.set_result(STOPPED)
                continue
            place = (variant, len(effect.variants))
            record = trial_record(source, session, effect.cell, place)
            try:
                worker = await branch(self._launching, source, record)
            except CannotBranch as cannot:
                return trying, f"its interpreter cannot be copied: {cannot}"
            except (CannotStart, OSError) as trouble:
                return trying, f"its interpreter could not be copied: {trouble}"
            self._workers.add_tried(session, worker)
            worker.stage = told
            worker.listen()
            run = fx.ExecuteInWorker(effect.generation, effect.cell, code, effect.time_limit)
            worker.execute(run, code)
            if session not in self._making:
                worker.stop(effect.cell)
        return trying, ""

    async def take_up(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        """Go on with a trial that an earlier daemon began, as far as it had come."""
        if effect.cell is None:
            return
        found = self._workers.tried(session, effect.cell)
        results: list[asyncio.Future[VariantResult] | None] = [
            None for _ in range(max((one.record.variants for one in found), default=0))
        ]
        for worker in found:
            told = _Variant(stage)
            worker.stage = told
            results[worker.record.variant - 1] = told.result
            await worker.take_up(effect)
        if not found:
            stage.report(r.VariantsTried(effect.generation, effect.cell, problem=NOTHING_LEFT))
            return
        ended = [LOST if one is None else await one for one in results]
        stage.report(r.VariantsTried(effect.generation, effect.cell, tuple(ended)))

    async def _adopt(self, session: SessionId, effect: fx.AdoptVariant, stage: Stage) -> None:
        worker = self._workers.current(session, effect.generation)
        if worker is None:
            chosen = (
                one
                for one in self._workers.tried(session, effect.cell)
                if one.record.variant == effect.variant and not one.process.is_over
            )
            worker = next(chosen, None)
            if worker is not None:
                # Written down first: from here on it is the session's, whatever happens.
                worker.claim(session, effect.generation, stage)
                self._workers.adopt(session, worker)
            else:
                worker = self._workers.left_by_another(
                    session, effect.generation, effect.generation - 1
                )
        if worker is None or worker.generation != effect.generation:
            await self._stay(session, effect, worker or self._workers.of(session), stage)
            return
        worker.stage = stage
        worker.listen()
        self._workers.add(session, worker)
        self._workers.end_tried(session)
        self._workers.end_older(session)
        stage.report(r.WorkerReady(effect.generation, 0.0))
        worker.asking.prepare_beside()
        worker.beside(look_around(worker))

    async def _stay(
        self,
        session: SessionId,
        effect: fx.AdoptVariant,
        worker: Worker | None,
        stage: Stage,
    ) -> None:
        """Go on with the interpreter that there was: what was to be kept has ended."""
        why = f"the interpreter of variant {effect.variant} has ended"
        before = effect.generation - 1
        self._workers.end_tried(session)
        if worker is None or worker.generation != before or worker.process.is_over:
            stage.report(r.WorkerLost(effect.generation, r.Exit.VANISHED, why))
            return
        worker.stage = stage
        if self._workers.of(session) is not worker:
            self._workers.add(session, worker)
            await worker.take_up(fx.AttachWorker(before, SessionConfig()))
        stage.report(r.VariantGone(effect.generation, effect.cell, why))
        worker.asking.prepare_beside()

    def stop(self, session: SessionId, cell: CellId) -> None:
        """Stop all variants of a cell; those that are not begun yet are not begun any more."""
        if self._making.get(session) == cell:
            del self._making[session]
        self.each(session, lambda one: one.stop(cell))

    def each(self, session: SessionId, act: Callable[[Worker], None]) -> None:
        """Tell something to all that are being tried in a session."""
        for worker in self._workers.trying(session):
            act(worker)


async def _unless_ended(
    source: Worker, trying: list[asyncio.Future[VariantResult]]
) -> tuple[VariantResult, ...] | None:
    """How they end; None if what they are copies of ends before, and they with it."""
    results = asyncio.ensure_future(_all(trying))
    over = asyncio.ensure_future(source.process.over())
    try:
        await asyncio.wait((results, over), return_when="FIRST_COMPLETED")
        return await results if results.done() else None
    finally:
        results.cancel()
        over.cancel()


async def _all(trying: list[asyncio.Future[VariantResult]]) -> tuple[VariantResult, ...]:
    # Not gathered: what is cancelled of that says later that nobody looked at it.
    return tuple([await one for one in trying])


def _result(ended: r.CellEnded) -> VariantResult:
    ending = ended.ending
    return VariantResult(
        duration=ended.duration,
        value=ending.value if isinstance(ending, r.Succeeded) else "",
        value_type=ending.value_type if isinstance(ending, r.Succeeded) else "",
        outputs=ended.outputs,
        names=ended.names,
        failure=ending.failure if isinstance(ending, r.Raised) else None,
        stopped=isinstance(ending, r.Stopped),
        dropped=ended.dropped,
    )
