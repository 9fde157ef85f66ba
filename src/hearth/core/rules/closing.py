"""How what is open in a session is closed."""

from collections.abc import Callable

from hearth.core.rules.consequences import Consequences
from hearth.core.vocabulary.events import (
    CellFailed,
    CellWithdrawn,
    Event,
    QuestionAbandoned,
    ScriptLoadFailed,
    SessionWarmUpAbandoned,
)
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.phases import Evaluating, OpenCell, WarmingUp


def close_everything(
    then: Consequences, reason: str, close_running: Callable[[OpenCell], Event]
) -> None:
    """Close the running cell, the waiting ones and the open questions, in this order."""
    if isinstance(then.state.phase, Evaluating):
        running = then.state.phase.current
        closed = close_running(running)
        if running.script:
            failure = closed.failure if isinstance(closed, CellFailed) else Interrupted(reason)
            then.happen(ScriptLoadFailed(running.script, failure), of=running)
        then.happen(closed, of=running)
    for waiting in then.state.queue:
        then.happen(CellWithdrawn(waiting.cell, reason), of=waiting)
    abandon_questions(then, reason)


def abandon_warm_up(then: Consequences, reason: str) -> None:
    """Tell whoever waits for the interpreter to be ready that this one never will be."""
    phase = then.state.phase
    if isinstance(phase, WarmingUp):
        then.happen_for(SessionWarmUpAbandoned(reason), phase.cause, phase.origin)


def abandon_questions(then: Consequences, reason: str) -> None:
    """Tell whoever waits for an answer that none will come."""
    for question in then.state.questions:
        then.happen_for(QuestionAbandoned(reason), question.cause, question.origin)
