"""A cell that is told knows what stands in its last line now."""

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.printed import OTHERS, Printed
from hearth.clients.repl.told_cell import ToldCell
from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.ids import CellId


def a_cell(*, is_mine: bool = True) -> ToldCell:
    return ToldCell(CellId("c1"), Printed(OTHERS, colour=False), is_mine=is_mine, is_replay=False)


def test_what_is_drawn_anew_in_place_is_live_until_something_is_written() -> None:
    cell = a_cell()
    assert cell.live(Paint()) == ""
    cell.displays["bar"] = RichData({"text/plain": "40 %\nof it"})
    assert cell.live(Paint()) == "", "it stands above already"
    cell.updated.add("bar")
    assert cell.live(Paint()) == "40 %"
    cell.printed.add("stdout", "half a line")
    assert cell.live(Paint()) == "half a line"


def test_only_what_others_run_has_its_output_set_apart() -> None:
    assert a_cell().is_divided
    assert not a_cell(is_mine=False).is_divided
