"""State and views of one session, carried on together and saved as a snapshot."""

import msgspec
import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import READY, RUNNING, SESSION, comes_back, given
from tests.contracts.playing_talks import Talk

from hearth.core.rules.session import IllegalEvent, SessionState, evolve
from hearth.core.views.diagnostics import Diagnostics, diagnose
from hearth.core.views.session_fold import SessionFold, fold, see
from hearth.core.views.status import status
from hearth.core.views.tally import Tally, count
from hearth.core.vocabulary.codec import encode

FRESH = SessionFold(SessionState(SESSION))


def test_one_step_is_the_step_of_each_part() -> None:
    script = given(*RUNNING)
    view = FRESH
    for fact in script.facts:
        before, view = view, fold(view, fact)
        assert view.state == evolve(before.state, fact)
        assert view.tally == count(before.tally, fact)
        assert view.diagnostics == diagnose(before.diagnostics, fact)
    assert view.state == script.state
    assert (FRESH.tally, FRESH.diagnostics) == (Tally(), Diagnostics())


def test_a_state_that_is_known_already_is_not_made_again() -> None:
    script = given(*READY)
    state = SessionState(SESSION, version=99)
    assert see(FRESH, state, script.facts[0]).state is state
    assert see(FRESH, state, script.facts[0]).tally == count(Tally(), script.facts[0])


def test_what_cannot_have_happened_is_not_counted_either() -> None:
    script = given(*RUNNING)
    with pytest.raises(IllegalEvent):
        fold(FRESH, script.facts[-2])


def test_all_of_a_decision_is_seen_although_its_state_is_known_from_the_first_on() -> None:
    talk = Talk().says("hello").answers("hi")
    whole = talk.folded()
    ahead = FRESH
    for fact in talk.facts:
        ahead = see(ahead, talk.state, fact)
    assert (ahead.talk, ahead.spending, ahead.version) == (
        whole.talk,
        whole.spending,
        talk.state.version,
    )
    assert ahead.talk.version == talk.state.version


@pytest.mark.promise("SF-PROJ-04", "SF-LOG-01")
@whenever(lines(), st.data())
def test_a_snapshot_at_any_point_and_the_rest_equal_the_whole(
    script: list[Line], data: st.DataObject
) -> None:
    facts = play(script).facts
    place = data.draw(st.integers(0, len(facts)))
    whole = half = FRESH
    for fact in facts:
        whole = fold(whole, fact)
    for fact in facts[:place]:
        half = fold(half, fact)
    assert comes_back(half)
    rest = msgspec.json.decode(encode(half), type=SessionFold)
    for fact in facts[place:]:
        rest = fold(rest, fact)
    assert rest == whole
    assert status(rest) == status(whole)
    assert encode(rest) == encode(whole)


@pytest.mark.promise("SF-PROJ-04", "SF-LOG-01")
@whenever(lines())
def test_what_was_kept_up_to_date_equals_what_is_rebuilt_from_the_log(script: list[Line]) -> None:
    played = play(script)
    kept = FRESH
    for _, _, decision in played.steps:
        for fact in getattr(decision, "facts", ()):
            kept = see(kept, evolve(kept.state, fact), fact)
    rebuilt = FRESH
    for fact in played.facts:
        rebuilt = fold(rebuilt, fact)
    assert kept == rebuilt
    assert rebuilt.state == played.state
