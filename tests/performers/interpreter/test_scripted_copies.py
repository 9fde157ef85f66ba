"""A pretended interpreter keeps the names of copies as a real one keeps copies."""

from pathlib import Path

import pytest
from tests.contracts.performer import RAISES, VALUE, Play, Troupe, playing
from tests.performers.interpreter.test_scripted import ScriptedTroupe

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import Copies, OnError
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.performers.interpreter.scripted_copies import ScriptedCopies

C1, C2, C3 = CellId("c1"), CellId("c2"), CellId("c3")
Q = InputId("q")


@pytest.fixture
def troupe(tmp_path: Path) -> Troupe:
    return ScriptedTroupe(tmp_path)


def three() -> ScriptedCopies:
    """Before three cells."""
    copies = ScriptedCopies()
    for cell in (C1, C2, C3):
        copies.begin(cell, copy=True)
    return copies


def test_what_is_gone_back_behind_comes_back_with_what_was_left() -> None:
    copies = three()
    assert copies.revert("c2", "before-9")
    assert copies.kept == Copies((C1,))
    assert copies.revert("before-9", "c2")
    assert copies.kept == Copies((C1, C2, C3))


def test_a_new_cell_is_the_end_of_what_was_left() -> None:
    copies = three()
    assert copies.revert("c2", "before-9")
    copies.begin(CellId("c4"), copy=False)
    assert not copies.revert("before-9", "c2")
    assert not copies.revert("c2", "x")
    assert copies.kept == Copies((C1,))


async def run(play: Play, cell: CellId, code: str, on_error: OnError = "keep") -> r.CellEnded:
    """The end of a cell before which a copy is kept."""
    effect = fx.ExecuteInWorker(1, cell, code, copy=True, on_error=on_error)
    play.stage.reports.clear()
    await play.begin(effect)
    return await play.stage.heard(r.CellEnded)


async def test_cells_tell_what_can_be_taken_back(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        assert (await run(play, C1, VALUE)).kept == Copies((C1,))
        failed = await run(play, C2, RAISES, "undo")
        assert failed.undone
        assert failed.kept == Copies((C1,))
        await play.begin(fx.RevertWorker(1, Q, "c1", "before-3"))
        told = await play.stage.heard(r.WorkerReverted)
        assert told == r.WorkerReverted(1, Q, Copies(), can_return=True)
        await play.begin(fx.RevertWorker(1, Q, "c7", ""))
        assert (await play.stage.heard(r.RevertFailed)).why == "there is no copy 'c7'"


async def test_variants_are_tried_and_one_is_adopted(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        await play.begin(fx.TryInWorker(1, C1, (VALUE, RAISES)))
        tried = await play.stage.heard(r.VariantsTried)
        assert [one.is_ok for one in tried.results] == [True, False]
        play.stage.reports.clear()
        await play.begin(fx.AdoptVariant(2, C1, 1))
        assert (await play.stage.heard(r.WorkerReady)).generation == 2


async def test_an_idle_one_is_branched(troupe: Troupe) -> None:
    async with playing(troupe) as play:
        await play.ready()
        scripted = play.performer
        assert isinstance(scripted, ScriptedInterpreter)
        there = await scripted.branch(SessionId("nobody"), SessionId("b"))
        assert there.obstacles == ("it has no interpreter",)
        await scripted.drop_branch(SessionId("b"))
