"""What an interpreter holds that it did not hold at an earlier moment."""

from collections.abc import Iterable

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import READY, Script, given, in_place

from hearth.core.rules.ran_since import RanSince
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import UndoFor, VariantResult

ALL = (*READY, c.ChooseUndo(UndoFor.EVERYONE))


def since(script: Script, version: int = 0) -> RanSince:
    found = RanSince()
    for envelope in script.envelopes():
        if envelope.version > version:
            found.take(envelope)
    return found


def ran(script: Script, *kept: str) -> Script:
    """The same with one cell more, before which a copy is kept if it is among them."""
    cell = CellId(f"c{script.state.cells + 1}")
    script.happened(c.RunCell("x"))
    copies = Copies(tuple(map(CellId, kept)))
    return script.happened(
        r.CellEnded(script.state.generation, cell, r.Succeeded(), 0.1, kept=copies)
    )


def undone(script: Script, *kept: str) -> Script:
    doing = script.state.undo.doing
    assert doing is not None
    copies = Copies(tuple(map(CellId, kept)))
    return script.happened(
        r.WorkerReverted(script.state.generation, doing.cause, copies, can_return=True)
    )


def test_cells_that_ended_since_in_their_order() -> None:
    script = ran(given(*ALL), "c1")
    then = script.state.version
    ran(ran(script, "c1", "c2"), "c1", "c2", "c3")
    assert since(script, then).cells == ("c2", "c3")
    assert since(script, then).same


def test_what_was_taken_back_is_not_among_them_and_what_was_brought_back_is() -> None:
    script = ran(ran(given(*ALL), "c1"), "c1", "c2")
    script.happened(c.UndoCells())
    undone(script, "c1")
    assert since(script).cells == ("c1",)
    script.happened(c.RedoCells())
    undone(script, "c1", "c2")
    assert since(script).cells == ("c1", "c2")


def test_taking_back_what_came_before_makes_it_another_interpreter() -> None:
    script = ran(ran(given(*ALL), "c1"), "c1", "c2")
    then = script.state.version
    script.happened(c.UndoCells())
    undone(script, "c1")
    assert since(script, then).cells == ()
    assert not since(script, then).same


def test_what_had_been_taken_back_before_and_is_brought_back_since_is_among_them() -> None:
    script = ran(ran(given(*ALL), "c1"), "c1", "c2")
    script.happened(c.UndoCells())
    undone(script, "c1")
    then = script.state.version
    script.happened(c.RedoCells())
    undone(script, "c1", "c2")
    assert since(script, then).cells == ("c2",)
    assert since(script, then).same


def test_an_interpreter_that_holds_again_what_it_held_then_is_the_same() -> None:
    script = ran(given(*ALL), "c1")
    then = script.state.version
    ran(script, "c1", "c2").happened(c.UndoCells(2))
    undone(script)
    assert not since(script, then).same
    script.happened(c.RedoCells())
    undone(script, "c1", "c2")
    assert since(script, then).cells == ("c2",)
    assert since(script, then).same


def test_a_cell_that_failed_counts_unless_it_was_taken_back_at_once() -> None:
    script = given(*ALL, c.RunCell("x"))
    raised = r.Raised(CodeRaised("E", "m"))
    script.happened(r.CellEnded(1, CellId("c1"), raised, 0.1))
    script.happened(c.RunCell("y", on_error="undo"))
    script.happened(r.CellEnded(1, CellId("c2"), raised, 0.1, undone=True))
    assert since(script).cells == ("c1",)


def test_a_variant_counts_once_it_is_kept() -> None:
    script = given(*ALL, c.TryVariants(("a", "b")))
    script.happened(r.VariantsTried(1, CellId("c1"), (VariantResult(), VariantResult())))
    assert since(script).cells == ()
    script.happened(c.KeepVariant(2), r.WorkerReady(2, 0.1))
    assert since(script).cells == ("c1",)


def test_a_variant_that_ended_before_it_was_there_is_none_of_them() -> None:
    script = ran(given(*ALL), "c1")
    then = script.state.version
    script.happened(c.TryVariants(("x = 1",)))
    script.happened(r.VariantsTried(1, CellId("c2"), (VariantResult(),)), c.KeepVariant(1))
    assert since(script, then).cells == ("c2",)
    script.happened(r.VariantGone(2, CellId("c2"), "it has ended"))
    assert since(script, then).cells == ()
    assert since(script, then).same


def test_another_interpreter_holds_nothing_of_before() -> None:
    script = ran(given(*ALL), "c1")
    then = script.state.version
    script.happened(c.HardResetSession(), r.WorkerReady(2, 0.1))
    assert since(script, then).cells == ()
    assert not since(script, then).same


@pytest.mark.parametrize(
    "word", [r.WorkerLost(1, r.Exit.CLEAN, "it left"), c.StopSession()], ids=["lost", "stopped"]
)
def test_an_interpreter_that_is_gone_holds_nothing_also_where_none_came_after(
    word: c.Command | r.Report,
) -> None:
    script = ran(given(*ALL), "c1")
    then = script.state.version
    script.happened(word)
    assert since(script, then).cells == ()
    assert not since(script, then).same


def held(envelopes: Iterable[Envelope]) -> tuple[CellId, ...]:
    """What an interpreter holds that never was another one, after all of these."""
    cells: list[CellId] = []
    for envelope in envelopes:
        match envelope.event:
            case e.CellFinished(cell=cell) | e.VariantKept(cell=cell):
                cells.append(cell)
            case e.CellFailed(cell=cell, undone=undone) | e.CellCancelled(cell=cell, undone=undone):
                cells += () if undone else (cell,)
            case e.CellsRedone(cells=back):
                cells += back
            case e.CellsUndone(cells=gone):
                cells = [one for one in cells if one not in gone]
            case e.VariantsDropped(cell=gone):
                cells = [one for one in cells if one != gone]
            case e.SessionWarmUpStarted() | e.SessionFaulted() | e.SessionStopped():
                cells = []
            case _:
                pass
    return tuple(cells)


@whenever(lines(), st.data())
def test_it_holds_what_it_held_then_and_what_came_since(
    script: list[Line], data: st.DataObject
) -> None:
    log, found = in_place(play(script).facts), RanSince()
    then = data.draw(st.integers(0, len(log)))
    for envelope in log[then:]:
        found.take(envelope)
    if found.same:
        assert held(log) == (*held(log[:then]), *found.cells)


@whenever(lines())
def test_what_can_be_taken_back_is_always_the_newest_of_what_ran(script: list[Line]) -> None:
    played, found = play(script), RanSince()
    for envelope in in_place(played.facts):
        found.take(envelope)
    # What is becoming the interpreter holds one more, which cannot be taken back.
    undo = played.state.undo
    cells = [] if undo.adopting else [one.cell for one in undo.ran]
    assert not cells or list(found.cells[-len(cells) :]) == cells
