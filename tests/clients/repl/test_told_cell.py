"""A cell is told as it goes on: each thing that it shows once, in order, and what it came to."""

import pytest
from tests.clients.repl.telling_of import text

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Picture
from hearth.clients.repl.told_cell import ToldCell
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary.content import Blob, RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId

C = CellId("c1")


def a_cell(*, is_mine: bool = True) -> ToldCell:
    return ToldCell(C, Paint(), is_mine=is_mine)


@pytest.fixture
def cell() -> ToldCell:
    return a_cell()


def printed(cell: ToldCell, said: str, stream: str = "stdout") -> str:
    return text(cell.prints(stream, said))


def test_what_is_drawn_anew_in_place_is_live_until_something_is_written(cell: ToldCell) -> None:
    assert cell.live == ""
    cell.displays(p.DisplayShown(C, RichData({"text/plain": "20 %\nof it"}), "bar"))
    assert cell.live == "", "it stands above already"
    cell.displays(p.DisplayShown(C, RichData({"text/plain": "40 %\nof it"}), "bar"))
    assert cell.live == "40 %"
    printed(cell, "half a line")
    assert cell.live == "half a line"
    cell.clears()
    assert cell.live == "40 %"


def test_only_what_others_run_has_its_output_set_apart() -> None:
    assert a_cell().is_divided
    assert not a_cell(is_mine=False).is_divided


def test_what_was_not_heard_live_is_told_at_the_end(cell: ToldCell) -> None:
    printed(cell, "one\n")
    outputs = (
        StreamText("stdout", "one\ntwo\n"),
        StreamText("stderr", "oops\n"),
        RichData({"text/plain": "a picture of sorts"}),
    )
    shown = text(cell.closed(e.CellFinished(C, 0.1, outputs=outputs)))
    assert shown == "two\noops\na picture of sorts"


def test_what_was_heard_live_is_not_told_again(cell: ToldCell) -> None:
    printed(cell, "10 %\r90 %\r")
    printed(cell, "oops\n", "stderr")
    display = RichData({"text/plain": "table"})
    assert text(cell.displays(p.DisplayShown(C, display))) == "table"
    # What is kept may have been tidied up meanwhile.
    outputs = (StreamText("stdout", "90 %"), StreamText("stderr", "oops\n"), display)
    assert text(cell.closed(e.CellFinished(C, 0.1, outputs=outputs))) == ""


def test_an_unfinished_line_is_told_before_what_comes_after_it(cell: ToldCell) -> None:
    assert printed(cell, "half") == ""
    assert printed(cell, "oops\n", "stderr") == "half\noops"
    assert printed(cell, "end") == ""
    failed = e.CellFailed(C, CodeRaised("E", "no", "trace\nE: no"))
    assert text(cell.closed(failed)) == "end\ntrace\nE: no"


def test_what_is_updated_in_place_is_told_at_first_and_in_the_end(cell: ToldCell) -> None:
    bars = [RichData({"text/plain": f"{n} %"}) for n in (10, 50, 100)]
    shown = [text(cell.displays(p.DisplayShown(C, bar, "d1"))) for bar in bars]
    assert shown == ["10 %", "", ""]
    assert cell.live == "100 %"
    assert text(cell.closed(e.CellFinished(C, 0.1, outputs=(bars[-1],)))) == "100 %"


def test_pictures_are_pieces_of_their_own_and_html_is_never_more_than_text(cell: ToldCell) -> None:
    page = RichData({"text/html": "<script>alert(1)</script>"})
    assert text(cell.displays(p.DisplayShown(C, page))) == "<text/html>"
    plot = RichData({"image/png": "AAAA", "text/plain": "<Figure>"}, is_result=True)
    pieces = cell.closed(e.CellFinished(C, 0.1, "<Figure>", "Figure", (page, plot)))
    assert pieces == [Picture("image/png", "AAAA", "c1-result")]


def test_no_value_is_told_for_none_and_no_type_beside_many_lines(cell: ToldCell) -> None:
    assert cell.closed(e.CellFinished(C, 0.1, "None", "NoneType")) == []
    cell = a_cell()
    table = "   a  b\n0  1  2"
    assert text(cell.closed(e.CellFinished(C, 0.1, table, "DataFrame"))) == table


def test_a_value_that_is_kept_apart_says_how_to_see_it(cell: ToldCell) -> None:
    value = Blob("ab", 100_000, head="yyy")
    shown = text(cell.closed(e.CellFinished(C, 0.1, value, "str")))
    assert shown.startswith("yyy\n")
    assert ".show c1 shows all" in shown


def test_output_that_is_kept_apart_says_how_to_see_it(cell: ToldCell) -> None:
    shown = text(cell.closed(e.CellFinished(C, 0.1, outputs=Blob("ab", 1), dropped=7)))
    assert ".show c1 shows all" in shown
    assert "7 bytes of output were too many to be kept" in shown


def test_what_was_taken_back_with_a_failure_is_said() -> None:
    failed = e.CellFailed(C, CodeRaised("E", "no"), 0.1, undone=True)
    assert text(a_cell().closed(failed)).endswith("what it did to the interpreter was taken back")
    theirs = text(a_cell(is_mine=False).closed(failed))
    assert "c1 failed after 0.1 s; what it did to the interpreter was taken back" in theirs
    cancelled = e.CellCancelled(C, 0.1, undone=True)
    assert text(a_cell().closed(cancelled)) == (
        "cancelled after 0.1 s; what it did to the interpreter was taken back"
    )
