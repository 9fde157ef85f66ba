"""Taking cells back, and bringing them back; and when that is refused."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import (
    ANNA,
    BOT,
    CONFIG,
    LOST,
    READY,
    RUNNING,
    SYSTEM,
    Script,
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
    C4,
    EVERYONE,
    GOOD,
    ONE,
    TWO,
    UNDOING,
    UNDONE,
    copies,
    ran,
    reverted,
)

from hearth.core.rules.recovery import resume
from hearth.core.rules.session import allowed
from hearth.core.rules.undoing import CHOOSE, FOREIGN, REBUILD
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.cells import NO_COPIES
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import NotAllowed, NotNow
from hearth.core.vocabulary.undoing import UndoFor

U, W, R, E, F = PhaseName
I7 = InputId("i7")
CLIENT = Origin(Actor.MCP_CLIENT, "weaver", Door.MCP)
QUEUED = c.RunCell("y = 1", if_busy="queue")


def bots(script: Script, *cells: tuple[CellId, str]) -> Script:
    """An agent has run these; all of them can be taken back."""
    for place, (cell, code) in enumerate(cells, 1):
        kept = [one for one, _ in cells[:place]]
        script.happened(said(c.RunCell(code), by=BOT), ran(cell, *kept))
    return script


class TestUndo:
    def test_the_newest_cell_is_taken_back_while_nothing_else_runs(self) -> None:
        script = given(*TWO)
        version = script.state.version
        script.when(c.UndoCells()).then(
            e.UndoRequested((C2,)),
            turned(R, W, "undo_cells"),
            effects=(fx.RevertWorker(1, I7, C2, f"before-{version + 1}"),),
        ).owed_to(("i7", ANNA), ("i7", ANNA))
        assert script.state.generation == 1

    def test_what_was_taken_back_is_told_to_whoever_asked(self) -> None:
        script = given(*TWO, said(c.UndoCells(), by=ANNA))
        script.when(reverted("i7", C1)).then(
            e.CellsUndone((C2,), copies(C1), can_redo=True),
            turned(W, R, "worker_reverted"),
        ).owed_to(("i7", ANNA), ("i8", SYSTEM))
        assert script.state.undo.kept == copies(C1)
        assert [one.cell for one in script.state.undo.ran] == [C1]

    @pytest.mark.parametrize(
        ("command", "cells"),
        [
            (c.UndoCells(count=2), (C1, C2)),
            (c.UndoCells(cell=C1), (C1, C2)),
            (c.UndoCells(cell=C2), (C2,)),
            (c.UndoCells(count=2, cell=C2), (C2,)),
        ],
    )
    def test_several_are_taken_back_at_once(
        self, command: c.UndoCells, cells: tuple[CellId, ...]
    ) -> None:
        script = given(*TWO)
        outcome = script.when(command)
        assert outcome.facts[0].event == e.UndoRequested(cells)
        revert = outcome.effects[0]
        assert isinstance(revert, fx.RevertWorker)
        assert revert.to == cells[0]
        outcome = script.when(reverted("i7", can_return=False))
        assert outcome.facts[0].event == e.CellsUndone(cells)

    def test_one_undo_after_the_other_goes_further_back(self) -> None:
        script = given(*UNDONE, c.UndoCells())
        assert script.state.undo.doing is not None
        assert script.state.undo.doing.cells == (C1,)
        script.happened(reverted("i9"))
        assert script.state.undo.ran == ()
        assert [one.ran[0].cell for one in script.state.undo.redo] == [C2, C1]
        assert Affordance.UNDO_CODE not in allowed(script.state)

    def test_cells_without_a_copy_are_taken_back_with_the_one_before_them(self) -> None:
        # c2 could not be kept: the copy before c1 holds neither.
        script = given(*ONE, c.RunCell("x = 2"), ran(C2, C1))
        refusal = script.when(c.UndoCells()).refused(NotNow)
        assert "before c2" in refusal.why
        assert "c1" in refusal.why
        assert refusal.remedy == (
            "undo_cells with cell=c1 takes it back with all that came after",
            REBUILD,
        )
        assert script.when(c.UndoCells(cell=C1)).facts[0].event == e.UndoRequested((C1, C2))

    def test_the_copy_that_is_just_old_enough_is_named(self) -> None:
        way = (*TWO, c.RunCell("x = 3"), ran(C3, C1, C2))
        refusal = given(*way).when(c.UndoCells()).refused(NotNow)
        assert refusal.remedy[0].startswith("undo_cells with cell=c2 ")


class TestRefused:
    @pytest.mark.parametrize("who", [UndoFor.NOBODY, UndoFor.AGENTS])
    def test_where_no_copy_is_kept_it_says_how_there_would_be_one(self, who: UndoFor) -> None:
        config = replace(CONFIG, undo=who)
        script = given(c.CreateSession(config), *READY[1:], c.RunCell("x"), ran(C1))
        refusal = script.when(c.UndoCells()).refused(NotNow, command="undo_cells", state=R)
        assert "no copy" in refusal.why
        assert refusal.remedy == (CHOOSE, REBUILD)

    def test_an_interpreter_of_another_language_is_not_to_be_copied_whatever_is_chosen(
        self,
    ) -> None:
        found = Surroundings(python="ir", language="R", version="4.4")
        ready = r.WorkerReady(1, 0.5, surroundings=found)
        script = given(c.CreateSession(CONFIG), ready, c.RunCell("x"), ran(C1))
        refusal = script.when(c.UndoCells()).refused(NotNow)
        assert (refusal.why, refusal.remedy) == (FOREIGN, (REBUILD,))

    def test_where_everyones_cells_are_kept_there_is_nothing_to_choose(self) -> None:
        assert given(*EVERYONE).when(c.UndoCells()).refused(NotNow).remedy == (REBUILD,)
        chosen = given(*READY, c.ChooseUndo(UndoFor.EVERYONE))
        assert chosen.when(c.UndoCells()).refused(NotNow).remedy == (REBUILD,)

    @pytest.mark.parametrize("command", [c.UndoCells(count=3), c.UndoCells(cell=CellId("c9"))])
    def test_what_no_copy_goes_back_to_is_refused_with_what_there_is(
        self, command: c.UndoCells
    ) -> None:
        refusal = given(*TWO).when(command).refused(NotNow)
        assert "copies are kept before c1, c2" in refusal.why
        assert ("c9" if command.cell else "the last 3 cells") in refusal.why
        assert "cell=c1" in refusal.remedy[0]

    @pytest.mark.parametrize("count", [0, -1, 3])
    def test_no_number_of_cells_takes_back_others_than_those(self, count: int) -> None:
        # By no door can it be below 1; but all of a list is behind its end by 0.
        refusal = given(*TWO).when(c.UndoCells(count=count)).refused(NotNow)
        assert f"the last {count} cells" in refusal.why

    @pytest.mark.parametrize("cell", ["c9", "9", "", "before-7"])
    def test_a_cell_that_never_was_is_told_from_one_without_a_copy(self, cell: str) -> None:
        refusal = given(*TWO).when(c.UndoCells(cell=CellId(cell))).refused(NotNow)
        assert f"there is no cell {cell}" in refusal.why

    def test_what_was_taken_back_already_can_be_brought_back(self) -> None:
        script = given(*UNDONE)
        refusal = script.when(c.UndoCells(cell=C2)).refused(NotNow)
        assert refusal.why == "c2 was taken back already"
        assert refusal.remedy == ("bring it back (redo)",)
        script.happened(c.UndoCells(), reverted("i10"))
        assert script.when(c.UndoCells(cell=C1)).refused(NotNow).remedy == ("bring it back (redo)",)
        refusal = script.when(c.UndoCells(cell=C2)).refused(NotNow)
        assert refusal.remedy == ("bring it back (redo, 2 times)",)

    def test_nothing_is_brought_back_that_was_not_taken_back(self) -> None:
        refusal = given(*TWO).when(c.RedoCells()).refused(NotNow, command="redo_cells")
        assert "could be brought back" in refusal.why

    def test_whoever_comes_meanwhile_hears_what_is_being_done(self) -> None:
        refusal = given(*UNDOING).when(c.RunCell("y")).refused(NotNow, state=W)
        assert refusal.why == "cells are being taken back"
        refusal = given(*UNDONE, c.RedoCells()).when(c.UndoCells()).refused(NotNow, state=W)
        assert refusal.why == "cells are being brought back"

    @pytest.mark.parametrize("command", [c.UndoCells(), c.RedoCells()])
    def test_only_an_idle_interpreter_is_taken_back(self, command: c.Command) -> None:
        for way in (RUNNING, UNDOING, LOST):
            given(*way).when(command).refused(NotNow)


class TestWhoMay:
    def test_an_agent_may_not_take_back_what_a_person_has_run(self) -> None:
        for by in (BOT, CLIENT):
            refusal = given(*TWO).when(c.UndoCells(), by=by).refused(NotAllowed)
            assert "c2" in refusal.why
            assert "person" in refusal.why

    def test_nor_does_what_a_replay_has_run_which_may_stand_for_a_persons(self) -> None:
        script = given(*READY, c.ReplaySession())
        bots(script, (C1, "x = 1"))
        again = c.RunCell("y = 2", replays=CellId("c9"))
        script.happened(said(again, by=SYSTEM), ran(C2, C1))
        refusal = script.when(c.UndoCells(count=2), by=BOT).refused(NotAllowed)
        assert refusal.why.startswith("c2 would be taken back")

    def test_not_even_together_with_its_own(self) -> None:
        script = given(*ONE, said(c.RunCell("x = 2"), by=BOT), ran(C2, C1, C2))
        refusal = script.when(c.UndoCells(count=2), by=BOT).refused(NotAllowed)
        assert "c1" in refusal.why
        assert "c2" not in refusal.why
        assert script.when(c.UndoCells(), by=BOT).facts[0].event == e.UndoRequested((C2,))

    def test_agents_take_back_what_agents_did(self) -> None:
        script = bots(given(*READY), (C1, "x = 1"), (C2, "x = 2"))
        outcome = script.when(c.UndoCells(count=2), by=CLIENT)
        assert outcome.facts[0].event == e.UndoRequested((C1, C2))
        outcome.owed_to(("i7", CLIENT), ("i7", CLIENT))

    def test_a_person_takes_back_whatever_there_is(self) -> None:
        script = bots(given(*READY), (C1, "x = 1"))
        assert script.when(c.UndoCells(), by=ANNA).facts

    def test_an_agent_brings_back_what_agents_took_back(self) -> None:
        script = bots(given(*READY), (C1, "x = 1"))
        script.happened(said(c.UndoCells(), by=BOT), reverted("i5"))
        assert script.when(c.RedoCells(), by=CLIENT).facts

    def test_an_agent_does_not_bring_back_what_a_person_took_back_whoever_ran_it(self) -> None:
        for script in (given(*UNDONE), bots(given(*READY), (C1, "x = 1"))):
            if not script.state.undo.redo:
                script.happened(c.UndoCells(), reverted("i5"))
            refusal = script.when(c.RedoCells(), by=BOT).refused(NotAllowed, command="redo_cells")
            assert "a person has taken back" in refusal.why
            assert refusal.remedy == ("let the person do it",)
            assert script.when(c.RedoCells(), by=ANNA).facts

    def test_an_agent_does_not_choose_that_its_cells_cannot_be_taken_back(self) -> None:
        for by in (BOT, CLIENT):
            refusal = given(*READY).when(c.ChooseUndo(UndoFor.NOBODY), by=by).refused(NotAllowed)
            assert "a person alone" in refusal.why


class TestRedo:
    def test_what_was_taken_back_last_comes_back_without_being_run(self) -> None:
        script = given(*UNDONE)
        assert Affordance.REDO_CODE in allowed(script.state)
        # The copy is named for the version of the event that had it made.
        copy = f"before-{given(*TWO).state.version + 1}"
        script.when(c.RedoCells()).then(
            e.UndoRequested((C2,), redo=True),
            turned(R, W, "redo_cells"),
            effects=(fx.RevertWorker(1, InputId("i9"), copy, C2),),
        )
        script.when(reverted("i9", C1, C2)).then(
            e.CellsRedone((C2,), copies(C1, C2)), turned(W, R, "worker_reverted")
        ).owed_to(("i9", ANNA), ("i10", SYSTEM))
        assert script.state.undo == given(*TWO).state.undo

    def test_in_the_order_in_which_they_were_taken_back(self) -> None:
        script = given(*UNDONE, c.UndoCells(), reverted("i9"))
        script.happened(c.RedoCells(), reverted("i11", C1))
        assert [one.cell for one in script.state.undo.ran] == [C1]
        script.happened(c.RedoCells(), reverted("i13", C1, C2))
        assert script.state.undo == given(*TWO).state.undo

    def test_what_was_brought_back_can_be_taken_back_again_and_so_on(self) -> None:
        script = given(*UNDONE)
        for place in range(9, 17, 4):
            script.happened(c.RedoCells(), reverted(f"i{place}", C1, C2))
            script.happened(c.UndoCells(), reverted(f"i{place + 2}", C1))
        assert [one.cell for one in script.state.undo.ran] == [C1]
        assert [one.ran[0].cell for one in script.state.undo.redo] == [C2]

    def test_what_could_not_be_brought_back_is_not_offered_again(self) -> None:
        script = given(*UNDONE, c.RedoCells())
        script.when(r.RevertFailed(1, InputId("i9"), "the copy has ended")).then(
            e.UndoFailed("the copy has ended"), turned(W, R, "revert_failed")
        )
        assert script.state.undo.redo == ()
        assert script.state.undo.kept == copies(C1)
        assert Affordance.REDO_CODE not in allowed(script.state)
        assert Affordance.UNDO_CODE in allowed(script.state)

    @pytest.mark.parametrize("word", [c.RunCell("y"), c.LoadScript("a.py"), c.TryVariants(("1",))])
    def test_until_something_else_is_run(self, word: c.Command) -> None:
        script = given(*UNDONE, word)
        assert script.state.undo.redo == ()
        end = ran(C3, C1, C3) if not isinstance(word, c.TryVariants) else r.VariantsTried(1, C3)
        script.happened(end)
        script.when(c.RedoCells()).refused(NotNow)

    def test_what_could_not_be_kept_cannot_be_brought_back_nor_what_was_before_it(self) -> None:
        script = given(*UNDONE, c.UndoCells(), reverted("i9", can_return=False))
        assert script.state.undo.redo == ()
        script.when(c.RedoCells()).refused(NotNow)


class TestMeanwhile:
    def test_cells_wait_while_others_are_taken_back_and_begin_behind_it(self) -> None:
        script = given(*UNDOING)
        script.when(c.RunCell("y")).refused(NotNow, state=W)
        script.when(QUEUED, by=BOT).then(e.CellQueued(C3, "y = 1"))
        script.when(reverted("i7", C1)).then(
            e.CellsUndone((C2,), copies(C1), can_redo=True),
            e.CellStarted(C3, "y = 1", copy=True),
            turned(W, E, "worker_reverted"),
            effects=(fx.ExecuteInWorker(1, C3, "y = 1", copy=True),),
        ).owed_to(("i7", ANNA), ("i9", BOT), ("i10", SYSTEM))
        assert script.state.undo.redo == ()

    def test_a_waiting_cell_can_be_withdrawn(self) -> None:
        script = given(*UNDOING, QUEUED)
        script.when(c.CancelCell(C3)).then(
            e.CellCancelRequested(C3, 1), e.CellWithdrawn(C3, "cancelled")
        )

    def test_it_also_begins_where_nothing_could_be_taken_back(self) -> None:
        script = given(*UNDOING, QUEUED)
        outcome = script.when(r.RevertFailed(1, I7, "the copy has ended"))
        assert [type(one.event) for one in outcome.facts[:2]] == [e.UndoFailed, e.CellStarted]

    def test_who_asked_the_interpreter_something_is_told_that_no_answer_comes(self) -> None:
        script = given(*TWO, said(c.CompleteCode("x.", 2), by=BOT))
        outcome = script.when(c.UndoCells())
        assert outcome.facts[0].event == e.QuestionAbandoned("cells are taken back")
        outcome.owed_to(("i7", BOT), ("i8", ANNA), ("i8", ANNA))
        script.when(r.CodeCompleted(I7)).ignored()

    def test_what_was_tried_goes_on_from_what_is_taken_back_and_is_dropped(self) -> None:
        script = given(*ONE, c.TryVariants(("y",)), r.VariantsTried(1, C2, (GOOD,)))
        outcome = script.when(c.UndoCells())
        assert outcome.facts[0].event == e.VariantsDropped(C2, "cells are taken back")
        assert outcome.effects[0] == fx.DropVariants(1, C2)
        assert script.state.undo.trial is None


class TestWhatGoesWrong:
    def test_what_could_not_be_taken_back_leaves_everything_as_it_was(self) -> None:
        script = given(*TWO)
        before = script.state
        script.happened(c.UndoCells())
        script.when(r.RevertFailed(1, I7, "the copy has ended")).then(
            e.UndoFailed("the copy has ended"), turned(W, R, "revert_failed")
        ).owed_to(("i7", ANNA), ("i8", SYSTEM))
        assert script.state.undo == before.undo
        assert allowed(script.state) == allowed(before)

    def test_so_does_a_performer_that_could_not_even_try(self) -> None:
        script = given(*TWO)
        failed = r.EffectFailed(script.when(c.UndoCells()).effects[0], "no performer")
        assert script.when(failed).facts[0].event == e.UndoFailed("no performer")
        assert script.state.phase_name is R

    def test_an_interpreter_that_is_lost_meanwhile_takes_everything_along(self) -> None:
        script = given(*UNDOING, QUEUED)
        outcome = script.when(r.WorkerLost(1, r.Exit.CRASH, "gone"))
        assert [one.event for one in outcome.facts[:2]] == [
            e.CellWithdrawn(C3, "the interpreter was lost"),
            e.SessionFaulted(f.WorkerCrashed("gone")),
        ]
        faulted = outcome.facts[1]
        assert (faulted.cause, faulted.origin) == ("i7", ANNA)  # whoever waits for it is answered
        assert script.state.undo.doing is None
        assert script.state.undo.ran == ()
        script.when(reverted("i7", C1)).ignored()

    @pytest.mark.parametrize("word", [c.HardResetSession(), c.StopSession()])
    def test_it_is_cut_off_by_a_reset_and_by_a_stop(self, word: c.Command) -> None:
        script = given(*UNDOING)
        outcome = script.when(word, by=BOT)
        assert isinstance(outcome.facts[0].event, e.SessionWarmUpAbandoned)
        assert (outcome.facts[0].cause, outcome.facts[0].origin) == ("i7", ANNA)
        assert script.state.undo == given(*EVERYONE).state.undo
        assert fx.StopWorker(1) in outcome.effects
        script.when(reverted("i7", C1)).ignored()

    @pytest.mark.parametrize(
        "report",
        [
            r.WorkerReverted(2, I7),
            r.WorkerReverted(1, InputId("i6")),
            r.RevertFailed(0, I7, "late"),
            r.RevertFailed(1, InputId("i6"), "another"),
        ],
    )
    def test_what_is_told_of_another_undo_changes_nothing(self, report: r.Report) -> None:
        given(*UNDOING).when(report).ignored()
        given(*UNDONE).when(report).ignored()

    def test_it_is_answered_once(self) -> None:
        script = given(*UNDONE)
        script.when(reverted("i7", C1)).ignored()


class TestRestart:
    def test_a_daemon_that_ended_meanwhile_asks_again_and_answers_once(self) -> None:
        script = given(*UNDOING)
        (attach,) = resume(script.state, after(60))
        assert isinstance(attach, fx.AttachWorker)
        assert attach.cell is None
        asked = script.effects[-1]
        script.when(r.WorkerReady(1, 0.1)).then(effects=(asked,))
        assert script.state.phase_name is W
        script.when(r.WorkerReady(1, 0.1)).then(effects=(asked,))  # and again
        outcome = script.when(reverted("i7", C1))
        assert [type(one.event) for one in outcome.facts] == [e.CellsUndone, e.StateTransitioned]
        script.when(reverted("i7", C1)).ignored()

    def test_so_does_what_is_brought_back(self) -> None:
        script = given(*UNDONE, c.RedoCells())
        asked = script.effects[-1]
        script.when(r.WorkerReady(1, 0.1)).then(effects=(asked,))

    def test_an_interpreter_that_is_not_there_any_more_is_lost(self) -> None:
        script = given(*UNDOING)
        script.happened(r.WorkerLost(1, r.Exit.VANISHED, "gone"))
        assert script.state.phase_name is F


class TestCopies:
    def test_that_a_cell_cannot_be_kept_is_told_before_it_ends(self) -> None:
        script = given(*EVERYONE, said(c.RunCell("x"), by=BOT))
        script.when(r.CopyMissed(1, C1, ("a thread",))).then(
            e.CellNotKept(C1, ("a thread",))
        ).owed_to(("i3", BOT))
        assert script.state.phase_name is E
        script.happened(ran(C1))
        assert script.state.undo.ran == ()

    def test_of_a_cell_that_does_not_run_nothing_is_told(self) -> None:
        given(*TWO).when(r.CopyMissed(1, C2, ("a thread",))).ignored()

    @pytest.mark.parametrize("way", [TWO, (*TWO, c.RunCell("z"))])
    def test_copies_that_are_dropped_are_named(self, way: tuple[Spoken, ...]) -> None:
        script = given(*way)
        script.when(r.CopiesGone(1, copies(C2), "memory is short")).then(
            e.CopiesDropped((C1,), copies(C2), "memory is short")
        )
        assert [one.cell for one in script.state.undo.ran] == [C2]
        assert script.state.undo.kept == copies(C2)

    def test_when_all_are_gone_nothing_is_offered(self) -> None:
        script = given(*TWO, r.CopiesGone(1))
        assert script.state.undo.kept == NO_COPIES
        assert Affordance.UNDO_CODE not in allowed(script.state)
        script.when(r.CopiesGone(1)).ignored()

    def test_it_is_nobodys_answer(self) -> None:
        given(*TWO).when(r.CopiesGone(1)).owed_to(("i7", SYSTEM))

    def test_of_another_interpreter_it_is_ignored(self) -> None:
        given(*TWO).when(r.CopiesGone(2)).ignored()
        given(*TWO, c.HardResetSession()).when(r.CopiesGone(1)).ignored()

    def test_what_is_gone_when_it_was_to_be_gone_back_to_is_not_offered_again(self) -> None:
        script = given(*UNDOING)
        script.when(r.CopiesGone(1, copies(C1), "it was killed")).then(
            e.CopiesDropped((C2,), copies(C1), "it was killed")
        )
        script.happened(r.RevertFailed(1, I7, "the copy has ended"))
        refusal = script.when(c.UndoCells()).refused(NotNow)
        assert "before c2" in refusal.why
        assert script.when(c.UndoCells(cell=C1)).facts[0].event == e.UndoRequested((C1, C2))

    def test_where_nothing_is_known_of_the_cells_there_is_nothing_to_bring_back(self) -> None:
        script = given(*UNDOING, r.CopiesGone(1), reverted("i7"))
        assert script.state.undo == given(*EVERYONE).state.undo


class TestUndoneByThemselves:
    RUN = c.RunCell("x", on_error="undo")

    @pytest.mark.parametrize("ending", [r.Raised(f.CodeRaised("E", "m")), r.Stopped()])
    def test_a_cell_that_failed_and_took_itself_back_is_not_among_those_that_ran(
        self, ending: r.Ending
    ) -> None:
        end = r.CellEnded(1, C3, ending, 0.1, kept=copies(C1, C2), undone=True)
        script = given(*TWO, self.RUN, end)
        assert [one.cell for one in script.state.undo.ran] == [C1, C2]
        event = script.facts[-2].event
        assert isinstance(event, e.CellFailed | e.CellCancelled)
        assert event.undone

    def test_one_that_could_not_be_taken_back_is(self) -> None:
        end = r.CellEnded(1, C3, r.Raised(f.CodeRaised("E", "m")), 0.1, kept=copies(C1, C2))
        script = given(*TWO, self.RUN, end)
        assert [one.cell for one in script.state.undo.ran] == [C1, C2, C3]

    def test_nor_is_one_that_ended_well(self) -> None:
        script = given(*TWO, self.RUN, ran(C3, C1, C2, C3), c.RunCell("y"), ran(C4, C1, C2, C3, C4))
        assert [one.cell for one in script.state.undo.ran] == [C1, C2, C3, C4]
