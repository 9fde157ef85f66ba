"""What follows from a command that may be taken."""

from typing import assert_never

from hearth.core.rules.closing import abandon_warm_up, close_everything
from hearth.core.rules.consequences import Consequences, Decision
from hearth.core.rules.refusing import refusal_of
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import cell_id
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.phases import Evaluating, Faulted, OpenCell, Uninitialized, WarmingUp
from hearth.core.vocabulary.refusals import Refusal

HEALTHY = "the session was healthy: its variables are lost; a reset is only needed after a fault"
BUSY = "the session was busy: what it was doing is lost; cancel_eval would have kept its variables"


def decide_asked(state: SessionState, asked: Asked) -> Decision | Refusal:
    """The consequences of a command, or why it is not taken."""
    if (refusal := refusal_of(state, asked.command)) is not None:
        return refusal
    then = Consequences(state, asked)
    match asked.command:
        case c.RunCell():
            _run(then, asked.command)
        case c.LoadScript():
            _load(then, asked.command)
        case c.CancelCell():
            _cancel(then, asked.command)
        case c.CheckCode():
            _check(then, asked, asked.command)
        case c.CompleteCode():
            _complete(then, asked, asked.command)
        case c.CreateSession():
            then.happen(e.SessionStarted(asked.command.config))
            warm_up(then)
        case c.ResetSession():
            return _reset(then)
        case c.HardResetSession():
            return _hard_reset(then, asked, asked.command)
        case c.StopSession():
            _stop(then, asked, asked.command)
        case c.RenameSession():
            then.happen(e.SessionRenamed(asked.command.name))
        case c.SwitchSession():
            then.happen(e.SessionSwitched(asked.command.to))
        case _:
            assert_never(asked.command)
    return then.decision()


def warm_up(then: Consequences, *, rebuild: bool = False) -> None:
    """Start the next interpreter."""
    generation, config = _next_generation(then)
    then.do(fx.StartWorker(generation, config, rebuild))


def _next_generation(then: Consequences) -> tuple[int, c.SessionConfig]:
    config = then.state.config or c.SessionConfig()
    generation = then.state.generation + 1
    then.happen(e.SessionWarmUpStarted(generation, config.projects))
    return generation, config


def _run(then: Consequences, command: c.RunCell) -> None:
    cell = cell_id(then.state.cells + 1)
    if isinstance(then.state.phase, Evaluating | WarmingUp):
        then.happen(e.CellQueued(cell, command.code, command.background, command.time_limit))
        return
    then.happen(
        e.CellStarted(
            cell=cell,
            code=command.code,
            background=command.background,
            time_limit=command.time_limit,
        )
    )
    then.do(fx.ExecuteInWorker(then.state.generation, cell, command.code, command.time_limit))


def _load(then: Consequences, command: c.LoadScript) -> None:
    cell = cell_id(then.state.cells + 1)
    then.happen(
        e.CellStarted(cell=cell, code="", script=command.path, time_limit=command.time_limit)
    )
    then.do(fx.LoadInWorker(then.state.generation, cell, command.path, command.time_limit))


def _cancel(then: Consequences, command: c.CancelCell) -> None:
    for waiting in then.state.queue:
        if waiting.cell == command.cell:
            then.happen(e.CellCancelRequested(waiting.cell, 1))
            then.happen(e.CellWithdrawn(waiting.cell, "cancelled"), of=waiting)
            return
    if isinstance(then.state.phase, Evaluating):
        current = then.state.phase.current
        attempt = current.cancels + 1
        then.happen(e.CellCancelRequested(current.cell, attempt))
        then.do(fx.InterruptWorker(then.state.generation, current.cell, attempt))


def _check(then: Consequences, asked: Asked, command: c.CheckCode) -> None:
    then.happen(e.CheckRequested(command.code, command.file))
    then.do(fx.CheckInWorker(then.state.generation, asked.id, command.code, command.file))


def _complete(then: Consequences, asked: Asked, command: c.CompleteCode) -> None:
    then.happen(e.CompletionsRequested(command.code, command.cursor))
    then.do(fx.CompleteInWorker(then.state.generation, asked.id, command.code, command.cursor))


def _reset(then: Consequences) -> Decision:
    healthy = not isinstance(then.state.phase, Faulted)
    close_everything(then, "the session was reset", _never_running)
    then.happen(e.SessionReset())
    then.happen(e.DiagnosticsCleared())
    generation, config = _next_generation(then)
    then.do(fx.ResetWorker(generation, config))
    return then.decision(HEALTHY if healthy else "")


def _hard_reset(then: Consequences, asked: Asked, command: c.HardResetSession) -> Decision:
    phase, old = then.state.phase, then.state.generation
    close_everything(then, "the session was reset", lambda cell: _cut_off(cell, asked))
    abandon_warm_up(then, "the session was reset")
    then.happen(e.SessionHardReset(command.rebuild))
    then.happen(e.DiagnosticsCleared())
    if not isinstance(phase, Uninitialized):
        then.do(fx.StopWorker(old))
    warm_up(then, rebuild=command.rebuild)
    if isinstance(phase, Evaluating | WarmingUp):
        return then.decision(BUSY)
    return then.decision("" if isinstance(phase, Faulted | Uninitialized) else HEALTHY)


def _stop(then: Consequences, asked: Asked, command: c.StopSession) -> None:
    had_worker = not isinstance(then.state.phase, Uninitialized)
    close_everything(then, "the session was stopped", lambda cell: _cut_off(cell, asked))
    abandon_warm_up(then, "the session was stopped")
    then.happen(e.SessionStopped(command.reason))
    if had_worker:
        then.do(fx.StopWorker(then.state.generation))


def _cut_off(cell: OpenCell, asked: Asked) -> e.Event:
    # Clocks are set back now and then; no cell runs for less than no time.
    return e.CellCancelled(cell.cell, max(0.0, (asked.at - cell.started_at).total_seconds()))


def _never_running(cell: OpenCell) -> e.Event:
    raise AssertionError(f"a soft reset is refused while {cell.cell} runs")
