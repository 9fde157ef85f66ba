"""What to do about a session whose daemon ended: a pure function of its log."""

from datetime import datetime

from hearth.core.rules.state import SessionState
from hearth.core.vocabulary.effects import AttachWorker, Effect, WaitThenRestart
from hearth.core.vocabulary.phases import Evaluating, Faulted, Uninitialized


def resume(state: SessionState, now: datetime) -> tuple[Effect, ...]:
    """The effects that bring an open session back into the present.

    Nothing is run again: the performer looks for the interpreter that should be there and
    reports what it finds (WorkerReady, CellEnded, WorkerLost) through the ordinary mailbox.
    """
    if state.config is None or isinstance(state.phase, Uninitialized):
        return ()
    if isinstance(state.phase, Faulted):
        if state.restart_due is None:
            return ()
        wait = max(0.0, (state.restart_due - now).total_seconds())
        return (WaitThenRestart(state.generation, wait),)
    asked = tuple(question.cause for question in state.questions)
    if not isinstance(state.phase, Evaluating):
        return (AttachWorker(state.generation, state.config, unanswered=asked),)
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
        ),
    )
