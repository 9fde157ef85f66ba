"""What follows from a command that may be taken."""

from typing import TypeAlias, assert_never, cast

from msgspec.structs import replace

from hearth.core.rules.admission import not_for
from hearth.core.rules.closing import abandon_warm_up, close_everything, drop_trial
from hearth.core.rules.consequences import Consequences, Decision
from hearth.core.rules.forking import fork_session
from hearth.core.rules.prompted import decide_prompt, stop_with_session
from hearth.core.rules.refusing import not_allowed, not_meanwhile, refusal_of
from hearth.core.rules.refusing_prompts import prompt_of
from hearth.core.rules.returning import return_to
from hearth.core.rules.settling import settle_calls
from hearth.core.rules.starting import is_kept, run_cell
from hearth.core.rules.state import SessionState, allowed
from hearth.core.rules.trying import keep_variant, try_variants
from hearth.core.rules.undoing import not_theirs, redo_cells, undo_cells
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary.answers import ExploredKind
from hearth.core.vocabulary.ids import cell_id
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.phases import Evaluating, Faulted, OpenCell, Uninitialized, WarmingUp
from hearth.core.vocabulary.refusals import Refusal

_Questioning: TypeAlias = (
    c.CompleteCode
    | c.InspectCode
    | c.ListVariables
    | c.ExploreModule
    | c.ExploreType
    | c.ReloadSources
)

HEALTHY = "the session was healthy: its variables are lost; a reset is only needed after a fault"
BUSY = "the session was busy: what it was doing is lost; cancel_eval would have kept its variables"


def decide_asked(state: SessionState, asked: Asked) -> Decision | Refusal:
    """The consequences of a command, or why it is not taken."""
    if (refused := not_for(asked.origin, asked.command)) is not None:
        return replace(refused, available=allowed(state))
    if (refusal := not_meanwhile(state, asked) or refusal_of(state, asked.command)) is not None:
        return refusal
    if (why := not_theirs(state, asked.command, asked.origin)) != "":
        return not_allowed(state, asked.command, why)
    then, warning = Consequences(state, asked), ""
    if (prompt := prompt_of(asked.command)) is not None:
        decide_prompt(then, asked, prompt)
    else:
        warning = _decide(then, asked, cast("c.OfSession", asked.command))
    settle_calls(then)
    return then.decision(warning)


def _decide(then: Consequences, asked: Asked, command: c.OfSession) -> str:
    """The consequences for the session, and what the caller should know all the same."""
    match command:
        case c.RunCell():
            run_cell(then, command, asked.id, asked.origin)
        case c.LoadScript():
            _load(then, command)
        case c.CancelCell():
            _cancel(then, command)
        case c.CheckCode():
            _check(then, asked, command)
        case (
            c.CompleteCode()
            | c.InspectCode()
            | c.ListVariables()
            | c.ExploreModule()
            | c.ExploreType()
            | c.ReloadSources()
        ):
            _question(then, asked, command)
        case c.AnswerInput():
            _answer(then, command)
        case c.ReplaySession():
            _replay(then, asked, command)
        case c.CreateSession():
            _create(then, asked, command)
        case c.UndoCells():
            undo_cells(then, command, asked.id, asked.origin)
        case c.RedoCells():
            redo_cells(then, asked.id, asked.origin)
        case c.ChooseUndo():
            then.happen(e.UndoChosen(command.who))
        case c.TryVariants():
            try_variants(then, command, asked.id, asked.origin)
        case c.KeepVariant():
            keep_variant(then, command, asked.id, asked.origin)
        case c.ForkSession():
            fork_session(then, command, asked.id, asked.origin)
        case c.ReturnTo():
            return_to(then, command, asked.id, asked.origin)
        case c.ResetSession():
            return _reset(then)
        case c.HardResetSession():
            return _hard_reset(then, asked, command)
        case c.StopSession():
            _stop(then, asked, command)
        case c.RenameSession():
            then.happen(e.SessionRenamed(command.name))
        case c.SwitchSession():
            then.happen(e.SessionSwitched(command.to))
        case c.NoteSettings():
            then.happen(e.SettingsReloaded(command.sources, command.changed, command.problems))
        case _:
            assert_never(command)
    return ""


def _create(then: Consequences, asked: Asked, command: c.CreateSession) -> None:
    then.happen(e.SessionStarted(command.config))
    warm_up(then)
    fork = command.config.forked_from
    if fork is not None:
        line, version = then.state.talk.line, then.state.version
        then.do(m.FindBranch(asked.id, fork.block, line, version, fork.session))


def warm_up(then: Consequences, *, rebuild: bool = False) -> None:
    """Start the next interpreter."""
    generation, config = _next_generation(then)
    then.do(fx.StartWorker(generation, config, rebuild))


def _next_generation(then: Consequences) -> tuple[int, c.SessionConfig]:
    config = then.state.config or c.SessionConfig()
    generation = then.state.generation + 1
    then.happen(e.SessionWarmUpStarted(generation, config.projects))
    return generation, config


def _load(then: Consequences, command: c.LoadScript) -> None:
    drop_trial(then, "a script is run")
    cell = cell_id(then.state.cells + 1)
    copy = is_kept(then.state, then.origin)
    then.happen(
        e.CellStarted(
            cell=cell,
            code="",
            script=command.path,
            time_limit=command.time_limit,
            may_ask=command.may_ask,
            replays=command.replays,
            copy=copy,
        )
    )
    then.do(
        fx.LoadInWorker(
            then.state.generation,
            cell,
            command.path,
            command.time_limit,
            may_ask=command.may_ask,
            copy=copy,
        )
    )


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
    then.happen(e.CheckRequested(command.code, command.file, command.full))
    then.do(fx.CheckInWorker(then.state.generation, asked.id, command.code, command.file))


def _question(then: Consequences, asked: Asked, command: _Questioning) -> None:
    """What is asked of the interpreter is answered beside the cell that may be running."""
    generation, question = then.state.generation, asked.id
    match command:
        case c.CompleteCode():
            then.happen(e.CompletionsRequested(command.code, command.cursor))
            then.do(fx.CompleteInWorker(generation, question, command.code, command.cursor))
        case c.InspectCode():
            then.happen(e.InspectionRequested(command.code, command.cursor))
            then.do(fx.InspectInWorker(generation, question, command.code, command.cursor))
        case c.ListVariables():
            then.happen(e.VariablesRequested(command.prefix, command.modules))
            then.do(fx.ListInWorker(generation, question, command.prefix, command.modules))
        case c.ExploreModule() | c.ExploreType():
            is_module = isinstance(command, c.ExploreModule)
            kind = ExploredKind.MODULE if is_module else ExploredKind.TYPE
            then.happen(e.ExplorationRequested(kind, command.name))
            then.do(fx.ExploreInWorker(generation, question, kind, command.name))
        case c.ReloadSources():
            then.happen(e.ReloadRequested(command.paths))
            then.do(fx.ReloadInWorker(generation, question, command.paths))
        case _:
            assert_never(command)


def _answer(then: Consequences, command: c.AnswerInput) -> None:
    running = then.state.phase
    if isinstance(running, Evaluating) and running.current.question is not None:
        cell = running.current.cell
        kept = "" if running.current.question.password else command.text
        then.happen(e.InputAnswered(cell, kept))
        then.do(fx.AnswerInWorker(then.state.generation, cell, command.text))


def _replay(then: Consequences, asked: Asked, command: c.ReplaySession) -> None:
    source = command.source or then.state.session
    before = command.before
    if source == then.state.session:
        before = min(before or then.state.version + 1, then.state.version + 1)
    then.happen(e.ReplayStarted(source, command.before))
    then.do(fx.ReplayHistory(then.state.generation, asked.id, source, before))


def _reset(then: Consequences) -> str:
    healthy = not isinstance(then.state.phase, Faulted)
    close_everything(then, "the session was reset", _never_running)
    then.happen(e.SessionReset())
    then.happen(e.DiagnosticsCleared())
    generation, config = _next_generation(then)
    then.do(fx.ResetWorker(generation, config))
    return HEALTHY if healthy else ""


def _hard_reset(then: Consequences, asked: Asked, command: c.HardResetSession) -> str:
    phase, old = then.state.phase, then.state.generation
    close_everything(then, "the session was reset", lambda cell: _cut_off(cell, asked))
    abandon_warm_up(then, "the session was reset")
    then.happen(e.SessionHardReset(command.rebuild))
    then.happen(e.DiagnosticsCleared())
    if not isinstance(phase, Uninitialized):
        then.do(fx.StopWorker(old))
    warm_up(then, rebuild=command.rebuild)
    if isinstance(phase, Evaluating | WarmingUp):
        return BUSY
    return "" if isinstance(phase, Faulted | Uninitialized) else HEALTHY


def _stop(then: Consequences, asked: Asked, command: c.StopSession) -> None:
    stop_with_session(then)
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
