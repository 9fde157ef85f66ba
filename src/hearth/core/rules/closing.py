"""How what is open in a session is closed."""

from collections.abc import Callable

from hearth.core.rules.consequences import Consequences
from hearth.core.vocabulary.effects import DropVariants
from hearth.core.vocabulary.events import (
    CellFailed,
    CellWithdrawn,
    Event,
    QuestionAbandoned,
    ScriptLoadFailed,
    SessionWarmUpAbandoned,
    VariantsDropped,
)
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import InputId
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
    drop_trial(then, reason)
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


def drop_trial(then: Consequences, reason: str) -> None:
    """End the variants that were tried, if there are any: none of them is kept."""
    trial = then.state.undo.trial
    if trial is not None:
        # Under a name of its own: whoever tried was answered, and who is waited for is not this.
        cause = InputId(f"{then.cause}.trial")
        then.happen_for(VariantsDropped(trial.cell, reason), cause, then.origin)
        then.do(DropVariants(then.state.generation, trial.cell))
