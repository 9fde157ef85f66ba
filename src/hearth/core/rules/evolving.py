"""How an event changes a session. The only place where a session's state is made."""

import re
from datetime import datetime, timedelta
from typing import Final, assert_never

from msgspec.structs import replace

from hearth.core.rules.diagnosing import diagnostics_key
from hearth.core.rules.interpreter import FOLLOWS
from hearth.core.rules.state import Question, SessionState
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.phases import (
    PHASE_NAMES,
    Evaluating,
    Faulted,
    OpenCell,
    Phase,
    Ready,
    Uninitialized,
    WarmingUp,
)

_CELL: Final = re.compile(r"c[1-9][0-9]{0,17}")


class IllegalEvent(Exception):
    """An event that the tables forbid: our defect when deciding, a corrupt log when replaying."""


def evolve(state: SessionState, fact: Fact) -> SessionState:
    """The session after this fact; IllegalEvent if it cannot have happened."""
    before = PHASE_NAMES[type(state.phase)]
    leads_to = FOLLOWS[type(fact.event)].get(before)
    if leads_to is None:
        raise IllegalEvent(f"{_tag(fact)} cannot happen to a session that is {before}")
    after = _apply(state, fact)
    if PHASE_NAMES[type(after.phase)] is not leads_to:
        raise IllegalEvent(f"{_tag(fact)} led from {before} to {after.phase_name}, not {leads_to}")
    return after


def _apply(state: SessionState, fact: Fact) -> SessionState:
    event, version = fact.event, state.version + 1
    match event:
        case e.StateTransitioned():
            # Not by `_agree`: every second event is one, and most of its time went into the text.
            if event.after is not (now := state.phase_name):
                raise IllegalEvent(f"{_tag(fact)} does not fit: the session is {now}")
            return replace(state, version=version)
        case e.CellStarted() if state.queue:
            _agree(event.cell == state.queue[0].cell, fact, "a cell began before its turn")
            running = Evaluating(_opened(fact, event))
            return replace(state, version=version, phase=running, queue=state.queue[1:])
        case e.CellStarted():
            return replace(
                state,
                version=version,
                phase=Evaluating(_opened(fact, event)),
                cells=_next_number(state, fact, event.cell),
            )
        case e.CellFinished() | e.CellFailed() | e.CellCancelled():
            _agree(event.cell == _running(state).cell, fact, "another cell is running")
            return replace(state, version=version, phase=Ready())
        case e.CellQueued():
            return replace(
                state,
                version=version,
                queue=(*state.queue, _opened(fact, event)),
                cells=_next_number(state, fact, event.cell),
            )
        case e.CellWithdrawn():
            rest = tuple(cell for cell in state.queue if cell.cell != event.cell)
            _agree(len(rest) < len(state.queue), fact, f"{event.cell} is not waiting")
            return replace(state, version=version, queue=rest)
        case e.CellCancelRequested():
            return replace(state, version=version, phase=_asked_to_stop(state, fact, event))
        case e.CheckRequested() | e.CompletionsRequested():
            return replace(
                state, version=version, questions=(*state.questions, _question(fact, event))
            )
        case e.DiagnosticsChecked() | e.CompletionsReturned() | e.QuestionAbandoned():
            rest_of = tuple(q for q in state.questions if q.cause != fact.cause)
            _agree(len(rest_of) < len(state.questions), fact, "nobody asked")
            return replace(state, version=version, questions=rest_of)
        case e.ScriptLoaded() | e.ScriptLoadFailed() | e.DiagnosticsCleared():
            return replace(state, version=version)
        case e.SessionWarmUpCompleted() | e.SessionWarmUpAbandoned():
            return replace(state, version=version)
        case e.SessionWarmUpStarted():
            _agree(event.generation == state.generation + 1, fact, "a generation was skipped")
            return replace(
                state,
                version=version,
                phase=_warming(fact),
                generation=event.generation,
                restart_due=None,
                stopped=False,
            )
        case e.SessionReady():
            return replace(state, version=version, phase=Ready(), ready_since=fact.at)
        case e.SessionFaulted():
            faulted = Faulted(event.failure)
            return replace(state, version=version, phase=faulted, ready_since=None)
        case e.SessionReset() | e.SessionHardReset():
            return replace(
                state,
                version=version,
                phase=_warming(fact),
                restarts=(),
                restart_due=None,
                ready_since=None,
            )
        case e.SessionStopped():
            return replace(
                state,
                version=version,
                phase=Uninitialized(),
                restart_due=None,
                ready_since=None,
                stopped=True,
            )
        case e.RestartScheduled():
            return replace(
                state,
                version=version,
                restarts=_counted(state, fact, event),
                restart_due=fact.at + timedelta(seconds=event.delay),
            )
        case e.SessionStarted():
            _agree(state.config is None, fact, "the session was started before")
            return replace(state, version=version, config=event.config)
        case e.SessionRenamed():
            if state.config is None:
                raise IllegalEvent("a session that was not started cannot be renamed")
            return replace(state, version=version, config=replace(state.config, name=event.name))
        case e.SessionSwitched():
            return replace(state, version=version, default_session=event.to)
        case _:
            assert_never(event)


def _agree(holds: object, fact: Fact, problem: str) -> None:
    if not holds:
        raise IllegalEvent(f"{_tag(fact)} does not fit: {problem}")


def _tag(fact: Fact) -> str:
    return str(fact.event.__struct_config__.tag)


def _running(state: SessionState) -> OpenCell:
    if not isinstance(state.phase, Evaluating):
        raise IllegalEvent("no cell is running")
    return state.phase.current


def _asked_to_stop(state: SessionState, fact: Fact, event: e.CellCancelRequested) -> Phase:
    phase = state.phase
    if isinstance(phase, Evaluating) and phase.current.cell == event.cell:
        return Evaluating(replace(phase.current, cancels=event.attempt))
    waits = any(cell.cell == event.cell for cell in state.queue)
    _agree(waits, fact, f"{event.cell} neither runs nor waits")
    return phase


def _opened(fact: Fact, event: e.CellStarted | e.CellQueued) -> OpenCell:
    return OpenCell(
        cell=event.cell,
        code=event.code,
        cause=fact.cause,
        origin=fact.origin,
        started_at=fact.at,
        background=event.background,
        script=event.script if isinstance(event, e.CellStarted) else "",
        time_limit=event.time_limit,
    )


def _next_number(state: SessionState, fact: Fact, cell: CellId) -> int:
    """The number of a new cell; a session never uses one twice."""
    if _CELL.fullmatch(cell) is None:
        raise IllegalEvent(f"{_tag(fact)} does not fit: {cell!r} is no cell's name")
    number = int(cell[1:])
    _agree(number > state.cells, fact, "the cell was there before")
    return number


def _warming(fact: Fact) -> WarmingUp:
    return WarmingUp(since=fact.at, cause=fact.cause, origin=fact.origin)


def _question(fact: Fact, event: e.CheckRequested | e.CompletionsRequested) -> Question:
    key = diagnostics_key(event.code, event.file) if isinstance(event, e.CheckRequested) else ""
    return Question(cause=fact.cause, origin=fact.origin, key=key)


def _counted(state: SessionState, fact: Fact, event: e.RestartScheduled) -> tuple[datetime, ...]:
    """Attempt 0 is free: nobody crashed. Attempt 1 begins a new count."""
    if event.attempt == 0:
        return state.restarts
    return (*state.restarts[: event.attempt - 1], fact.at)
