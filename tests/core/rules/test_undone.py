"""How taking back, trying and forking change a session, and what cannot have happened."""

import pytest
from tests.contracts.facts import NOON
from tests.contracts.given import (
    ANNA,
    BOT,
    LOST,
    READY,
    RUNNING,
    SESSION,
    STOPPED,
    Script,
    Spoken,
    given,
    said,
)
from tests.contracts.taking import (
    C1,
    C2,
    C3,
    EVERYONE,
    GOOD,
    ONE,
    RESULTS,
    TRIED,
    TRY,
    TRYING,
    TWO,
    UNDOING,
    UNDONE,
    copies,
    ran,
    reverted,
)

from hearth.core.rules.agreeing import IllegalEvent
from hearth.core.rules.session import SessionState, evolve
from hearth.core.rules.undo_state import Adopting, Ran, Trial, Undone, UndoState
from hearth.core.rules.undone import begun, forgotten
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import BlockId, EventId, InputId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, UndoFor

TO = SessionId("session-d4e5f6")
FORK = c.ForkSession(TO)
BACK = c.ReturnTo(BlockId("b2"))


def fact(event: e.Event, cause: str = "x") -> Fact:
    return Fact(id=EventId("x.0"), at=NOON, origin=BOT, cause=InputId(cause), event=event)


@pytest.mark.parametrize(
    "way",
    [
        UNDOING,
        UNDONE,
        (*UNDONE, c.RedoCells()),
        (*UNDONE, c.RedoCells(), reverted("i9", C1, C2)),
        TRYING,
        TRIED,
        (*TRIED, c.KeepVariant(1)),
        (*TRIED, c.KeepVariant(0)),
        (*READY, FORK, BACK),
        (*TWO, r.CopiesGone(1, copies(C2))),
    ],
)
def test_a_log_folds_to_what_was_decided(way: tuple[Spoken, ...]) -> None:
    script, folded = given(*way), SessionState(SESSION)
    for one in script.facts:
        folded = evolve(folded, one)
    assert folded == script.state


class TestCells:
    def test_nothing_is_remembered_where_there_are_no_copies(self) -> None:
        script = given(*READY, c.RunCell("x"), ran(C1))
        assert script.state.undo == UndoState()

    def test_cells_are_remembered_from_the_oldest_copy_on_with_who_ran_them(self) -> None:
        script = given(*EVERYONE, c.RunCell("x"), ran(C1), said(c.RunCell("x"), by=BOT))
        script.happened(ran(C2, C2), c.RunCell("x"), ran(C3, C2))
        assert script.state.undo.ran == (Ran(C2, by_person=False, kept=True), Ran(C3))
        assert script.state.undo.kept == copies(C2)

    def test_a_cell_that_begins_ends_what_could_be_brought_back(self) -> None:
        undone = UndoState(redo=(Undone((Ran(C1),), "before-3"),), who=UndoFor.AGENTS)
        assert begun(undone) == UndoState(who=UndoFor.AGENTS)
        assert begun(UndoState()) == UndoState()

    def test_with_an_interpreter_goes_all_that_is_about_it_and_nothing_else(self) -> None:
        full = UndoState(
            who=UndoFor.EVERYONE,
            ran=(Ran(C1, kept=True),),
            size=1,
            redo=(Undone((Ran(C2),), "before-3"),),
            trial=Trial(C3, 1),
            adopting=Adopting(C3, 1),
            forking=given(*READY, FORK).state.undo.forking,
            returning=given(*READY, BACK).state.undo.returning,
        )
        assert forgotten(full) == UndoState(
            who=UndoFor.EVERYONE, forking=full.forking, returning=full.returning
        )
        assert forgotten(UndoState()) == UndoState()

    @pytest.mark.parametrize(
        "word",
        [
            c.StopSession(),
            c.ResetSession(),
            c.HardResetSession(),
            r.WorkerLost(1, r.Exit.CRASH, "gone"),
        ],
    )
    def test_that_is_so_however_it_goes(self, word: c.Command | r.Report) -> None:
        chosen = c.ChooseUndo(UndoFor.EVERYONE)
        undo = given(*UNDONE, chosen, word).state.undo
        assert undo == UndoState(who=UndoFor.EVERYONE)

    def test_copies_and_what_can_be_brought_back_are_told_apart(self) -> None:
        script = given(*UNDONE, r.CopiesGone(1))
        assert script.state.undo.ran == ()
        assert [one.ran for one in script.state.undo.redo] == [(Ran(C2, kept=True),)]


class TestInterpreter:
    def test_taking_back_leaves_it_the_same(self) -> None:
        before, now = given(*TWO).state, given(*UNDONE).state
        assert now.generation == before.generation
        assert now.ready_since == before.ready_since
        assert now.cells == before.cells, "no number is used twice"

    def test_a_variant_that_is_kept_is_another(self) -> None:
        script = given(*ONE, TRY, r.VariantsTried(1, C2, RESULTS), c.KeepVariant(2))
        assert script.state.generation == 2
        assert script.state.ready_since is None
        undo = script.state.undo
        assert undo.adopting is not None
        assert (undo.adopting.cell, undo.adopting.variant, undo.trial) == (C2, 2, None)
        script.happened(r.WorkerReady(2, 0.1))
        assert script.state.undo == UndoState()

    def test_one_that_is_lost_at_once_after_it_was_kept_has_not_run_well(self) -> None:
        # The one before it has run for a day; its replacement must not be for free.
        script = given(*TRIED, said(c.KeepVariant(1), at=86_400))
        script.happened(said(r.WorkerLost(2, r.Exit.CRASH, "gone"), at=86_401))
        first = [x.event for x in script.facts if isinstance(x.event, e.RestartScheduled)]
        script.happened(
            said(r.RestartDue(2), at=86_402),
            said(r.WorkerLost(3, r.Exit.CRASH, "gone"), at=86_403),
        )
        both = [x.event for x in script.facts if isinstance(x.event, e.RestartScheduled)]
        assert [one.attempt for one in (*first, both[-1])] == [1, 2]

    def test_an_agents_trial_makes_a_session_shared(self) -> None:
        assert not given(*TRYING).state.is_shared
        assert given(*READY, said(TRY, by=BOT)).state.is_shared

    def test_which_of_a_trial_can_be_kept_is_known(self) -> None:
        assert given(*TRIED).state.undo.trial == Trial(C1, 3, gone=(3,))
        script = given(*READY, TRY, r.VariantsTried(1, C1, (GOOD,)))
        assert script.state.undo.trial == Trial(C1, 1)


class TestIllegal:
    @pytest.mark.parametrize(
        ("way", "event"),
        [
            (RUNNING, e.CellNotKept(C2, ("a thread",))),
            (READY, e.CellNotKept(C1, ("a thread",))),
            (UNDOING, e.UndoRequested((C1,))),
            (READY, e.CellsUndone((C1,))),
            ((*READY, c.HardResetSession()), e.CellsUndone((C1,))),
            (UNDOING, e.CellsUndone((C2,))),  # for somebody else
            (UNDOING, e.UndoFailed("no")),
            (RUNNING, e.TrialStarted(C2, ("1",))),
            (TRIED, e.TrialStarted(C1, ("1",))),
            (RUNNING, e.TrialEnded(C1)),
            (TRYING, e.TrialEnded(C2)),
            (TRYING, e.VariantKept(C1, 1, 2)),
            (READY, e.VariantKept(C1, 1, 2)),
            (TRIED, e.VariantKept(C2, 1, 2)),
            (TRIED, e.VariantKept(C1, 0, 2)),
            (TRIED, e.VariantKept(C1, 4, 2)),
            (TRIED, e.VariantKept(C1, 1, 1)),
            (TRIED, e.VariantKept(C1, 1, 3)),
            (READY, e.VariantsDropped(C1)),
            (TRIED, e.VariantsDropped(C2)),
            (READY, e.SessionForked(TO, ForkHow.COPY)),
            ((*READY, FORK), e.ForkFailed(TO, "no")),
            ((*READY, BACK), e.ReturnRequested(BlockId("b2"))),
            (READY, e.ReturnFailed("no")),
            ((*READY, BACK), e.SessionReturned(BlockId("b2"))),
            (LOST, e.CopiesDropped((C1,))),
            (STOPPED, e.UndoRequested((C1,))),
        ],
    )
    def test_what_nobody_asked_for_or_does_not_fit_is_not_believed(
        self, way: tuple[Spoken, ...], event: e.Event
    ) -> None:
        state = given(*way).state
        with pytest.raises(IllegalEvent):
            evolve(state, fact(event))

    def test_cells_cannot_be_brought_back_by_what_takes_them_back(self) -> None:
        with pytest.raises(IllegalEvent):
            evolve(given(*UNDOING).state, fact(e.CellsRedone((C2,)), cause="i7"))


def test_undo_is_chosen_for_what_comes() -> None:
    script: Script = given(*READY)
    script.when(c.ChooseUndo(UndoFor.NOBODY), by=ANNA).then(e.UndoChosen(UndoFor.NOBODY))
    assert script.when(c.RunCell("x = 1"), by=BOT).facts[0].event == e.CellStarted(C1, "x = 1")
