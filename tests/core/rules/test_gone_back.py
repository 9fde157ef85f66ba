"""What a return has done is read from the log, and what became of what it took back."""

import pytest
from tests.contracts.given import ANNA, NOON, in_place

from hearth.core.rules.gone_back import (
    BroughtBack,
    GoneBack,
    Step,
    is_own,
    may_have_written,
    own_id,
)
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.failures import WorkerCrashed
from hearth.core.vocabulary.ids import CallId, CellId, EventId, InputId, TurnId
from hearth.core.vocabulary.undoing import SessionPart, UndoRequested

ASKED = InputId("i3")
C1, C2, C3 = (CellId(f"c{number}") for number in (1, 2, 3))
UNDONE = e.CellsUndone((C2, C3), can_redo=True)
MORE = e.CellsUndone((C1,), can_redo=True)
REDONE = e.CellsRedone((C2, C3))
WARM = e.SessionWarmUpStarted(2, ())
LOST = e.SessionFaulted(WorkerCrashed("gone"))
REPLAYED = e.SessionReplayed()


def log(*said: tuple[InputId, e.Event]) -> list[Fact]:
    return [
        Fact(id=EventId(f"e{number}"), at=NOON, origin=ANNA, cause=cause, event=event)
        for number, (cause, event) in enumerate(said)
    ]


def gone(*said: tuple[InputId, e.Event]) -> GoneBack:
    fold = GoneBack(ASKED)
    for envelope in in_place(log(*said)):
        fold.take(envelope)
    return fold


def own(step: Step, number: int = 1) -> InputId:
    return own_id(ASKED, step, number)


class TestItsOwn:
    def test_an_id_is_one_that_a_command_may_have_however_long_that_of_the_return_is(self) -> None:
        for step in Step:
            name = own_id(InputId("x" * 64), step, 10**6)
            assert len(name) <= 64
            assert name.replace("-", "").isalnum()

    def test_those_of_other_returns_and_of_others_are_not(self) -> None:
        assert is_own(own(Step.FILES), ASKED)
        assert not is_own(own(Step.FILES), InputId("i4"))
        assert not is_own(ASKED, ASKED)


class TestDone:
    def test_where_nothing_was_done_nothing_is_known(self) -> None:
        fold = gone((ASKED, e.SessionReady()))
        assert (fold.count(Step.UNDO), fold.end(Step.UNDO), fold.is_waiting) == (0, None, False)

    def test_what_is_under_way_is_waited_for_until_its_end(self) -> None:
        begun = (own(Step.UNDO), UndoRequested((C2, C3)))
        fold = gone(begun)
        assert fold.is_waiting
        assert (fold.count(Step.UNDO), fold.end(Step.UNDO)) == (1, None)
        fold = gone(begun, (own(Step.UNDO), UNDONE))
        assert not fold.is_waiting
        assert fold.end(Step.UNDO) == UNDONE

    def test_the_last_attempt_counts(self) -> None:
        fold = gone((own(Step.RESET), LOST), (own(Step.RESET, 2), e.SessionReady()))
        assert (fold.count(Step.RESET), fold.end(Step.RESET)) == (2, e.SessionReady())

    def test_what_is_heard_twice_changes_nothing(self) -> None:
        undone = (own(Step.UNDO), UNDONE)
        fold = gone(undone, (own(Step.UNDO), UndoRequested((C2,))), undone)
        assert fold.end(Step.UNDO) == UNDONE

    @pytest.mark.parametrize("cause", ["return", f"{own(Step.UNDO)}.trial", f"{own(Step.UNDO)}x"])
    def test_what_others_did_is_not_its_own(self, cause: str) -> None:
        fold = gone((InputId(cause), UNDONE))
        assert fold.end(Step.UNDO) is None
        assert not gone((InputId(own(Step.UNDO).replace("undo", "odd")), UNDONE)).is_waiting


class TestRebuilt:
    def test_an_interpreter_that_was_rebuilt_to_the_end(self) -> None:
        assert gone((own(Step.REPLAY), REPLAYED)).is_rebuilt
        assert not gone((own(Step.REPLAY), e.QuestionAbandoned("no"))).is_rebuilt

    @pytest.mark.parametrize("word", [WARM, LOST, e.SessionStopped(), REPLAYED])
    def test_is_another_one_by_now(self, word: e.Event) -> None:
        assert not gone((own(Step.REPLAY), REPLAYED), (InputId("i9"), word)).is_rebuilt


def became(*events: e.Event) -> tuple[bool, int]:
    fold = BroughtBack(UNDONE.cells)
    for envelope in in_place(log(*((ASKED, one) for one in events))):
        fold.take(envelope)
    return fold.is_there, fold.times


class TestBroughtBack:
    @pytest.mark.parametrize(
        ("events", "is_there", "times"),
        [
            ((UNDONE,), False, 1),
            ((UNDONE, MORE), False, 2),
            ((UNDONE, MORE, e.CellsRedone((C1,))), False, 1),
            ((UNDONE, REDONE), True, 0),
            ((UNDONE, REDONE, UNDONE), False, 1),
            ((UNDONE, REDONE, e.CellStarted(CellId("c4"), "x")), True, 0),
            ((UNDONE, e.CellStarted(CellId("c4"), "x")), False, 0),
            ((UNDONE, e.TrialStarted(CellId("c4"), ("x",))), False, 0),
            ((UNDONE, e.CellsUndone((C1,))), False, 0),
            ((UNDONE, UndoRequested(UNDONE.cells, redo=True), e.UndoFailed("no")), False, 0),
            ((UNDONE, UndoRequested((C1,)), e.UndoFailed("no")), False, 1),
            ((UNDONE, WARM), False, 0),
            ((UNDONE, REDONE, LOST), False, 0),
            ((UNDONE, REDONE, e.SessionStopped()), False, 0),
            ((e.CellsUndone(UNDONE.cells),), False, 0),
        ],
    )
    def test_what_became_of_them(
        self,
        events: tuple[e.Event, ...],
        is_there: bool,  # noqa: FBT001 - a case of the table
        times: int,
    ) -> None:
        assert became(*events) == (is_there, times)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (e.CellStarted(C1, "open('a', 'w')"), "c1"),
        (e.CellStarted(C1, "x", read_only=True), ""),
        (e.TrialStarted(C1, ("x",)), "c1"),
        (e.FilesChanged(TurnId("t1"), CallId("k1"), ()), "tools of the agent"),
        (e.SessionReady(), ""),
    ],
)
def test_what_may_have_changed_files(event: e.Event, said: str) -> None:
    assert may_have_written(event) == said


def test_each_step_is_of_a_part_of_the_session() -> None:
    parts = {step: step.part for step in Step}
    assert parts.pop(Step.FILES) is SessionPart.FILES
    assert parts.pop(Step.SWITCH) is SessionPart.CONVERSATION
    assert set(parts.values()) == {SessionPart.INTERPRETER}
