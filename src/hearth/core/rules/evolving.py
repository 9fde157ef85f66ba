"""How an event changes a session. The only place where a session's state is made."""

from datetime import datetime, timedelta
from typing import Final, assert_never, cast, get_args

from msgspec.structs import replace

from hearth.core.rules.agreeing import IllegalEvent, agree, tag_of
from hearth.core.rules.conversation_state import Lookup
from hearth.core.rules.conversing import converse
from hearth.core.rules.diagnosing import now_known
from hearth.core.rules.interpreter import FOLLOWS
from hearth.core.rules.open_cells import asked_to_stop, asking, next_number, opened, running
from hearth.core.rules.open_questions import answered, question_of
from hearth.core.rules.state import SessionState
from hearth.core.rules.undone import adopted, begun, forgotten, ran, take_back
from hearth.core.rules.validity import holding, with_changes
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.events import TurnEvent
from hearth.core.vocabulary.ids import cell_number
from hearth.core.vocabulary.origin import Actor
from hearth.core.vocabulary.phases import (
    PHASE_NAMES,
    Evaluating,
    Faulted,
    InputQuestion,
    Ready,
    Uninitialized,
    WarmingUp,
)

_TURN_EVENTS: Final = frozenset(get_args(TurnEvent))
"""What happens to a conversation, whatever the interpreter does."""
_UNDO_EVENTS: Final = frozenset(get_args(e.UndoEvent))

MOST_CARRIED: Final = 4000
"""Of more parts than this only those are kept that the present interpreter has shown."""


def evolve(state: SessionState, fact: Fact) -> SessionState:
    """The session after this fact; IllegalEvent if it cannot have happened."""
    event = fact.event
    if type(event) in _TURN_EVENTS:
        version, of_talk = state.version + 1, cast("TurnEvent", event)
        return replace(state, version=version, talk=converse(state.talk, fact, of_talk, version))
    of_interpreter = cast("e.OfInterpreter", event)
    before = PHASE_NAMES[type(state.phase)]
    leads_to = FOLLOWS[type(of_interpreter)].get(before)
    if leads_to is None:
        raise IllegalEvent(f"{tag_of(fact)} cannot happen to a session that is {before}")
    if type(event) in _UNDO_EVENTS:
        after = take_back(state, fact, cast("e.UndoEvent", event))
    else:
        after = _apply(state, fact, cast("e.OfLife", event))
    if PHASE_NAMES[type(after.phase)] is not leads_to:
        raise IllegalEvent(
            f"{tag_of(fact)} led from {before} to {after.phase_name}, not {leads_to}"
        )
    return after


def _apply(state: SessionState, fact: Fact, event: e.OfLife) -> SessionState:
    version = state.version + 1
    match event:
        case e.StateTransitioned():
            # Not by `agree`: every second event is one, and most of its time went into the text.
            if event.after is not (now := state.phase_name):
                raise IllegalEvent(f"{tag_of(fact)} does not fit: the session is {now}")
            return replace(state, version=version)
        case e.CellStarted() if state.fresh:
            # A new life begins: what an earlier one held is gone with its names.
            return _begun(replace(state, fresh=False, held=(), stale=0), fact, event)
        case e.CellStarted():
            return _begun(state, fact, event)
        case e.CellFinished() | e.CellFailed() | e.CellCancelled():
            return _ended(state, fact, event)
        case e.CellQueued():
            return replace(
                state,
                version=version,
                queue=(*state.queue, opened(fact, event)),
                cells=next_number(state, fact, event.cell),
            )
        case e.CellWithdrawn():
            rest = tuple(cell for cell in state.queue if cell.cell != event.cell)
            agree(len(rest) < len(state.queue), fact, f"{event.cell} is not waiting")
            return replace(state, version=version, queue=rest)
        case e.CellCancelRequested():
            return replace(state, version=version, phase=asked_to_stop(state, fact, event))
        case (
            e.CheckRequested()
            | e.CompletionsRequested()
            | e.InspectionRequested()
            | e.VariablesRequested()
            | e.ExplorationRequested()
            | e.ReloadRequested()
            | e.ReplayStarted()
        ):
            return replace(
                state, version=version, questions=(*state.questions, question_of(fact, event))
            )
        case e.DiagnosticsChecked():
            return _checked(state, fact, event)
        case (
            e.CompletionsReturned()
            | e.InspectionReturned()
            | e.VariablesReturned()
            | e.ExplorationReturned()
            | e.SessionReplayed()
            | e.QuestionAbandoned()
        ):
            _, rest_of = answered(state.questions, fact)
            return replace(state, version=version, questions=rest_of)
        case e.SourcesReloaded():
            return _reloaded(state, fact)
        case e.InputRequested():
            waits = InputQuestion(event.prompt, event.password)
            return replace(state, version=version, phase=asking(state, fact, waits))
        case e.InputAnswered():
            return replace(state, version=version, phase=asking(state, fact, None))
        case e.CellStopTried():
            agree(event.cell == running(state).cell, fact, "another cell is running")
            return replace(state, version=version)
        case e.DiagnosticsCleared():
            return replace(state, version=version, known=())
        case e.CellOutputAdded():
            known = 0 < cell_number(event.cell) <= state.cells
            agree(known, fact, f"there was no cell {event.cell}")
            return replace(state, version=version)
        case e.EnvironmentChanged():
            return _environment(state, fact, event)
        case e.SessionWarmUpCompleted():
            # A variant that was kept stands where the interpreter stood that it is a copy of.
            stays = state.surroundings if state.undo.adopting is not None else None
            return replace(state, version=version, surroundings=event.surroundings or stays)
        case (
            e.ScriptLoaded()
            | e.ScriptLoadFailed()
            | e.SessionWarmUpAbandoned()
            | e.SettingsReloaded()
            | e.CellToolCalled()
        ):
            return replace(state, version=version)
        case e.SessionWarmUpStarted():
            agree(event.generation == state.generation + 1, fact, "a generation was skipped")
            return replace(
                state,
                version=version,
                phase=_warming(fact),
                generation=event.generation,
                restart_due=None,
                stopped=False,
                fresh=True,
                loaded=(),
                undo=forgotten(state.undo),
            )
        case e.SessionReady():
            return _ready(state, fact)
        case e.SessionFaulted():
            faulted = Faulted(event.failure)
            undo = forgotten(state.undo)
            return replace(state, version=version, phase=faulted, ready_since=None, undo=undo)
        case e.SessionReset() | e.SessionHardReset():
            return _reset(state, fact, event)
        case e.SessionStopped():
            return replace(
                state,
                version=version,
                phase=Uninitialized(),
                restart_due=None,
                ready_since=None,
                stopped=True,
                # Allowed as long as it lives: whoever takes its conversation up again is asked.
                talk=replace(state.talk, grants=()) if state.talk.grants else state.talk,
                undo=forgotten(state.undo),
            )
        case e.RestartScheduled():
            return replace(
                state,
                version=version,
                restarts=_counted(state, fact, event),
                restart_due=fact.at + timedelta(seconds=event.delay),
            )
        case e.SessionStarted():
            agree(state.config is None, fact, "the session was started before")
            return _session_started(replace(state, version=version, config=event.config), fact)
        case e.SessionRenamed():
            if state.config is None:
                raise IllegalEvent("a session that was not started cannot be renamed")
            return replace(state, version=version, config=replace(state.config, name=event.name))
        case e.SessionSwitched():
            return replace(state, version=version, default_session=event.to)
        case _:
            assert_never(event)


def _session_started(state: SessionState, fact: Fact) -> SessionState:
    fork = state.config.forked_from if state.config is not None else None
    if fork is None:
        return state
    lookup = Lookup(fact.cause, fact.origin, fork.block, source=fork.session)
    return replace(state, talk=replace(state.talk, lookups=(lookup,)))


def _ended(
    state: SessionState, fact: Fact, event: e.CellFinished | e.CellFailed | e.CellCancelled
) -> SessionState:
    agree(event.cell == running(state).cell, fact, "another cell is running")
    undo, version = ran(state, event), state.version + 1
    if event.uses and fact.fingerprint:
        held = holding(state.held, event.uses)
        return replace(state, version=version, phase=Ready(), held=held, undo=undo)
    return replace(state, version=version, phase=Ready(), undo=undo)


def _ready(state: SessionState, fact: Fact) -> SessionState:
    state = adopted(state)
    return replace(state, version=state.version + 1, phase=Ready(), ready_since=fact.at)


def _begun(state: SessionState, fact: Fact, event: e.CellStarted) -> SessionState:
    if fact.origin.actor is not Actor.PERSON and not state.is_shared:
        state = replace(state, is_shared=True)
    phase, version = Evaluating(opened(fact, event)), state.version + 1
    undo = begun(state.undo)
    state = state if undo is state.undo else replace(state, undo=undo)
    if state.queue:
        agree(event.cell == state.queue[0].cell, fact, "a cell began before its turn")
        return replace(state, version=version, phase=phase, queue=state.queue[1:])
    number = next_number(state, fact, event.cell)
    return replace(state, version=version, phase=phase, cells=number)


def _warming(fact: Fact) -> WarmingUp:
    return WarmingUp(since=fact.at, cause=fact.cause, origin=fact.origin)


def _reset(
    state: SessionState, fact: Fact, event: e.SessionReset | e.SessionHardReset
) -> SessionState:
    # Who drops the variables of a healthy session does not want them back; all else recovers.
    dropped = isinstance(event, e.SessionReset) and isinstance(state.phase, Ready)
    return replace(
        state,
        version=state.version + 1,
        phase=_warming(fact),
        restarts=(),
        restart_due=None,
        ready_since=None,
        held=() if dropped else state.held,
        stale=0 if dropped else state.stale,
        undo=forgotten(state.undo),
    )


def _checked(state: SessionState, fact: Fact, event: e.DiagnosticsChecked) -> SessionState:
    asked, rest = answered(state.questions, fact)
    return replace(
        state,
        version=state.version + 1,
        questions=rest,
        known=now_known(state.known, asked.origin, asked.file, event.diagnostics),
    )


def _reloaded(state: SessionState, fact: Fact) -> SessionState:
    """Nobody need have asked: a cell takes what was saved before it runs."""
    rest = tuple(question for question in state.questions if question.cause != fact.cause)
    return replace(state, version=state.version + 1, questions=rest)


def _environment(state: SessionState, fact: Fact, event: e.EnvironmentChanged) -> SessionState:
    agree(event.old == state.fingerprint, fact, "the environment was another one")
    parts = with_changes(state.environment, event.changed)
    shown = {*state.loaded, *event.changed} & parts.keys()
    if len(parts) > MOST_CARRIED:
        parts = {name: parts[name] for name in shown}
    return replace(
        state,
        version=state.version + 1,
        fingerprint=event.new,
        environment=parts,
        loaded=tuple(sorted(shown)),
        stale=event.stale,
    )


def _counted(state: SessionState, fact: Fact, event: e.RestartScheduled) -> tuple[datetime, ...]:
    """Attempt 0 is free: nobody crashed. Attempt 1 begins a new count."""
    if event.attempt == 0:
        return state.restarts
    return (*state.restarts[: event.attempt - 1], fact.at)
