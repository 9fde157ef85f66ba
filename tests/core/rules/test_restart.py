"""When a lost interpreter is replaced: a pure function of when the last ones were."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.given import CREATED, READY, after, given, said

from hearth.core.rules import restart as rules
from hearth.core.rules.restart import BUDGET, LONGEST_DELAY, STABLE_AFTER, Restart, next_restart
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.phases import Faulted, PhaseName, Ready, WarmingUp
from hearth.core.vocabulary.reports import Exit, RestartDue, WorkerLost, WorkerReady


def crashed(times: int) -> list[datetime]:
    return [after(second) for second in range(times)]


@pytest.mark.promise("SF-SES-02")
@pytest.mark.parametrize(("crashes", "delay"), [(0, 1.0), (1, 2.0), (2, 4.0), (3, 8.0), (4, 16.0)])
def test_each_crash_in_a_row_waits_twice_as_long(crashes: int, delay: float) -> None:
    assert next_restart(crashed(crashes), after(5), after(10), Exit.CRASH) == Restart(
        crashes + 1, delay
    )


@pytest.mark.promise("SF-SES-02")
def test_after_five_crashes_in_a_row_it_is_left() -> None:
    assert BUDGET == 5
    assert next_restart(crashed(5), after(5), after(10), Exit.CRASH) is None
    assert next_restart(crashed(9), None, after(10), Exit.CRASH) is None


def test_no_pause_is_longer_than_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LONGEST_DELAY == 30.0
    monkeypatch.setattr(rules, "BUDGET", 100)
    delays = [next_restart(crashed(n), None, after(50), Exit.CRASH) for n in range(4, 9)]
    assert [one.delay if one else 0 for one in delays] == [16.0, 30.0, 30.0, 30.0, 30.0]


@pytest.mark.promise("SF-SES-02")
def test_an_interpreter_that_ran_well_for_a_minute_starts_a_new_count() -> None:
    assert timedelta(seconds=60) == STABLE_AFTER
    history, ready = crashed(5), after(30)
    just = ready + STABLE_AFTER
    later = just + timedelta(seconds=1)
    assert next_restart(history, ready, just, Exit.CRASH) is None
    assert next_restart(history, ready, later, Exit.CRASH) == Restart(1, 1.0)
    assert next_restart(history, None, later, Exit.CRASH) is None


@pytest.mark.promise("SF-SES-02")
@whenever(st.integers(0, 9), st.integers(0, 1000))
def test_only_a_crash_costs_anything(crashes: int, seconds: int) -> None:
    history = crashed(crashes)
    assert next_restart(history, after(0), after(seconds), Exit.CLEAN) is None
    assert next_restart(history, after(0), after(seconds), Exit.VANISHED) == Restart(0, 0.0)
    # We killed it because nothing else stopped its cell; that is not held against the code.
    assert next_restart(history, after(0), after(seconds), Exit.KILLED) == Restart(0, 0.0)
    assert history == crashed(crashes)


@pytest.mark.promise("SF-SES-02")
def test_a_session_that_keeps_crashing_stays_faulted_when_its_budget_is_spent() -> None:
    script = given(*CREATED)
    pauses = []
    for generation in range(1, 7):
        script.happened(said(WorkerReady(generation, 0.1), at=generation * 10))
        crash = WorkerLost(generation, Exit.CRASH, "signal 11")
        outcome = script.when(crash, at=generation * 10 + 1)
        pauses += [f.event.delay for f in outcome.facts if isinstance(f.event, e.RestartScheduled)]
        script.happened(said(RestartDue(generation), at=generation * 10 + 5))
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert isinstance(script.state.phase, Faulted)
    assert script.state.restart_due is None
    assert len(script.state.restarts) == 5
    assert script.state.generation == 6


@pytest.mark.promise("SF-SES-02")
@pytest.mark.parametrize("reset", [c.ResetSession(), c.HardResetSession()])
def test_a_reset_gives_the_whole_budget_back(reset: c.Command) -> None:
    script = given(*READY)
    script.happened(WorkerLost(1, Exit.CRASH, "signal 11"), RestartDue(1), WorkerReady(2, 0.1))
    assert script.state.restarts
    script.happened(reset)
    assert not script.state.restarts
    script.happened(WorkerReady(3, 0.1))
    outcome = script.when(WorkerLost(3, Exit.CRASH, "signal 11"))
    assert e.RestartScheduled(1, 1.0) in [fact.event for fact in outcome.facts]


def test_a_good_minute_in_the_life_of_a_session_starts_the_count_again() -> None:
    script = given(*READY, WorkerLost(1, Exit.CRASH, ""), RestartDue(1), WorkerReady(2, 0.1))
    outcome = script.when(WorkerLost(2, Exit.CRASH, ""), at=200)
    assert e.RestartScheduled(1, 1.0) in [fact.event for fact in outcome.facts]
    assert script.state.restarts == (after(200),)
    assert script.state.restart_due == after(201)


@pytest.mark.promise("SF-SES-02")
def test_one_that_always_dies_late_in_its_warm_up_is_given_up() -> None:
    script = given(*CREATED)
    for generation in range(1, 7):
        at = generation * 1000
        script.happened(said(WorkerLost(generation, Exit.CRASH, "no memory"), at=at))
        script.happened(said(RestartDue(generation), at=at + 20))
    assert script.state.generation == 6
    assert isinstance(script.state.phase, Faulted)
    assert script.state.restart_due is None


def test_what_vanished_is_not_held_against_the_code() -> None:
    script = given(*READY)
    crash = WorkerLost(1, Exit.CRASH, "")
    script.happened(crash, RestartDue(1), WorkerReady(2, 0.1), WorkerLost(2, Exit.VANISHED, ""))
    assert len(script.state.restarts) == 1
    script.happened(RestartDue(2))
    assert isinstance(script.state.phase, WarmingUp)
    assert script.state.restart_due is None
    outcome = script.happened(WorkerReady(3, 0.1)).when(WorkerLost(3, Exit.CRASH, ""))
    assert e.RestartScheduled(2, 2.0) in [fact.event for fact in outcome.facts]


@pytest.mark.promise("SF-SES-02")
def test_an_interpreter_that_ended_itself_is_left() -> None:
    script = given(*READY, WorkerLost(1, Exit.CLEAN, "exit()"))
    assert script.state.phase_name is PhaseName.FAULTED
    assert script.state.restart_due is None
    script.when(RestartDue(1)).ignored()
    assert not isinstance(script.state.phase, Ready)
