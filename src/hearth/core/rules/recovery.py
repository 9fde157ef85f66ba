"""What to do about a session whose daemon ended: a pure function of its log."""

from datetime import datetime

from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.forking import branching
from hearth.core.rules.recording import storing
from hearth.core.rules.returning import returning
from hearth.core.rules.rewinding import rewinding
from hearth.core.rules.state import SessionState
from hearth.core.rules.turning import preparing
from hearth.core.vocabulary.effects import AdoptVariant, AttachWorker, Effect, WaitThenRestart
from hearth.core.vocabulary.modelling import FindBranch, WaitThenAsk
from hearth.core.vocabulary.phases import Evaluating, Faulted, Uninitialized


def resume(state: SessionState, now: datetime) -> tuple[Effect, ...]:
    """The effects that bring an open session back into the present.

    Nothing is run again: the performer looks for the interpreter that should be there and
    reports what it finds (WorkerReady, CellEnded, WorkerLost) through the ordinary mailbox.
    """
    if state.config is None:
        return ()
    undo = state.undo
    made: tuple[Effect, ...] = tuple(branching(state, one) for one in undo.forking)
    if undo.returning is not None:
        made = (*made, returning(state, undo.returning))
    return (*_worker(state, now), *made)


def _worker(state: SessionState, now: datetime) -> tuple[Effect, ...]:
    """What brings its interpreter back."""
    if state.config is None or isinstance(state.phase, Uninitialized):
        return ()
    if isinstance(state.phase, Faulted):
        if state.restart_due is None:
            return ()
        wait = max(0.0, (state.restart_due - now).total_seconds())
        return (WaitThenRestart(state.generation, wait),)
    undo = state.undo
    if (kept := undo.adopting) is not None:
        return (AdoptVariant(state.generation, kept.cell, kept.variant),)
    asked = tuple(question.cause for question in state.questions)
    if not isinstance(state.phase, Evaluating):
        tried = None if undo.trial is None else undo.trial.cell
        return (AttachWorker(state.generation, state.config, unanswered=asked, tried=tried),)
    running, left = state.phase.current, None
    if running.time_limit is not None:
        left = max(0.0, running.time_limit - (now - running.started_at).total_seconds())
    return (
        AttachWorker(
            generation=state.generation,
            config=state.config,
            cell=running.cell,
            time_limit=running.time_limit,
            time_left=left,
            unanswered=asked,
            on_error=running.on_error,
            trial=bool(running.variants),
        ),
    )


def resume_talk(state: SessionState, now: datetime) -> tuple[Effect, ...]:
    """The effects that bring a conversation on that was in the middle of something.

    What was asked of the model is asked again; what tools did is not done again. That a turn is to
    go on comes back as AskDue through the ordinary mailbox.
    """
    talk, turn = state.talk, state.talk.open
    looking: tuple[Effect, ...] = tuple(
        FindBranch(one.cause, one.block, talk.line, state.version, one.source)
        for one in talk.lookups
    )
    if talk.rewind is not None:
        looking = (*looking, rewinding(state, talk.rewind))
    if turn is None or state.config is None:
        return looking
    # What is judged again is judged with it.
    looking += tuple(storing(one, state.config) for one in turn.unrecorded)
    if turn.phase is TurnPhase.PREPARING:
        return (*looking, preparing(talk, state.config))
    if turn.request is None:
        return looking
    wait = 0.0
    if turn.retry_due is not None:
        wait = max(0.0, (turn.retry_due - now).total_seconds())
    return (*looking, WaitThenAsk(turn.request, wait))
