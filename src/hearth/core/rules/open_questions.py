"""The questions of a session that nobody has answered yet: how they open and close."""

from collections.abc import Mapping
from typing import Final

from hearth.core.rules.agreeing import IllegalEvent, tag_of
from hearth.core.rules.diagnosing import diagnostics_key
from hearth.core.rules.state import Asking, Question
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact

_ASKING: Final[Mapping[type[e.Event], Asking]] = {
    e.CompletionsRequested: Asking.COMPLETION,
    e.InspectionRequested: Asking.INSPECTION,
    e.VariablesRequested: Asking.VARIABLES,
    e.ExplorationRequested: Asking.EXPLORATION,
    e.ReloadRequested: Asking.RELOAD,
    e.ReplayStarted: Asking.REPLAY,
}


def question_of(fact: Fact, event: e.Event) -> Question:
    """The question that an event opens."""
    if isinstance(event, e.CheckRequested):
        return Question(
            cause=fact.cause,
            origin=fact.origin,
            asking=Asking.CHECK,
            key=diagnostics_key(event.code, event.file),
            file=event.file,
            full=event.full,
        )
    return Question(fact.cause, fact.origin, _ASKING[type(event)])


def answered(questions: tuple[Question, ...], fact: Fact) -> tuple[Question, tuple[Question, ...]]:
    """The question that a fact answers, and the others; IllegalEvent if nobody asked."""
    for question in questions:
        if question.cause == fact.cause:
            return question, tuple(other for other in questions if other is not question)
    raise IllegalEvent(f"{tag_of(fact)} does not fit: nobody asked")
