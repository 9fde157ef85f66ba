"""The events of sessions, which are found with all others too."""

import pytest
from tests.contracts.words import members

from hearth.core.vocabulary import events, sessions
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.wire import Word

SESSIONS = [
    one
    for one in vars(sessions).values()
    if isinstance(one, type) and issubclass(one, Word) and one.__module__ == sessions.__name__
]


@pytest.mark.parametrize("word", SESSIONS)
def test_each_is_an_event_and_found_among_them(word: type[Word]) -> None:
    assert word in members(events.Event)
    assert getattr(events, word.__name__) is word
    assert word.__name__ in events.__all__


@pytest.mark.promise("SF-STATE-10")
def test_a_transition_is_written_with_from_to_and_reason() -> None:
    event = sessions.StateTransitioned(
        before=PhaseName.READY, after=PhaseName.EVALUATING, reason="run"
    )
    assert encode(event) == (
        b'{"type":"state_transitioned","from":"ready","to":"evaluating","reason":"run"}'
    )
