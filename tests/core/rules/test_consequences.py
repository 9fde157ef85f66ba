"""Collecting what follows from one input."""

import pytest
from tests.contracts.given import ANNA, BOT, CREATED, NOON, READY, RUNNING, SYSTEM, given, turned

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.consequences import Consequences, Decision
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.effects import StopWorker
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.inputs import Asked, Told
from hearth.core.vocabulary.phases import Evaluating, PhaseName
from hearth.core.vocabulary.reports import RestartDue

ASKED = Asked(InputId("a"), NOON, BOT, c.StopSession())
TOLD = Told(InputId("t"), NOON, RestartDue(1))


def test_nothing_follows_from_nothing() -> None:
    state = given(*READY).state
    assert Consequences(state, ASKED).decision() == Decision(state)


@pytest.mark.promise("SF-LOG-06", "SF-LOG-07")
def test_facts_are_numbered_after_their_input_and_carry_its_time_and_author() -> None:
    then = Consequences(given(*READY).state, ASKED)
    then.happen(e.SessionRenamed("one"))
    then.happen(e.SessionRenamed("two"))
    facts = then.decision().facts
    assert [fact.id for fact in facts] == ["a.0", "a.1"]
    assert {(fact.cause, fact.origin, fact.at) for fact in facts} == {("a", BOT, NOON)}


@pytest.mark.promise("SF-LOG-06")
def test_what_follows_from_a_report_is_the_systems() -> None:
    then = Consequences(given(*READY).state, TOLD)
    then.happen(e.SessionRenamed("one"))
    assert then.decision().facts[0].origin == SYSTEM
    assert then.decision().facts[0].cause == "t"


@pytest.mark.promise("SF-LOG-07")
def test_what_happens_to_a_cell_is_owed_to_whoever_began_it() -> None:
    state = given(*RUNNING).state
    assert isinstance(state.phase, Evaluating)
    then = Consequences(state, TOLD)
    then.happen(e.CellFinished(CellId("c1"), 0.1), of=state.phase.current)
    facts = then.decision().facts
    assert (facts[0].id, facts[0].cause, facts[0].origin) == ("t.0", "i3", ANNA)
    assert (facts[1].id, facts[1].cause, facts[1].origin) == ("t.1", "t", SYSTEM)


def test_every_fact_is_applied_as_it_is_added() -> None:
    then = Consequences(given(*READY).state, ASKED)
    then.happen(e.CellStarted(CellId("c1"), "1"))
    assert then.state.phase_name is PhaseName.EVALUATING
    with pytest.raises(IllegalEvent):
        then.happen(e.SessionStopped())
    assert [fact.event for fact in then.decision().facts] == [
        e.CellStarted(CellId("c1"), "1"),
        turned(PhaseName.READY, PhaseName.EVALUATING, "stop_session"),
    ]


@pytest.mark.promise("SF-STATE-10")
def test_a_change_of_state_is_recorded_once_and_last_with_its_reason() -> None:
    then = Consequences(given(*CREATED).state, TOLD)
    then.happen(e.SessionReady())
    then.happen(e.CellStarted(CellId("c1"), "1"))
    recorded = [fact.event for fact in then.decision().facts[2:]]
    assert recorded == [turned(PhaseName.WARMING_UP, PhaseName.EVALUATING, "restart_due")]


@pytest.mark.promise("SF-STATE-10")
def test_going_away_and_coming_back_at_once_is_no_change() -> None:
    then = Consequences(given(*RUNNING).state, ASKED)
    then.happen(e.CellFinished(CellId("c1"), 0.1))
    then.happen(e.CellStarted(CellId("c2"), "2"))
    assert not [f for f in then.decision().facts if isinstance(f.event, e.StateTransitioned)]


def test_effects_keep_their_order_and_a_warning_is_passed_on() -> None:
    then = Consequences(given(*READY).state, ASKED)
    then.do(StopWorker(2))
    then.do(StopWorker(1))
    decision = then.decision("mind this")
    assert decision.effects == (StopWorker(2), StopWorker(1))
    assert decision.warning == "mind this"
