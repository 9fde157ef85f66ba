"""How events change a session, and which ones cannot have happened to it."""

from datetime import timedelta

import pytest
from tests.contracts.given import (
    BOT,
    CONFIG,
    CREATED,
    LOST,
    READY,
    RUNNING,
    STOPPED,
    Script,
    after,
    given,
    said,
)

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.evolving import evolve
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import phases as p
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId, EventId, InputId, SessionId

C1, C2, C3 = CellId("c1"), CellId("c2"), CellId("c3")
QUEUED = c.RunCell("2", if_busy="queue")


def fact(event: e.Event, cause: str = "x") -> Fact:
    return Fact(id=EventId("x.0"), at=after(100), origin=BOT, cause=InputId(cause), event=event)


def illegal(script: Script, event: e.Event, problem: str, cause: str = "x") -> None:
    before = script.state
    with pytest.raises(IllegalEvent, match=problem):
        evolve(before, fact(event, cause))
    assert script.state is before


@pytest.mark.promise("SF-STATE-05")
class TestWhatCannotHaveHappened:
    def test_a_session_begins_once(self) -> None:
        illegal(given(*STOPPED), e.SessionStarted(CONFIG), "started before")

    def test_a_session_that_never_began_has_no_name_to_change(self) -> None:
        illegal(given(), e.SessionRenamed("loom"), "not started")

    @pytest.mark.parametrize("generation", [0, 1, 3])
    def test_interpreters_are_counted_without_a_gap(self, generation: int) -> None:
        illegal(given(*LOST), e.SessionWarmUpStarted(generation), "generation")

    @pytest.mark.parametrize(
        "event",
        [
            e.CellFinished(C2, 0.1),
            e.CellFailed(C2, f.Interrupted("")),
            e.CellCancelled(C2),
            e.CellCancelRequested(C3, 1),
            e.CellWithdrawn(C1, "it runs"),
            e.CellWithdrawn(C3, "nobody knows it"),
        ],
        ids=lambda one: type(one).__name__,
    )
    def test_only_the_cell_that_runs_or_waits_is_closed(self, event: e.Event) -> None:
        illegal(given(*RUNNING, QUEUED), event, "does not fit")

    @pytest.mark.parametrize(
        "event",
        [e.DiagnosticsChecked("k"), e.CompletionsReturned(), e.QuestionAbandoned("why")],
        ids=lambda one: type(one).__name__,
    )
    def test_nobody_is_answered_who_did_not_ask(self, event: e.Event) -> None:
        script = given(*READY, c.CheckCode("1"))
        illegal(script, event, "nobody asked", cause="i2")
        assert evolve(script.state, fact(event, "i3")).questions == ()

    def test_a_change_of_state_is_recorded_as_it_was(self) -> None:
        wrong = e.StateTransitioned(before=p.PhaseName.READY, after=p.PhaseName.FAULTED)
        illegal(given(*READY), wrong, "the session is ready")

    def test_a_waiting_cell_is_not_overtaken(self) -> None:
        script = given(*RUNNING, QUEUED, QUEUED, e.CellFinished(C1, 0.1))
        illegal(script, e.CellStarted(C3, "2"), "before its turn")
        illegal(script, e.CellStarted(CellId("c4"), "2"), "before its turn")
        assert evolve(script.state, fact(e.CellStarted(C2, "2"))).queue[0].cell == C3


class TestWhatHappened:
    def test_every_event_counts(self) -> None:
        script = given(*RUNNING, QUEUED, c.CheckCode("1"))
        assert script.state.version == len(script.facts)

    def test_a_waiting_cell_begins_when_it_begins_not_when_it_came(self) -> None:
        script = given(*RUNNING, said(QUEUED, at=10), said(e.CellFinished(C1, 0.1), at=20))
        assert script.state.queue[0].started_at == after(10)
        script.happened(said(e.CellStarted(C2, "2"), at=30))
        assert isinstance(script.state.phase, p.Evaluating)
        assert script.state.phase.current.started_at == after(30)
        assert script.state.queue == ()

    def test_the_number_of_cells_only_grows(self) -> None:
        script = given(*RUNNING, QUEUED, QUEUED)
        assert script.state.cells == 3
        script.happened(c.HardResetSession())
        assert script.state.cells == 3

    def test_a_warm_up_knows_for_whom_it_is(self) -> None:
        phase = given(said(c.CreateSession(CONFIG), by=BOT)).state.phase
        assert phase == p.WarmingUp(since=after(1), cause=InputId("i1"), origin=BOT)

    def test_a_new_name_leaves_the_rest_of_the_configuration(self) -> None:
        state = given(*READY, c.RenameSession("loom two")).state
        assert state.config == c.SessionConfig("/home/anna/loom", "loom two", ("loom",))

    def test_stopped_until_there_is_an_interpreter_again(self) -> None:
        script = given(*STOPPED)
        assert script.state.stopped
        assert script.state.phase == p.Uninitialized()
        assert not script.happened(c.HardResetSession()).state.stopped

    def test_a_restart_is_due_after_its_pause_and_no_longer_once_it_began(self) -> None:
        script = given(*LOST, said(e.RestartScheduled(1, 2.5), at=50))
        assert script.state.restart_due == after(50) + timedelta(seconds=2.5)
        assert script.state.restarts == (after(50),)
        script.happened(e.SessionWarmUpStarted(2))
        assert script.state.restart_due is None
        assert script.state.restarts == (after(50),)

    @pytest.mark.parametrize("word", [c.StopSession(), c.ResetSession(), c.HardResetSession()])
    def test_no_restart_is_due_after_a_person_took_over(self, word: c.Command) -> None:
        script = given(*LOST, e.RestartScheduled(1, 2.5), word)
        assert script.state.restart_due is None

    @pytest.mark.parametrize(("attempt", "kept"), [(0, 3), (1, 1), (2, 2), (3, 3), (4, 4)])
    def test_the_count_of_restarts_begins_anew_with_the_first(
        self, attempt: int, kept: int
    ) -> None:
        script = given(*LOST)
        script.happened(*[e.RestartScheduled(n, 0.0) for n in (1, 2, 3)])
        script.happened(said(e.RestartScheduled(attempt, 0.0), at=99))
        assert len(script.state.restarts) == kept
        assert (script.state.restarts[-1] == after(99)) is (attempt > 0)

    @pytest.mark.promise("SF-LOG-05")
    def test_the_daemon_remembers_where_new_connections_begin(self) -> None:
        script = given(e.SessionSwitched(SessionId("s1")), e.SessionSwitched(SessionId("s2")))
        assert script.state.default_session == "s2"

    def test_two_sessions_with_the_same_past_are_equal(self) -> None:
        assert given(*RUNNING).state == given(*RUNNING).state
        assert given(*RUNNING).state != given(*CREATED).state
