"""Cells are taken back, variants tried and kept, by what is typed with a dot or a colon."""

from pathlib import Path

import pytest
from tests.clients.repl.talking import Room, room, said

from hearth.clients.repl.conversing import submit
from hearth.clients.repl.undoing import keep_of, trial_of, undo_of
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import UndoFor


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", c.UndoCells()),
        ("3", c.UndoCells(3)),
        ("c7", c.UndoCells(cell=CellId("c7"))),
        ("on", c.ChooseUndo(UndoFor.EVERYONE)),
        ("agents", c.ChooseUndo(UndoFor.AGENTS)),
        ("off", c.ChooseUndo(UndoFor.NOBODY)),
        ("everyone", c.ChooseUndo(UndoFor.EVERYONE)),
        ("nobody", c.ChooseUndo(UndoFor.NOBODY)),
        ("0", None),
        ("1001", None),
        ("99999999999999999999", None),
        ("00000000010000", None),
        ("9" * 5000, None),
        ("0" * 5000, None),
        ("-1", None),
        ("c", None),
        ("c0", None),
        ("²", None),
        ("two", None),
    ],
)
def test_what_undo_is_told(typed: str, meant: c.Command | None) -> None:
    assert undo_of(typed) == meant


def test_what_is_kept_and_tried() -> None:
    assert keep_of("2") == c.KeepVariant(2)
    assert keep_of("0") == keep_of("none") == c.KeepVariant(0)
    assert [keep_of(one) for one in ("17", "x", "", "-1", "0" * 5000)] == [None] * 5
    assert trial_of("1 --- 2") == c.TryVariants(("1", "2"))
    assert trial_of("") is None
    assert trial_of(" --- ".join("x" * 17)) is None


async def ran(here: Room, *codes: str) -> None:
    for code in codes:
        await here.talk.run(code)


async def test_cells_are_taken_back_and_brought_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await said(here, ".undo on")
        await ran(here, "x = 1", "1+1", "print")
        undone = await said(here, ":undo 2")
        assert "c2 and c3 were taken back; .redo brings back what was there\n" in undone
        assert "can still be taken back: c1" in undone
        assert "c2 and c3 are there again" in await said(here, ".redo")
        assert "c1 to c3 were taken back" in await said(here, ".undo c1")


async def test_where_nothing_is_kept_the_way_out_is_said_as_it_is_typed(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await ran(here, "x = 1")
        refused = await said(here, ".undo")
        assert "no copy of the interpreter is kept before any of its cells" in refused
        assert ".undo on keeps a copy before people's cells, too" in refused
        assert ".branch --replay rebuilds it" in refused
        assert "nothing was taken back that could be" in await said(here, ".redo")


async def test_a_cell_that_cannot_be_taken_back_says_so(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await said(here, ".undo on")
        here.interpreter.obstacles = ("thread `loader` runs",)
        await ran(here, "print")
        shown = await here.screen.until("c1 cannot be taken back: thread `loader` runs")
        assert "c1 was taken back" not in shown


async def test_variants_are_tried_and_one_is_kept(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await submit(here.talk, c.ChooseUndo(UndoFor.NOBODY))
        await said(here, ":try 1+1 --- 1/0")
        shown = await here.screen.until(".keep N makes one the session, .keep 0 none")
        assert "1  ok in 0 ms" in shown
        assert "ZeroDivisionError: division by zero" in shown
        assert "c1 tries 2 variants, each in a copy" in shown
        assert "there are 2 variants, and no number 3" in await said(here, ".keep 3")
        assert "variant 1 of c1 becomes the session" in await said(here, ".keep 1")
        assert "no variants are waiting to be kept" in await said(here, ".keep 1")


async def test_none_may_be_kept_and_nothing_may_be_possible(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await said(here, ".try\n1+1\n---\nx = 1")
        await here.screen.until(".keep 0 none")
        assert "no variant of c1 was kept: none was wanted" in await said(here, ".keep none")
        here.interpreter.obstacles = ("a socket is open",)
        await said(here, ".try 1+1")
        await here.screen.until("nothing was tried: a socket is open")


async def test_what_makes_no_sense_is_told_with_what_does(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        refused = await said(here, ".undo some")
        hint = "say .undo, .undo 3, .undo c7, or .undo on, agents or off"
        assert refused == f"some cannot be taken back\n  {hint}\n"
        assert "there is nothing to try\n  say .try f(1) --- f(2)" in await said(here, ".try")
        assert "16 variants at most" in await said(here, f".try {' --- '.join('x' * 17)}")
        assert "x is no variant\n  say .keep 2" in await said(here, ".keep x")


async def test_info_says_what_can_be_taken_back_and_what_waits(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert "undo      agents; nothing more can be taken back\n" in await said(here, ".info")
        await said(here, ".undo on")
        await ran(here, "x = 1", "1+1")
        await said(here, ".undo")
        shown = await said(here, ".info")
        assert "undo      on; can still be taken back: c1; .redo brings back" in shown
        await said(here, ".try 1+1")
        await here.screen.until(".keep 0 none")
        assert "trial     c3: .keep N makes a variant the session" in await said(here, ".info")
