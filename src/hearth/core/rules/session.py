"""The one place that decides: `decide` and `evolve` for a session's whole life."""

from typing import assert_never

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.asked import decide_asked
from hearth.core.rules.consequences import Decision
from hearth.core.rules.evolving import evolve
from hearth.core.rules.recovery import resume, resume_talk
from hearth.core.rules.state import SessionState, allowed
from hearth.core.rules.told import decide_told
from hearth.core.vocabulary.inputs import Asked, Input, Told
from hearth.core.vocabulary.refusals import Refusal

__all__ = [
    "Decision",
    "IllegalEvent",
    "SessionState",
    "allowed",
    "decide",
    "evolve",
    "resume",
    "resume_talk",
]


def decide(state: SessionState, cause: Input) -> Decision | Refusal:
    """What follows from this input in this state: facts and effects, or why not.

    Total and pure: the input brings its own id and time, from which all others derive.
    """
    match cause:
        case Asked():
            return decide_asked(state, cause)
        case Told():
            return decide_told(state, cause)
        case _:
            assert_never(cause)
