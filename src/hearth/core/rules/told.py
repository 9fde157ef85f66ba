"""What follows from a report. One that came too late, or for another generation, is ignored."""

from collections.abc import Callable
from typing import Final, assert_never

from hearth.core.rules.answered import abandoned, answered
from hearth.core.rules.asked import warm_up
from hearth.core.rules.bounding import bounded
from hearth.core.rules.cell_asking import tool_asked, withdraw_asked
from hearth.core.rules.cell_calls import tool_used
from hearth.core.rules.closing import close_everything
from hearth.core.rules.consequences import Consequences, Decision
from hearth.core.rules.forking import forked
from hearth.core.rules.modelled import decide_agent_report, of_failed
from hearth.core.rules.restart import next_restart
from hearth.core.rules.returning import returned
from hearth.core.rules.settling import settle_calls
from hearth.core.rules.starting import start_next
from hearth.core.rules.state import SessionState
from hearth.core.rules.trying import tried, variant_gone
from hearth.core.rules.undoing import copies_told, revert, reverted
from hearth.core.rules.validity import stale_cells, with_changes
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.failures import (
    Failure,
    Interrupted,
    WarmUpFailed,
    WorkerCrashed,
)
from hearth.core.vocabulary.ids import CellId, cell_number
from hearth.core.vocabulary.inputs import Told
from hearth.core.vocabulary.phases import Evaluating, Faulted, OpenCell, Ready, WarmingUp

_ALIVE: Final = Ready | Evaluating
RESTARTED: Final = "the daemon was restarted"


def decide_told(state: SessionState, told: Told) -> Decision:
    """The consequences of a report."""
    then = Consequences(state, told)
    _hear(then, told, bounded(told.report))
    settle_calls(then)
    return then.decision()


def _hear(then: Consequences, told: Told, report: r.Report) -> None:
    match report:
        case r.CellEnded():
            _cell_ended(then, report)
        case r.WorkerReady():
            _worker_ready(then, report)
        case r.WorkerFailed():
            if _current(then, report.generation):
                _fault(then, report.failure)
        case r.WorkerLost():
            _worker_lost(then, told, report)
        case (
            r.CodeChecked()
            | r.CodeCompleted()
            | r.CodeInspected()
            | r.VariablesFound()
            | r.MembersFound()
            | r.SourcesTaken()
            | r.ReplayEnded()
        ):
            answered(then, report)
        case r.InputAsked() | r.StopTried():
            if _current(then, report.generation):
                _about_running(then, report)
        case r.OutputCameLate():
            _output_came_late(then, report)
        case r.ToolAsked():
            tool_asked(then, report)
        case r.ToolUsed():
            tool_used(then, report)
        case r.CopyMissed() | r.CopiesGone():
            copies_told(then, report)
        case r.WorkerReverted() | r.RevertFailed():
            reverted(then, report)
        case r.VariantsTried():
            tried(then, report)
        case r.VariantGone():
            variant_gone(then, report)
        case r.ForkEnded():
            forked(then, report)
        case r.ReturnEnded():
            returned(then, report)
        case r.EnvironmentSeen():
            _environment_seen(then, report)
        case r.RestartDue():
            waiting = isinstance(then.state.phase, Faulted) and then.state.restart_due is not None
            if waiting and _current(then, report.generation):
                warm_up(then)
        case r.EffectFailed():
            _effect_failed(then, told, report)
        case _:
            decide_agent_report(then, report)


def _current(then: Consequences, generation: int) -> bool:
    return generation == then.state.generation


def _about_running(then: Consequences, report: r.InputAsked | r.StopTried) -> None:
    running = _running(then, report.cell)
    if running is None:
        return
    if isinstance(report, r.StopTried):
        then.happen(e.CellStopTried(report.cell, report.rung), of=running)
    else:
        asks = e.InputRequested(report.cell, report.prompt, report.password)
        then.happen(asks, of=running)


def _output_came_late(then: Consequences, report: r.OutputCameLate) -> None:
    """On behalf of nobody: whoever began the cell was answered when it ended."""
    alive = isinstance(then.state.phase, _ALIVE) and _current(then, report.generation)
    if alive and 0 < cell_number(report.cell) <= then.state.cells:
        then.happen(e.CellOutputAdded(report.cell, report.outputs, report.dropped))


def _environment_seen(then: Consequences, report: r.EnvironmentSeen) -> None:
    state = then.state
    alive = isinstance(state.phase, _ALIVE | WarmingUp) and _current(then, report.generation)
    # Without a fingerprint it could not look.
    if not alive or report.fingerprint in {"", state.fingerprint}:
        return
    gone = {name: "" for name in state.loaded if name not in report.parts}
    other = {
        name: digest
        for name, digest in report.parts.items()
        if state.environment.get(name, "") != digest
    }
    changed = {**gone, **other}
    stale = stale_cells(state.held, with_changes(state.environment, changed))
    then.happen(e.EnvironmentChanged(report.fingerprint, changed, state.fingerprint, stale))


def _worker_ready(then: Consequences, report: r.WorkerReady) -> None:
    if not _current(then, report.generation):
        return
    phase = then.state.phase
    if isinstance(phase, WarmingUp) and then.state.undo.doing is not None:
        revert(then)  # the daemon ended while cells were taken back
    elif isinstance(phase, WarmingUp):
        completed = e.SessionWarmUpCompleted(report.duration, report.errors, report.surroundings)
        then.happen_for(completed, phase.cause, phase.origin)
        then.happen_for(e.SessionReady(), phase.cause, phase.origin)
        start_next(then)
    elif isinstance(phase, Ready | Evaluating):
        # Taken up again after the daemon ended: who asked it something has no one to answer.
        for question in then.state.questions:
            if question.cause in report.unanswered:
                abandoned(then, question.cause, RESTARTED)
        withdraw_asked(then, RESTARTED)


def _cell_ended(then: Consequences, report: r.CellEnded) -> None:
    running = _running(then, report.cell)
    if running is None or running.variants or not _current(then, report.generation):
        return  # a trial ends with all its variants, and in no other way
    if running.script:
        _script_ended(then, running, report)
    then.happen(_closed(report), of=running)
    start_next(then)


def _running(then: Consequences, cell: CellId) -> OpenCell | None:
    phase = then.state.phase
    if isinstance(phase, Evaluating) and phase.current.cell == cell:
        return phase.current
    return None


def _closed(report: r.CellEnded) -> e.Event:
    match report.ending:
        case r.Succeeded():
            return e.CellFinished(
                cell=report.cell,
                duration=report.duration,
                value=report.ending.value,
                value_type=report.ending.value_type,
                outputs=report.outputs,
                names=report.names,
                uses=report.uses,
                dropped=report.dropped,
                kept=report.kept,
            )
        case r.Raised():
            return e.CellFailed(
                cell=report.cell,
                failure=report.ending.failure,
                duration=report.duration,
                outputs=report.outputs,
                names=report.names,
                uses=report.uses,
                dropped=report.dropped,
                kept=report.kept,
                undone=report.undone,
            )
        case r.Stopped():
            return e.CellCancelled(
                cell=report.cell,
                duration=report.duration,
                outputs=report.outputs,
                names=report.names,
                uses=report.uses,
                dropped=report.dropped,
                kept=report.kept,
                undone=report.undone,
            )
        case _:
            assert_never(report.ending)


def _script_ended(then: Consequences, running: OpenCell, report: r.CellEnded) -> None:
    match report.ending:
        case r.Succeeded():
            then.happen(e.ScriptLoaded(running.script, report.statements), of=running)
        case r.Raised():
            then.happen(e.ScriptLoadFailed(running.script, report.ending.failure), of=running)
        case r.Stopped():
            stopped = Interrupted("the script was cancelled")
            then.happen(e.ScriptLoadFailed(running.script, stopped), of=running)
        case _:
            assert_never(report.ending)


def _worker_lost(then: Consequences, told: Told, report: r.WorkerLost) -> None:
    alive = isinstance(then.state.phase, WarmingUp | Ready | Evaluating)
    if not alive or not _current(then, report.generation):
        return
    ready_since = then.state.ready_since
    crashed = WorkerCrashed(report.message, report.traceback, report.names)
    _fault(
        then,
        crashed,
        lambda cell: e.CellFailed(
            cell=cell.cell,
            failure=crashed,
            duration=report.duration,
            outputs=report.outputs,
            dropped=report.dropped,
        ),
    )
    restart = next_restart(then.state.restarts, ready_since, told.at, report.exit)
    if restart is not None:
        then.happen(e.RestartScheduled(restart.attempt, restart.delay))
        then.do(fx.WaitThenRestart(then.state.generation, restart.delay))


def _fault(
    then: Consequences,
    failure: Failure,
    close_running: Callable[[OpenCell], e.Event] | None = None,
) -> None:
    """Close everything and leave the session faulted, if it was alive."""
    phase = then.state.phase
    if not isinstance(phase, WarmingUp | Ready | Evaluating):
        return
    close_everything(
        then,
        "the interpreter was lost",
        close_running or (lambda cell: e.CellFailed(cell.cell, failure)),
    )
    if isinstance(phase, WarmingUp):
        then.happen_for(e.SessionFaulted(failure), phase.cause, phase.origin)
    else:
        then.happen(e.SessionFaulted(failure))


def _effect_failed(then: Consequences, told: Told, report: r.EffectFailed) -> None:
    effect, message = report.effect, report.message
    match effect:
        case fx.StartWorker() | fx.ResetWorker() | fx.AttachWorker() | fx.AdoptVariant():
            if _current(then, effect.generation):
                _fault(then, WarmUpFailed(message))
        case fx.ExecuteInWorker() | fx.LoadInWorker():
            failed = r.Raised(Interrupted(message))
            _cell_ended(then, r.CellEnded(effect.generation, effect.cell, failed, 0.0))
        case (
            fx.CheckInWorker()
            | fx.CompleteInWorker()
            | fx.InspectInWorker()
            | fx.ListInWorker()
            | fx.ExploreInWorker()
            | fx.ReloadInWorker()
            | fx.ReplayHistory()
        ):
            abandoned(then, effect.question, message)
        case fx.RevertWorker():
            reverted(then, r.RevertFailed(effect.generation, effect.question, message))
        case fx.TryInWorker():
            tried(then, r.VariantsTried(effect.generation, effect.cell, problem=message))
        case fx.BranchSession():
            forked(then, r.ForkEnded(effect.question, problem=message))
        case fx.ReturnSession():
            returned(then, r.ReturnEnded(effect.question, failed=message))
        case fx.WaitThenRestart():
            _hear(then, told, r.RestartDue(effect.generation))
        case (
            fx.InterruptWorker()
            | fx.StopWorker()
            | fx.AnswerInWorker()
            | fx.AnswerToolInWorker()
            | fx.DropVariants()
        ):
            pass  # the cell is still open and can be asked again; a stop has no one waiting
        case _:
            if (closing := of_failed(effect, message)) is not None:
                decide_agent_report(then, closing)
