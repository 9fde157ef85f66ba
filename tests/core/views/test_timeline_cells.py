"""Cells of the timeline: what their events tell, and what they show while they run."""

from tests.contracts.given import READY, given

from hearth.core.views.timeline_cells import (
    CELLS,
    MOST_LIVE,
    MOST_SHOWN,
    NAMED,
    cell_after,
    cell_of,
    is_open,
    shown_in,
)
from hearth.core.views.timeline_items import CallItem, CellItem
from hearth.core.views.transcript import CellStanding
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.ids import CellId, TurnId
from hearth.core.vocabulary.progress import DisplayShown, OutputChunk, OutputCleared

C1 = CellId("c1")


def running() -> CellItem:
    cell = None
    for one in given(*READY, c.RunCell("1")).envelopes():
        if type(one.event) in CELLS:
            cell = cell_after(cell, one)
    assert cell is not None
    return cell


def written(cell: CellItem, *pieces: str, stream: str = "stdout") -> CellItem:
    for one in pieces:
        after = cell_after(cell, OutputChunk(C1, stream, one))  # type: ignore[arg-type] # a literal
        assert after is not None
        cell = after
    return cell


def test_events_make_a_cell_and_end_it() -> None:
    cell = written(running(), "a")
    assert cell.entry.standing is CellStanding.RUNNING
    assert is_open(cell)
    *_, last = (
        one
        for one in given(
            *READY, c.RunCell("1"), r.CellEnded(1, C1, r.Succeeded("1"), 0.1)
        ).envelopes()
        if type(one.event) in CELLS
    )
    ended = cell_after(cell, last)
    assert ended is not None
    assert (ended.entry.standing, ended.live) == (CellStanding.FINISHED, ())
    assert not is_open(ended)
    assert cell_after(ended, OutputChunk(C1, "stdout", "late")) is ended


def test_what_is_written_to_one_stream_is_one_piece() -> None:
    cell = written(written(running(), "a", "b"), "oops", stream="stderr")
    assert cell.live == (StreamText("stdout", "ab"), StreamText("stderr", "oops"))


def test_the_newest_is_kept_of_what_is_too_much() -> None:
    cell = written(running(), "x" * MOST_LIVE, "end")
    (shown,) = cell.live
    assert isinstance(shown, StreamText)
    assert isinstance(shown.text, str)
    assert len(shown.text) == MOST_LIVE
    assert shown.text.endswith("end")
    assert cell.live_from == 3


def test_a_display_takes_the_place_of_the_one_of_its_name() -> None:
    cell = running()
    for data, name in (("1", "a"), ("2", "b"), ("3", "a")):
        after = cell_after(cell, DisplayShown(C1, RichData({"text/plain": data}), name))
        assert after is not None
        cell = after
    shown = [one.bundle for one in cell.live if isinstance(one, RichData)]
    assert [(one["text/plain"], one[NAMED]) for one in shown] == [("3", "a"), ("2", "b")]
    cleared = cell_after(cell, OutputCleared(C1))
    assert cleared is not None
    assert cleared.live == ()


def test_so_many_outputs_are_kept() -> None:
    cell = running()
    for _ in range(MOST_SHOWN + 5):
        after = cell_after(cell, DisplayShown(C1, RichData({"text/plain": "x"})))
        assert after is not None
        cell = after
    assert len(cell.live) == MOST_SHOWN


def test_a_cell_is_found_where_it_stands() -> None:
    cell = running()
    call = CallItem(turn=TurnId("t1"), name="run_code", cell=cell)
    assert shown_in(call) is cell
    assert shown_in(None) is None
    assert is_open(call)
    (started,) = (
        one.event for one in given(*READY, c.RunCell("1")).envelopes() if type(one.event) in CELLS
    )
    assert cell_of(started) == "c1"
