"""What follows from each report, and that one that comes too late changes nothing."""

import pytest
from tests.contracts.given import (
    ANNA,
    BOT,
    CONFIG,
    CREATED,
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

from hearth.core.rules.bounding import MOST_ITEMS
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import Completion, Diagnostic, Severity, StreamText
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.phases import Faulted, PhaseName
from hearth.core.vocabulary.undoing import RewindScope

U, W, R, E, F = PhaseName
C1, C2 = CellId("c1"), CellId("c2")
QUEUED = c.RunCell("2", if_busy="queue")
NEXT = (e.CellStarted(C2, "2", read_only=True, copy=True),)
NEXT_DONE = (fx.ExecuteInWorker(1, C2, "2", copy=True),)
LONG_CRASH = r.WorkerLost(1, r.Exit.CRASH, "signal 11", "at 0x0")
CRASHED = f.WorkerCrashed("signal 11", "at 0x0")
DONE = r.CellEnded(1, C1, r.Succeeded("3", "int"), 0.5, (StreamText("stdout", "a"),), ("x",))


class TestWarmUp:
    @pytest.mark.promise("SF-LOG-02", "SF-STATE-02", "SF-STATE-10")
    def test_a_prepared_interpreter_makes_the_session_ready_for_whoever_began_it(self) -> None:
        given(said(CREATED[0], by=BOT)).when(r.WorkerReady(1, 0.2, ("no cogs",))).then(
            e.SessionWarmUpCompleted(0.2, ("no cogs",)),
            e.SessionReady(),
            turned(W, R, "worker_ready"),
        ).owed_to(("i1", BOT), ("i1", BOT), ("i2", SYSTEM))

    @pytest.mark.promise("SF-EVAL-01")
    def test_the_first_waiting_cell_begins_at_once_and_the_second_waits_on(self) -> None:
        script = given(*CREATED, said(QUEUED, by=BOT), c.RunCell("3", if_busy="queue"))
        script.when(r.WorkerReady(1, 0.2)).then(
            e.SessionWarmUpCompleted(0.2),
            e.SessionReady(),
            e.CellStarted(C1, "2", read_only=True, copy=True),
            turned(W, E, "worker_ready"),
            effects=(fx.ExecuteInWorker(1, C1, "2", copy=True),),
        ).owed_to(("i1", ANNA), ("i1", ANNA), ("i2", BOT), ("i4", SYSTEM))
        assert [cell.cell for cell in script.state.queue] == [C2]

    @pytest.mark.promise("SF-STATE-02", "SF-LOG-02")
    def test_an_interpreter_that_cannot_be_prepared_faults_and_is_not_tried_again(self) -> None:
        failure = f.ProjectNotFound("/gone")
        script = given(said(CREATED[0], by=BOT), QUEUED)
        script.when(r.WorkerFailed(1, failure)).then(
            e.CellWithdrawn(C1, "the interpreter was lost"),
            e.SessionFaulted(failure),
            turned(W, F, "worker_failed"),
        ).owed_to(("i2", ANNA), ("i1", BOT), ("i3", SYSTEM))
        assert script.state.restart_due is None

    def test_one_that_dies_while_it_warms_up_is_replaced(self) -> None:
        given(said(CREATED[0], by=BOT)).when(LONG_CRASH).then(
            e.SessionFaulted(CRASHED),
            e.RestartScheduled(1, 1.0),
            turned(W, F, "worker_lost"),
            effects=(fx.WaitThenRestart(1, 1.0),),
        ).owed_to(("i1", BOT), ("i2", SYSTEM), ("i2", SYSTEM))

    @pytest.mark.parametrize("way", [READY, RUNNING])
    def test_one_that_was_taken_up_again_has_forgotten_what_it_was_asked(
        self, way: tuple[Spoken, ...]
    ) -> None:
        script = given(*way, said(c.CheckCode("x"), by=BOT, id_="check"))
        ready = r.WorkerReady(1, 0.0, unanswered=(InputId("check"),))
        script.when(ready).then(e.QuestionAbandoned("the daemon was restarted")).owed_to(
            ("check", BOT)
        )
        script.when(ready).ignored()


class TestCells:
    @pytest.mark.promise("SF-LOG-03", "SF-LOG-07", "SF-STATE-02", "SF-STATE-10")
    def test_a_cell_that_ended_well_is_closed_for_whoever_began_it(self) -> None:
        given(*READY, said(c.RunCell("1"), by=BOT)).when(DONE).then(
            e.CellFinished(C1, 0.5, "3", "int", (StreamText("stdout", "a"),), ("x",)),
            turned(E, R, "cell_ended"),
        ).owed_to(("i3", BOT), ("i4", SYSTEM))

    @pytest.mark.promise("SF-STATE-06", "SF-LOG-03")
    @pytest.mark.parametrize(
        "failure",
        [
            f.CodeRaised("ZeroDivisionError", "division by zero"),
            f.CodeRaised("SyntaxError", "invalid syntax"),
            f.TimedOut(1.0, 1.1),
            f.CheckFailed((Diagnostic("no", Severity.ERROR, 1, 0, 1, 1),)),
        ],
        ids=lambda one: type(one).__name__,
    )
    def test_code_that_fails_leaves_the_session_ready(self, failure: f.Failure) -> None:
        script = given(*RUNNING)
        script.when(r.CellEnded(1, C1, r.Raised(failure), 0.5, names=("x",))).then(
            e.CellFailed(C1, failure, 0.5, names=("x",)), turned(E, R, "cell_ended")
        ).owed_to(("i3", ANNA), ("i4", SYSTEM))
        begun = script.when(c.RunCell("y = 2")).facts[0].event
        assert begun == e.CellStarted(C2, "y = 2")

    @pytest.mark.promise("SF-LOG-03", "SF-STATE-02")
    def test_a_cell_that_was_stopped(self) -> None:
        given(*RUNNING, c.CancelCell()).when(r.CellEnded(1, C1, r.Stopped(), 0.5)).then(
            e.CellCancelled(C1, 0.5), turned(E, R, "cell_ended")
        ).owed_to(("i3", ANNA), ("i5", SYSTEM))

    @pytest.mark.promise("SF-EVAL-01")
    @pytest.mark.parametrize(
        "ending", [r.Succeeded(), r.Raised(f.Interrupted("")), r.Stopped()], ids=repr
    )
    def test_the_next_one_begins_whatever_became_of_this_one(self, ending: r.Ending) -> None:
        script = given(*RUNNING, said(QUEUED, by=BOT), c.RunCell("3", if_busy="queue"))
        outcome = script.when(r.CellEnded(1, C1, ending, 0.5))
        assert [fact.event for fact in outcome.facts[1:]] == list(NEXT)
        outcome.owed_to(("i3", ANNA), ("i4", BOT))
        assert outcome.script.effects[-1:] == list(NEXT_DONE)
        assert [cell.code for cell in script.state.queue] == ["3"]

    @pytest.mark.promise("SF-LOG-04")
    @pytest.mark.parametrize(
        ("ending", "event"),
        [
            (r.Succeeded(), e.ScriptLoaded("a.py", 3)),
            (
                r.Raised(f.CodeRaised("E", "m")),
                e.ScriptLoadFailed("a.py", f.CodeRaised("E", "m")),
            ),
            (
                r.Stopped(),
                e.ScriptLoadFailed("a.py", f.Interrupted("the script was cancelled")),
            ),
        ],
        ids=("loaded", "failed", "cancelled"),
    )
    def test_a_script_says_how_its_loading_went(self, ending: r.Ending, event: e.Event) -> None:
        script = given(*READY, said(c.LoadScript("a.py"), by=BOT))
        outcome = script.when(r.CellEnded(1, C1, ending, 0.5, statements=3))
        assert outcome.facts[0].event == event
        assert len(outcome.facts) == 3
        outcome.owed_to(("i3", BOT), ("i3", BOT), ("i4", SYSTEM))

    @pytest.mark.promise("SF-STATE-06", "SF-STATE-02")
    def test_an_interpreter_that_dies_closes_everything_and_faults(self) -> None:
        script = given(*RUNNING, said(QUEUED, by=BOT), said(c.CheckCode("x"), by=BOT))
        script.when(LONG_CRASH).then(
            e.CellFailed(C1, CRASHED),
            e.CellWithdrawn(C2, "the interpreter was lost"),
            e.QuestionAbandoned("the interpreter was lost"),
            e.SessionFaulted(CRASHED),
            e.RestartScheduled(1, 1.0),
            turned(E, F, "worker_lost"),
            effects=(fx.WaitThenRestart(1, 1.0),),
        ).owed_to(("i3", ANNA), ("i4", BOT), ("i5", BOT), *[("i6", SYSTEM)] * 3)
        assert script.state.phase == Faulted(CRASHED)
        assert (script.state.queue, script.state.questions) == ((), ())

    def test_a_script_whose_interpreter_dies_was_not_loaded(self) -> None:
        outcome = given(*READY, c.LoadScript("a.py")).when(LONG_CRASH)
        assert [fact.event for fact in outcome.facts[:2]] == [
            e.ScriptLoadFailed("a.py", CRASHED),
            e.CellFailed(C1, CRASHED),
        ]

    def test_an_idle_interpreter_that_dies_faults_too(self) -> None:
        given(*READY).when(LONG_CRASH).then(
            e.SessionFaulted(CRASHED),
            e.RestartScheduled(1, 1.0),
            turned(R, F, "worker_lost"),
            effects=(fx.WaitThenRestart(1, 1.0),),
        ).owed_to(*[("i3", SYSTEM)] * 3)

    @pytest.mark.promise("SF-SES-02")
    def test_after_the_pause_another_one_is_started(self) -> None:
        script = given(*READY, LONG_CRASH)
        script.when(r.RestartDue(1)).then(
            e.SessionWarmUpStarted(2, ("loom",)),
            turned(F, W, "restart_due"),
            effects=(fx.StartWorker(2, CONFIG),),
        ).owed_to(("i4", SYSTEM), ("i4", SYSTEM))
        script.when(r.RestartDue(1)).ignored()
        script.when(r.RestartDue(2)).ignored()


class TestQuestions:
    @pytest.mark.promise("SF-LOG-04", "SF-PROJ-02")
    def test_a_check_is_answered_for_whoever_asked_under_its_key(self) -> None:
        found = (Diagnostic("no `ys`", Severity.ERROR, 1, 0, 1, 2),)
        script = given(*RUNNING, said(c.CheckCode("ys", "a.py"), by=BOT), c.CheckCode("zs"))
        script.when(r.CodeChecked(InputId("i4"), found)).then(
            e.DiagnosticsChecked("a.py", found, (0,))
        ).owed_to(("i4", BOT))
        assert [question.cause for question in script.state.questions] == ["i5"]
        outcome = script.when(r.CodeChecked(InputId("i5")))
        assert isinstance(outcome.facts[0].event, e.DiagnosticsChecked)
        assert outcome.facts[0].event.key.startswith("code:")

    @pytest.mark.promise("SF-LOG-04")
    def test_a_completion_is_answered_for_whoever_asked(self) -> None:
        items = (Completion("append"),)
        script = given(*READY, said(c.CompleteCode("xs.ap", 5), by=BOT))
        script.when(r.CodeCompleted(InputId("i3"), items)).then(
            e.CompletionsReturned(items)
        ).owed_to(("i3", BOT))
        assert script.state.questions == ()

    def test_an_answer_of_the_other_kind_answers_nobody(self) -> None:
        script = given(*READY, c.CompleteCode("xs", 2), c.CheckCode("xs"))
        script.when(r.CodeChecked(InputId("i3"))).ignored()
        script.when(r.CodeCompleted(InputId("i4"))).ignored()
        assert len(script.state.questions) == 2

    def test_an_answer_is_cut_to_what_an_event_holds(self) -> None:
        many = tuple(Completion(f"name{n}") for n in range(MOST_ITEMS + 1))
        script = given(*READY, c.CompleteCode("n", 1))
        script.when(r.CodeCompleted(InputId("i3"), many)).then(e.CompletionsReturned(many[:-1]))


EFFECTS = (
    fx.StartWorker(1, CONFIG),
    fx.ResetWorker(1, CONFIG),
    fx.AttachWorker(1, CONFIG),
)


class TestWhatCouldNotEvenBeTried:
    @pytest.mark.parametrize("effect", EFFECTS, ids=lambda one: type(one).__name__)
    @pytest.mark.parametrize("way", [CREATED, READY])
    def test_without_an_interpreter_the_session_faults(
        self, effect: fx.Effect, way: tuple[Spoken, ...]
    ) -> None:
        script = given(*way, *([c.CheckCode("1")] if way is READY else []))
        outcome = script.when(r.EffectFailed(effect, "no memory"))
        assert e.SessionFaulted(f.WarmUpFailed("no memory")) in [x.event for x in outcome.facts]
        assert script.state.phase_name is F
        assert script.state.questions == ()

    def test_a_cell_is_closed_and_the_next_begins(self) -> None:
        failed = r.EffectFailed(fx.ExecuteInWorker(1, C1, "x = 1"), "no memory")
        given(*RUNNING, said(QUEUED, by=BOT)).when(failed).then(
            e.CellFailed(C1, f.Interrupted("no memory")), *NEXT, effects=NEXT_DONE
        ).owed_to(("i3", ANNA), ("i4", BOT))

    def test_a_script_is_closed(self) -> None:
        failed = r.EffectFailed(fx.LoadInWorker(1, C1, "a.py"), "no memory")
        given(*READY, c.LoadScript("a.py")).when(failed).then(
            e.ScriptLoadFailed("a.py", f.Interrupted("no memory")),
            e.CellFailed(C1, f.Interrupted("no memory")),
            turned(E, R, "effect_failed"),
        )

    @pytest.mark.parametrize("kind", [c.CheckCode("x"), c.CompleteCode("x", 1)], ids=repr)
    def test_a_question_is_abandoned(self, kind: c.Command) -> None:
        script = given(*READY, said(kind, by=BOT))
        failed = r.EffectFailed(script.effects[-1], "no memory")
        script.when(failed).then(e.QuestionAbandoned("no memory")).owed_to(("i3", BOT))
        script.when(failed).ignored()

    def test_a_pause_that_cannot_be_kept_is_over(self) -> None:
        script = given(*READY, LONG_CRASH)
        script.when(r.EffectFailed(script.effects[-1], "no clock")).then(
            e.SessionWarmUpStarted(2, ("loom",)),
            turned(F, W, "effect_failed"),
            effects=(fx.StartWorker(2, CONFIG),),
        )

    @pytest.mark.parametrize("effect", [fx.InterruptWorker(1, C1, 1), fx.StopWorker(1)], ids=repr)
    def test_nobody_waits_for_these(self, effect: fx.Effect) -> None:
        script = given(*RUNNING, c.CancelCell())
        script.when(r.EffectFailed(effect, "no such process")).ignored()
        assert script.state.phase_name is E


ASKED = InputId("i9")
LATE = (
    r.WorkerReady(0, 0.1),
    r.WorkerReady(2, 0.1),
    r.WorkerFailed(0, f.WarmUpFailed("")),
    r.WorkerFailed(2, f.WarmUpFailed("")),
    r.WorkerLost(0, r.Exit.CRASH, ""),
    r.WorkerLost(2, r.Exit.VANISHED, ""),
    r.CellEnded(0, C1, r.Succeeded(), 0.1),
    r.CellEnded(2, C1, r.Succeeded(), 0.1),
    r.CellEnded(1, CellId("c9"), r.Succeeded(), 0.1),
    r.CodeChecked(ASKED),
    r.CodeCompleted(ASKED),
    r.RestartDue(0),
    r.RestartDue(1),
    r.RestartDue(2),
    r.EffectFailed(fx.StartWorker(0, CONFIG), ""),
    r.EffectFailed(fx.ResetWorker(2, CONFIG), ""),
    r.EffectFailed(fx.AttachWorker(0, CONFIG), ""),
    r.EffectFailed(fx.ExecuteInWorker(0, C1, ""), ""),
    r.EffectFailed(fx.ExecuteInWorker(1, CellId("c9"), ""), ""),
    r.EffectFailed(fx.LoadInWorker(2, C1, ""), ""),
    r.EffectFailed(fx.CheckInWorker(1, ASKED, ""), ""),
    r.EffectFailed(fx.CompleteInWorker(1, ASKED, "", 0), ""),
    r.EffectFailed(fx.WaitThenRestart(1, 0.0), ""),
    r.EffectFailed(fx.StopWorker(1), ""),
    r.EffectFailed(fx.InterruptWorker(1, C1, 1), ""),
    r.CopyMissed(0, C1, ("a thread",)),
    r.CopyMissed(1, CellId("c9"), ("a thread",)),
    r.CopiesGone(1),
    r.WorkerReverted(1, ASKED),
    r.RevertFailed(1, ASKED, ""),
    r.VariantsTried(1, C1),
    r.ForkEnded(ASKED),
    r.ReturnEnded(ASKED),
    r.EffectFailed(fx.RevertWorker(1, ASKED, "c1", ""), ""),
    r.EffectFailed(fx.TryInWorker(1, C1, ("1",)), ""),
    r.EffectFailed(fx.AdoptVariant(2, C1, 1), ""),
    r.EffectFailed(fx.DropVariants(1, C1), ""),
    r.EffectFailed(fx.BranchSession(1, ASKED, SessionId("s2"), CONFIG), ""),
    r.EffectFailed(
        fx.ReturnSession(1, ASKED, BlockId(""), RewindScope(), preview=True, origin=ANNA), ""
    ),
)
TOO_LATE_FOR_THE_DEAD = (
    *LATE,
    r.WorkerReady(1, 0.1),
    r.WorkerFailed(1, f.WarmUpFailed("")),
    r.WorkerLost(1, r.Exit.CRASH, ""),
    r.CellEnded(1, C1, r.Succeeded(), 0.1),
    r.EffectFailed(fx.StartWorker(1, CONFIG), ""),
    r.EffectFailed(fx.ExecuteInWorker(1, C1, ""), ""),
)


@pytest.mark.promise("SF-STATE-05")
class TestTooLate:
    @pytest.mark.parametrize("report", LATE, ids=repr)
    @pytest.mark.parametrize("way", [CREATED, READY, RUNNING], ids=("warming", "ready", "running"))
    def test_what_belongs_to_another_interpreter_cell_or_question(
        self, way: tuple[Spoken, ...], report: r.Report
    ) -> None:
        given(*way).when(report).ignored()

    @pytest.mark.parametrize("report", TOO_LATE_FOR_THE_DEAD, ids=repr)
    @pytest.mark.parametrize("way", [(), STOPPED, LOST], ids=("unknown", "stopped", "faulted"))
    def test_what_comes_when_there_is_no_interpreter(
        self, way: tuple[Spoken, ...], report: r.Report
    ) -> None:
        given(*way).when(report).ignored()

    def test_a_cell_that_ended_ends_once(self) -> None:
        script = given(*RUNNING, DONE)
        script.when(DONE).ignored()
        assert script.state.phase_name is R
