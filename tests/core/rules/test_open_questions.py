"""A question opens with its event, and is closed by what has the same cause."""

import pytest
from tests.contracts.given import BOT, after

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.diagnosing import diagnostics_key
from hearth.core.rules.open_questions import answered, question_of
from hearth.core.rules.state import Asking, Question
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import EventId, InputId


def fact(event: e.Event, cause: str) -> Fact:
    return Fact(id=EventId("x.0"), at=after(0), origin=BOT, cause=InputId(cause), event=event)


ASKED = e.CompletionsRequested("pri", 3)
RETURNED = e.CompletionsReturned(())


def test_a_question_is_its_askers_and_of_its_kind() -> None:
    assert question_of(fact(ASKED, "a"), ASKED) == Question(InputId("a"), BOT, Asking.COMPLETION)


def test_a_check_keeps_where_its_findings_belong() -> None:
    event = e.CheckRequested("x", file="a.py", full=True)
    question = question_of(fact(event, "a"), event)
    assert (question.asking, question.file, question.full) == (Asking.CHECK, "a.py", True)
    assert question.key == diagnostics_key("x", "a.py")


def test_an_answer_closes_the_question_of_its_cause_and_no_other() -> None:
    first, second = (question_of(fact(ASKED, cause), ASKED) for cause in ("a", "b"))
    assert answered((first, second), fact(RETURNED, "b")) == (second, (first,))


def test_nobody_is_answered_who_did_not_ask() -> None:
    question = question_of(fact(ASKED, "a"), ASKED)
    with pytest.raises(IllegalEvent, match="completions_returned does not fit: nobody asked"):
        answered((question,), fact(RETURNED, "c"))
