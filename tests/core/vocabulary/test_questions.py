"""The events of questions, which are found with all others too."""

import pytest
from tests.contracts.words import members

from hearth.core.vocabulary import events, questions
from hearth.core.vocabulary.wire import Word

QUESTIONS = [
    one
    for one in vars(questions).values()
    if isinstance(one, type) and issubclass(one, Word) and one.__module__ == questions.__name__
]


@pytest.mark.parametrize("word", QUESTIONS)
def test_each_is_an_event_and_found_among_them(word: type[Word]) -> None:
    assert word in members(events.Event)
    assert getattr(events, word.__name__) is word
    assert word.__name__ in events.__all__


def test_whoever_asks_is_answered_by_an_answer_alone() -> None:
    asked = {word for word in QUESTIONS if word.__name__.endswith(("Requested", "Started"))}
    # A reset clears diagnostics; nobody asked for that by itself.
    answers = set(QUESTIONS) - asked - {questions.DiagnosticsCleared}
    assert not asked & events.SETTLING
    assert answers <= events.SETTLING
