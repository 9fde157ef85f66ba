"""What was run, how it stands and what it came to."""

from typing import Any

from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import LOOK, SESSION, entry

from hearth.core.views.transcript import CellStanding
from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.undoing import VariantResult
from hearth.servers.dashboard.html import div
from hearth.servers.dashboard.rendering.results import (
    CameTo,
    came_to,
    piece,
    shown_code,
    standing_mark,
)
from hearth.servers.dashboard.rendering.rich import Kept


def told(ran: CameTo) -> str:
    made = came_to(ran, "x", Kept(SESSION))
    assert len({one.id for one in made}) == len(made)
    return looked_at(div(*(one.html for one in made), id_="x"), "x").text


def test_everything_that_it_came_to_is_shown() -> None:
    failure = CodeRaised("NameError", "no f")
    text = told(CameTo((StreamText("stdout", "hello"),), "42", "int", failure, 2000))
    for part in ("hello", "42", "NameError", "no f", "2.0 kB of output"):
        assert part in text


def test_a_result_is_not_told_twice_and_none_is_no_result() -> None:
    shown = RichData({"text/plain": "42"}, is_result=True)
    assert told(CameTo((shown,), "42", "int")).count("42") == 1
    assert told(CameTo((), "None", "NoneType")) == ""


def test_cells_and_variants_came_to_the_same() -> None:
    ran: dict[str, Any] = {"value": "1", "value_type": "int", "dropped": 3}
    assert CameTo.of(VariantResult(**ran)) == CameTo.of(entry(**ran))


def test_code_is_shown_unless_there_is_none_and_a_standing_is_a_word() -> None:
    assert "code" in str(shown_code("x = 1", LOOK))
    assert shown_code("", LOOK) is None
    for standing in CellStanding:
        assert standing.value in standing_mark(standing)
    assert "known in part" in standing_mark(None)
    assert piece("a", None).html == '<div id="a"></div>'
