"""What becomes of an interpreter is told in a sentence."""

from typing import get_args

import pytest
from tests.contracts.words import members
from tests.samples.undo_examples import UNDO_WORDS

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, RewindScope, UndoFor, VariantResult
from hearth.servers.mcp.tools.wording import INTERPRETERS, MOST_CELLS, in_words

C, T, B = CellId("c7"), SessionId("session-t"), BlockId("b17")
EVENTS = [one for one in UNDO_WORDS if isinstance(one, e.UndoEvent)]


def test_every_event_of_it_is_told() -> None:
    assert {type(one) for one in EVENTS} == set(members(e.UndoEvent)) == set(get_args(e.UndoEvent))
    sentences = [in_words(one) for one in EVENTS]
    assert all(sentences)
    assert len(set(sentences)) == len(sentences)
    assert not any("()" in one or one.endswith((" ", ":")) for one in sentences)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            e.CellNotKept(C, ("a thread runs", "a socket is open")),
            "a thread runs; a socket is open",
        ),
        (e.CellsUndone((C,), can_redo=True), "before c7; redo_code brings it back"),
        (e.CellsUndone((C,)), "all names are what they were before c7"),
        (e.CellsRedone((C,)), "all names are what they were after c7"),
        (e.UndoRequested((C,)), "c7: being taken back"),
        (e.UndoRequested((C,), redo=True), "c7: being brought back"),
        (e.UndoFailed("the copy is gone"), "nothing was taken back: the copy is gone"),
        (e.CopiesDropped((C,), why="memory is short"), "no longer be taken back: memory is short"),
        (e.CopiesDropped((C,)), "c7 can no longer be taken back"),
        (e.UndoChosen(UndoFor.NOBODY), "nobody's cells"),
        (e.TrialEnded(C, problem="a thread runs"), "nothing was tried: a thread runs"),
        (e.TrialStarted(C, ("1",)), "1 variant is tried in a copy; no name changes by that"),
        (e.TrialStarted(C, ("1", "2")), "2 variants are tried in copies; no name changes by that"),
        (e.ReturnPreviewed(1), "would leave 1 block of the conversation behind"),
        (e.ReturnPreviewed(2), "would leave 2 blocks of the conversation behind"),
        (e.VariantKept(C, 2, 3), "variant 2 of c7 is the session"),
        (e.VariantsDropped(C), "no variant of c7 was kept"),
        (e.ForkFailed(T, "a thread runs"), "there is no fork session-t: a thread runs"),
        (e.ReturnRequested(B), "the session goes back to b17"),
        (e.ReturnRequested(BlockId("")), "before it was taken back"),
        (e.ReturnRequested(B, preview=True), "it is asked what would change"),
        (e.SessionReturned(B, RewindScope(files=True)), "its conversation, its files"),
        (e.SessionReturned(B, problems=("a is gone",)), "its conversation; but a is gone"),
    ],
)
def test_it_says_what_matters_and_why(event: e.UndoEvent, told: str) -> None:
    assert told in in_words(event)


def test_the_end_of_each_variant_is_told_by_its_number() -> None:
    good, stopped = VariantResult(), VariantResult(stopped=True)
    said = in_words(e.TrialEnded(C, (good, stopped)))
    assert "1 ran to its end, 2 was stopped" in said
    assert "as they were" in said


@pytest.mark.parametrize("how", ForkHow)
def test_what_a_fork_is_made_of_is_told(how: ForkHow) -> None:
    assert INTERPRETERS[how] in in_words(e.SessionForked(T, how))
    assert INTERPRETERS[how] in in_words(e.ForkRequested(T, how=how))
    assert in_words(e.SessionForked(T, how, "a file is closed")).endswith("; a file is closed")


def test_of_many_cells_some_are_named() -> None:
    cells = tuple(CellId(f"c{number}") for number in range(MOST_CELLS + 5))
    said = in_words(e.CellsRedone(cells))
    assert said.endswith("c9 and 5 more")
