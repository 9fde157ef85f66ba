"""Trying variants of a cell, and keeping one of them; and when that is refused."""

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
    after,
    given,
    said,
    turned,
)
from tests.contracts.taking import (
    C1,
    C2,
    C3,
    DEAD,
    GOOD,
    ONE,
    RESULTS,
    TRIED,
    TRY,
    TRYING,
    TWO,
    UNDOING,
    VARIANTS,
)

from hearth.core.rules.recovery import resume
from hearth.core.rules.session import allowed
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import Malformed, NotNow
from hearth.core.vocabulary.undoing import UndoFor

U, W, R, E, F = PhaseName
KEPT: tuple[Spoken, ...] = (*TRIED, c.KeepVariant(1))
"""The first variant becomes the session, as i5 wants it."""
QUEUED = c.RunCell("y = 1", if_busy="queue")


class TestTrying:
    def test_the_variants_run_as_one_cell_of_whoever_asked(self) -> None:
        given(*READY).when(TRY, by=BOT).then(
            e.TrialStarted(C1, VARIANTS, 5.0),
            turned(R, E, "try_variants"),
            effects=(fx.TryInWorker(1, C1, VARIANTS, 5.0),),
        ).owed_to(("i3", BOT), ("i3", BOT))

    def test_they_end_together_and_the_interpreter_is_as_it_was(self) -> None:
        script = given(*READY, said(TRY, by=BOT))
        script.when(r.VariantsTried(1, C1, RESULTS)).then(
            e.TrialEnded(C1, RESULTS), turned(E, R, "variants_tried")
        ).owed_to(("i3", BOT), ("i4", SYSTEM))
        assert Affordance.KEEP_VARIANT in allowed(script.state)
        assert script.state.generation == 1
        assert script.state.fresh, "nothing has run in it"

    def test_a_trial_that_could_not_be_made_leaves_nothing_to_keep(self) -> None:
        script = given(*TRYING)
        script.when(r.VariantsTried(1, C1, problem="a thread runs")).then(
            e.TrialEnded(C1, problem="a thread runs"), turned(E, R, "variants_tried")
        )
        assert script.state.undo.trial is None
        script = given(*TRYING)
        failed = r.EffectFailed(script.effects[-1], "no performer")
        assert script.when(failed).facts[0].event == e.TrialEnded(C1, problem="no performer")

    def test_where_no_interpreter_lived_on_there_is_nothing_to_keep(self) -> None:
        script = given(*TRYING, r.VariantsTried(1, C1, (DEAD, DEAD)))
        assert script.state.undo.trial is None
        assert Affordance.KEEP_VARIANT not in allowed(script.state)

    def test_more_results_than_variants_are_not_believed(self) -> None:
        script = given(*READY, c.TryVariants(("1",)), r.VariantsTried(1, C1, (GOOD, GOOD)))
        script.when(c.KeepVariant(2)).refused(NotNow)

    def test_what_was_tried_before_and_not_kept_is_dropped(self) -> None:
        outcome = given(*TRIED).when(c.TryVariants(("2",)))
        outcome.then(
            e.VariantsDropped(C1, "other variants are tried"),
            e.TrialStarted(C2, ("2",)),
            turned(R, E, "try_variants"),
            effects=(fx.DropVariants(1, C1), fx.TryInWorker(1, C2, ("2",))),
        )
        assert outcome.facts[0].cause == "i5.trial", "who tried again waits for something else"

    @pytest.mark.parametrize("way", [RUNNING, TRYING, UNDOING, LOST, STOPPED])
    def test_only_an_idle_interpreter_is_copied(self, way: tuple[Spoken, ...]) -> None:
        given(*way).when(TRY).refused(NotNow, command="try_variants")

    @pytest.mark.parametrize("limit", [0.0, float("inf"), float("nan")])
    def test_what_is_no_limit_is_refused(self, limit: float) -> None:
        given(*READY).when(c.TryVariants(("1",), limit)).refused(Malformed)


class TestMeanwhile:
    def test_cells_wait_for_its_end_and_what_was_tried_is_dropped_for_them(self) -> None:
        script = given(*TRYING)
        script.when(c.RunCell("y")).refused(NotNow, state=E)
        script.happened(said(QUEUED, by=BOT))
        script.when(r.VariantsTried(1, C1, RESULTS)).then(
            e.TrialEnded(C1, RESULTS),
            e.VariantsDropped(C1, "c2 is run"),
            e.CellStarted(C2, "y = 1", copy=True),
            effects=(fx.DropVariants(1, C1), fx.ExecuteInWorker(1, C2, "y = 1", copy=True)),
        )

    def test_it_is_cancelled_like_a_cell(self) -> None:
        script = given(*TRYING)
        script.when(c.CancelCell(C1), by=BOT).then(
            e.CellCancelRequested(C1, 1), effects=(fx.InterruptWorker(1, C1, 1),)
        )
        script.happened(r.VariantsTried(1, C1, RESULTS))
        assert script.state.phase_name is R

    def test_it_does_not_end_as_a_cell_does(self) -> None:
        given(*TRYING).when(r.CellEnded(1, C1, r.Succeeded("1"), 0.1)).ignored()
        failed = r.EffectFailed(fx.ExecuteInWorker(1, C1, "x"), "no")
        given(*TRYING).when(failed).ignored()

    @pytest.mark.parametrize(
        "report", [r.VariantsTried(0, C1, RESULTS), r.VariantsTried(1, C2, RESULTS)]
    )
    def test_what_is_told_of_another_trial_changes_nothing(self, report: r.Report) -> None:
        given(*TRYING).when(report).ignored()

    def test_nor_is_a_cell_ended_by_it(self) -> None:
        given(*RUNNING).when(r.VariantsTried(1, C1, RESULTS)).ignored()
        given(*TRIED).when(r.VariantsTried(1, C1, RESULTS)).ignored()

    @pytest.mark.parametrize("word", [c.StopSession(), c.HardResetSession()])
    def test_it_is_cut_off_by_a_stop_and_by_a_reset(self, word: c.Command) -> None:
        script = given(*TRYING)
        outcome = script.when(word, by=BOT, at=10)
        assert outcome.facts[0].event == e.CellCancelled(C1, 7.0)
        assert (outcome.facts[0].cause, outcome.facts[0].origin) == ("i3", ANNA)
        assert fx.StopWorker(1) in outcome.effects
        assert script.state.undo.trial is None
        script.when(r.VariantsTried(1, C1, RESULTS)).ignored()

    def test_an_interpreter_that_is_lost_takes_it_along(self) -> None:
        script = given(*TRYING)
        outcome = script.when(r.WorkerLost(1, r.Exit.CRASH, "gone"))
        assert outcome.facts[0].event == e.CellFailed(C1, f.WorkerCrashed("gone"))
        assert script.state.undo.ran == ()
        script.when(r.VariantsTried(1, C1, RESULTS)).ignored()

    def test_a_redo_is_not_possible_any_more(self) -> None:
        script = given(*TWO, c.UndoCells(), r.WorkerReverted(1, InputId("i7"), can_return=True))
        assert script.state.undo.redo
        script.happened(TRY, r.VariantsTried(1, C3, RESULTS))
        script.when(c.RedoCells()).refused(NotNow)


class TestKeeping:
    def test_a_variant_becomes_the_interpreter_of_the_next_generation(self) -> None:
        script = given(*TRIED)
        script.when(c.KeepVariant(2), by=BOT).then(
            e.VariantKept(C1, 2, 2),
            turned(R, W, "keep_variant"),
            effects=(fx.AdoptVariant(2, C1, 2),),
        ).owed_to(("i5", BOT), ("i5", BOT))
        script.when(r.WorkerReady(2, 0.1)).then(
            e.SessionWarmUpCompleted(0.1), e.SessionReady(), turned(W, R, "worker_ready")
        ).owed_to(("i5", BOT), ("i5", BOT), ("i6", SYSTEM))
        assert script.state.undo.adopting is None
        assert not script.state.fresh
        script.when(c.KeepVariant(1)).refused(NotNow)

    def test_one_that_has_ended_meanwhile_costs_the_session_nothing(self) -> None:
        kept = Copies((C1,))
        script = given(*READY, c.ChooseUndo(UndoFor.EVERYONE), c.RunCell("x = 1"))
        script.happened(r.CellEnded(1, C1, r.Succeeded(), 0.1, kept=kept))
        script.happened(TRY, r.VariantsTried(1, C2, RESULTS))
        before = script.state
        script.happened(said(c.KeepVariant(1), by=BOT), c.RunCell("y = 1", if_busy="queue"))
        script.when(r.VariantGone(2, C2, "it has ended")).then(
            e.VariantsDropped(C2, "it has ended"),
            e.CellStarted(C3, "y = 1", copy=True),
            turned(W, E, "variant_gone"),
            effects=(fx.ExecuteInWorker(1, C3, "y = 1", copy=True),),
        )
        state = script.state
        assert (state.generation, state.ready_since) == (before.generation, before.ready_since)
        assert (state.undo.adopting, state.undo.trial) == (None, None)
        assert state.undo.kept == kept, "what could be taken back still can be"

    @pytest.mark.parametrize("gone", [r.VariantGone(1, C1, "late"), r.VariantGone(2, C2, "?")])
    def test_what_is_not_awaited_changes_nothing(self, gone: r.VariantGone) -> None:
        given(*KEPT).when(gone).ignored()
        given(*KEPT, r.WorkerReady(2, 0.1)).when(gone).ignored()

    def test_none_is_kept_when_none_is_wanted(self) -> None:
        script = given(*TRIED)
        script.when(c.KeepVariant(0), by=BOT).then(
            e.VariantsDropped(C1, "none was wanted"), effects=(fx.DropVariants(1, C1),)
        ).owed_to(("i5", BOT))
        script.when(c.KeepVariant(0)).refused(NotNow)

    @pytest.mark.parametrize(
        ("way", "variant", "why"),
        [
            (READY, 1, "no variants are waiting"),
            (READY, 0, "no variants are waiting"),
            (TRIED, 4, "there are 3 variants, and no number 4"),
            (TRIED, 3, "variant 3 did not live on"),
            (TRYING, 1, "running a cell"),
            (TRIED, -1, "there are 3 variants, and no number -1"),
            (KEPT, 1, "a variant is taking the interpreter's place"),
            (LOST, 1, "dead or broken"),
        ],
    )
    def test_what_is_not_there_is_not_kept(
        self, way: tuple[Spoken, ...], variant: int, why: str
    ) -> None:
        refusal = given(*way).when(c.KeepVariant(variant)).refused(NotNow, command="keep_variant")
        assert why in refusal.why

    def test_no_variants_are_no_trial(self) -> None:
        # By no door can there be none; a trial of none would never end.
        refusal = given(*READY).when(c.TryVariants(())).refused(NotNow, command="try_variants")
        assert refusal.why == "there are no variants"

    def test_what_helps_is_said_of_what_there_is(self) -> None:
        refusal = given(*TRIED).when(c.KeepVariant(3)).refused(NotNow)
        assert refusal.remedy == ("keep 1 or 2, or 0 for none",)
        assert given(*READY).when(c.KeepVariant(1)).refused(NotNow).remedy == ("try_code",)

    def test_of_two_that_are_kept_at_once_the_second_is_refused(self) -> None:
        script = given(*TRIED, c.KeepVariant(2))
        script.when(c.KeepVariant(1)).refused(NotNow, state=W)
        kept = [one for one in script.effects if isinstance(one, fx.AdoptVariant)]
        assert kept == [fx.AdoptVariant(2, C1, 2)]

    def test_nothing_of_before_can_be_taken_back_in_it(self) -> None:
        script = given(*ONE, TRY, r.VariantsTried(1, C2, RESULTS))
        assert Affordance.UNDO_CODE in allowed(script.state)
        script.happened(c.KeepVariant(1), r.WorkerReady(2, 0.1))
        assert Affordance.UNDO_CODE not in allowed(script.state)
        script.when(r.CopiesGone(1)).ignored()

    def test_who_asked_the_interpreter_something_is_told_that_no_answer_comes(self) -> None:
        script = given(*TRIED, said(c.CompleteCode("x.", 2), by=BOT))
        outcome = script.when(c.KeepVariant(1))
        why = "a variant takes the interpreter's place"
        assert outcome.facts[0].event == e.QuestionAbandoned(why)
        outcome.owed_to(("i5", BOT), ("i6", ANNA), ("i6", ANNA))

    def test_cells_wait_for_it_and_then_run_in_it(self) -> None:
        script = given(*KEPT)
        script.happened(said(QUEUED, by=BOT))
        outcome = script.when(r.WorkerReady(2, 0.1))
        assert outcome.effects == (fx.ExecuteInWorker(2, C2, "y = 1", copy=True),)

    @pytest.mark.parametrize(
        "word", [c.RunCell("y"), c.LoadScript("a.py"), c.ResetSession(), c.HardResetSession()]
    )
    def test_what_waits_to_be_kept_ends_when_the_session_goes_on_otherwise(
        self, word: c.Command
    ) -> None:
        script = given(*TRIED)
        outcome = script.when(word)
        dropped = outcome.facts[0].event
        assert isinstance(dropped, e.VariantsDropped)
        assert dropped.cell == C1
        assert outcome.facts[0].cause == "i5.trial"
        assert outcome.effects[0] == fx.DropVariants(1, C1)

    @pytest.mark.parametrize("word", [c.StopSession(), r.WorkerLost(1, r.Exit.CLEAN, "it left")])
    def test_and_when_it_ends(self, word: c.Command | r.Report) -> None:
        script = given(*TRIED)
        outcome = script.when(word)
        assert fx.DropVariants(1, C1) in outcome.effects
        assert script.state.undo.trial is None


class TestWhatGoesWrong:
    def test_a_variant_that_is_lost_on_the_way_faults_the_session_for_whoever_kept_it(self) -> None:
        script = given(*KEPT)
        outcome = script.when(r.WorkerLost(2, r.Exit.CRASH, "gone"))
        assert outcome.facts[0].event == e.SessionFaulted(f.WorkerCrashed("gone"))
        assert (outcome.facts[0].cause, outcome.facts[0].origin) == ("i5", ANNA)
        assert script.state.undo.adopting is None
        script.when(c.KeepVariant(2)).refused(NotNow)

    def test_so_does_one_that_could_not_even_be_adopted(self) -> None:
        script = given(*KEPT)
        failed = r.EffectFailed(fx.AdoptVariant(2, C1, 1), "no performer")
        assert script.when(failed).facts[0].event == e.SessionFaulted(
            f.WarmUpFailed("no performer")
        )

    def test_that_the_interpreter_before_it_ends_is_no_loss(self) -> None:
        given(*KEPT).when(r.WorkerLost(1, r.Exit.CLEAN, "it was replaced")).ignored()

    @pytest.mark.parametrize("word", [c.StopSession(), c.HardResetSession()])
    def test_it_is_cut_off_by_a_stop_and_by_a_reset(self, word: c.Command) -> None:
        script = given(*KEPT)
        outcome = script.when(word)
        assert isinstance(outcome.facts[0].event, e.SessionWarmUpAbandoned)
        assert outcome.facts[0].cause == "i5"
        assert fx.StopWorker(2) in outcome.effects
        assert script.state.undo.adopting is None


class TestRestart:
    def test_a_trial_that_ran_is_looked_for_as_a_trial(self) -> None:
        script = given(*TRYING)
        (attach,) = resume(script.state, after(4))
        assert isinstance(attach, fx.AttachWorker)
        assert (attach.cell, attach.trial) == (C1, True)
        assert (attach.time_limit, attach.time_left) == (5.0, 4.0)
        script.when(r.WorkerReady(1, 0.1)).ignored()
        script.happened(r.VariantsTried(1, C1, RESULTS))
        assert script.state.undo.trial is not None

    def test_what_waits_to_be_kept_still_can_be(self) -> None:
        script = given(*TRIED)
        (attach,) = resume(script.state, after(60))
        assert isinstance(attach, fx.AttachWorker)
        assert (attach.cell, attach.trial) == (None, False)
        script.when(r.WorkerReady(1, 0.1)).ignored()
        assert script.when(c.KeepVariant(1)).effects == (fx.AdoptVariant(2, C1, 1),)

    def test_what_was_being_kept_is_kept_and_no_other(self) -> None:
        script = given(*KEPT)
        assert resume(script.state, after(60)) == (fx.AdoptVariant(2, C1, 1),)
        script.when(c.KeepVariant(2)).refused(NotNow)
        script.happened(r.WorkerReady(2, 0.1))
        script.when(r.WorkerReady(2, 0.1)).ignored()  # adopted twice, kept once
        assert sum(isinstance(one.event, e.VariantKept) for one in script.facts) == 1
