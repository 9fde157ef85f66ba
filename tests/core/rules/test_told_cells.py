"""What a running cell asks, how it is stopped, and what it leaves behind."""

import pytest
from tests.contracts.given import (
    ANNA,
    BOT,
    LOST,
    READY,
    RUNNING,
    STOPPED,
    SYSTEM,
    Spoken,
    given,
    said,
    turned,
)

from hearth.core.rules.state import allowed
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.phases import Affordance, Evaluating, InputQuestion, PhaseName, Rung
from hearth.core.vocabulary.refusals import NotNow

E, R = PhaseName.EVALUATING, PhaseName.READY
C1, C2 = CellId("c1"), CellId("c2")
ASKS = r.InputAsked(1, C1, "name? ")
HIDES = r.InputAsked(1, C1, "password? ", password=True)
LATE = (StreamText("stdout", "tick\n"),)


class TestInput:
    def test_a_cell_that_asks_waits_for_an_answer(self) -> None:
        script = given(*READY, said(c.RunCell("input()", may_ask=True), by=BOT))
        script.when(ASKS).then(e.InputRequested(C1, "name? ")).owed_to(("i3", BOT))
        assert isinstance(script.state.phase, Evaluating)
        assert script.state.phase.current.question == InputQuestion("name? ")

    @pytest.mark.parametrize(
        "report", [r.InputAsked(1, C2), r.InputAsked(2, C1), r.InputAsked(0, C1)]
    )
    def test_only_the_running_cell_of_the_present_interpreter_asks(self, report: r.Report) -> None:
        given(*RUNNING).when(report).ignored()

    @pytest.mark.parametrize("way", [(), READY, STOPPED, LOST])
    def test_where_nothing_runs_nothing_asks(self, way: tuple[Spoken, ...]) -> None:
        given(*way).when(ASKS).ignored()

    @pytest.mark.parametrize("cell", [None, C1])
    def test_anyone_may_answer(self, cell: CellId | None) -> None:
        script = given(*RUNNING, ASKS)
        script.when(c.AnswerInput("ada", cell), by=BOT).then(
            e.InputAnswered(C1, "ada"), effects=(fx.AnswerInWorker(1, C1, "ada"),)
        ).owed_to(("i5", BOT))
        assert isinstance(script.state.phase, Evaluating)
        assert script.state.phase.current.question is None

    def test_a_password_reaches_the_cell_and_is_not_kept(self) -> None:
        script = given(*RUNNING, HIDES)
        script.when(c.AnswerInput("secret")).then(
            e.InputAnswered(C1), effects=(fx.AnswerInWorker(1, C1, "secret"),)
        )
        assert "secret" not in repr(script.facts)
        assert "secret" not in repr(script.state)

    def test_a_cell_may_ask_again(self) -> None:
        script = given(*RUNNING, ASKS, c.AnswerInput("ada"))
        script.when(HIDES).then(e.InputRequested(C1, "password? ", password=True))

    def test_answering_is_offered_first_while_a_cell_asks_and_only_then(self) -> None:
        script = given(*RUNNING)
        assert Affordance.ANSWER_INPUT not in allowed(script.state)
        offered = allowed(script.happened(ASKS).state)
        assert offered[:2] == (Affordance.ANSWER_INPUT, Affordance.CANCEL_EVAL)
        assert Affordance.ANSWER_INPUT not in allowed(script.happened(c.AnswerInput("a")).state)

    @pytest.mark.parametrize(
        "word", [c.CancelCell(), r.CellEnded(1, C1, r.Stopped(), 0.1), c.StopSession()], ids=repr
    )
    def test_a_cell_that_is_stopped_or_ends_asks_no_more(self, word: Spoken) -> None:
        script = given(*RUNNING, ASKS, word)
        assert Affordance.ANSWER_INPUT not in allowed(script.state)
        script.when(c.AnswerInput("too late")).refused(NotNow)

    def test_cancelling_another_cell_leaves_the_question(self) -> None:
        script = given(*RUNNING, ASKS, c.RunCell("2", if_busy="queue"), c.CancelCell(C2))
        assert Affordance.ANSWER_INPUT in allowed(script.state)


class TestStopping:
    @pytest.mark.parametrize("rung", Rung)
    def test_every_rung_that_was_tried_is_on_record(self, rung: Rung) -> None:
        script = given(*RUNNING, c.CancelCell())
        script.when(r.StopTried(1, C1, rung)).then(e.CellStopTried(C1, rung)).owed_to(("i3", ANNA))
        assert script.state.phase_name is E

    @pytest.mark.parametrize(
        "report", [r.StopTried(1, C2, Rung.KILL), r.StopTried(2, C1, Rung.KILL)], ids=repr
    )
    def test_of_another_cell_or_interpreter_nothing_is_said(self, report: r.Report) -> None:
        given(*RUNNING).when(report).ignored()
        given(*READY).when(report).ignored()

    @pytest.mark.promise("SF-SES-02")
    def test_one_that_had_to_be_killed_is_replaced_at_once_and_free_of_charge(self) -> None:
        lost = r.WorkerLost(1, r.Exit.KILLED, "nothing else stopped it", names=("xs", "ys"))
        crashed = f.WorkerCrashed("nothing else stopped it", names=("xs", "ys"))
        script = given(*RUNNING)
        script.when(lost).then(
            e.CellFailed(C1, crashed),
            e.SessionFaulted(crashed),
            e.RestartScheduled(0, 0.0),
            turned(E, PhaseName.FAULTED, "worker_lost"),
            effects=(fx.WaitThenRestart(1, 0.0),),
        )
        assert script.state.restarts == ()


class TestLateOutput:
    def test_it_is_added_to_the_cell_that_left_something_running(self) -> None:
        script = given(*RUNNING, r.CellEnded(1, C1, r.Succeeded(), 0.1))
        script.when(r.OutputCameLate(1, C1, LATE, 7)).then(e.CellOutputAdded(C1, LATE, 7)).owed_to(
            ("i5", SYSTEM)
        )
        assert script.state.phase_name is R

    def test_also_while_another_cell_runs(self) -> None:
        script = given(*RUNNING, r.CellEnded(1, C1, r.Succeeded(), 0.1), c.RunCell("y = 2"))
        script.when(r.OutputCameLate(1, C1, LATE)).then(e.CellOutputAdded(C1, LATE))
        assert script.state.phase_name is E

    @pytest.mark.parametrize(
        "report",
        [
            r.OutputCameLate(2, C1, LATE),
            r.OutputCameLate(1, C2, LATE),
            r.OutputCameLate(1, CellId("nobody"), LATE),
        ],
        ids=repr,
    )
    def test_of_another_interpreter_or_of_no_cell_nothing_is_kept(self, report: r.Report) -> None:
        given(*RUNNING).when(report).ignored()

    @pytest.mark.parametrize("way", [(), STOPPED, LOST, (*RUNNING, c.HardResetSession())])
    def test_what_comes_when_there_is_no_interpreter(self, way: tuple[Spoken, ...]) -> None:
        given(*way).when(r.OutputCameLate(1, C1, LATE)).ignored()


def test_what_a_cell_used_and_what_was_too_much_is_kept_however_it_ended() -> None:
    uses = {"loom": "1"}
    for ending, kind in (
        (r.Succeeded(), e.CellFinished),
        (r.Raised(f.CodeRaised("E", "m")), e.CellFailed),
        (r.Stopped(), e.CellCancelled),
    ):
        ended = r.CellEnded(1, C1, ending, 0.1, uses=uses, dropped=9)
        event = given(*RUNNING).when(ended).facts[0].event
        assert isinstance(event, kind)
        assert (event.uses, event.dropped) == (uses, 9)
