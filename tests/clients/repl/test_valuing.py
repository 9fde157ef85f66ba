"""What is long is bounded, and says how to see all of it."""

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Picture, Words
from hearth.clients.repl.valuing import (
    MOST_CHARACTERS,
    MOST_LINES,
    bounded,
    code_of,
    object_of,
    value_of,
)
from hearth.core.vocabulary.content import Blob, RichData
from hearth.core.vocabulary.events import CellFinished
from hearth.core.vocabulary.ids import CellId

C = CellId("c1")
PLAIN = Paint(drawings=False)


def test_only_what_is_too_long_is_cut() -> None:
    fits = "\n".join(["x"] * MOST_LINES)
    assert bounded(fits, C, PLAIN) == fits
    assert bounded(f"{fits}\ny\nz", C, PLAIN) == f"{fits}\n... 2 more lines; .show c1 shows all"
    wide = "x" * MOST_CHARACTERS
    assert bounded(wide, C, PLAIN) == wide
    assert bounded(f"{wide}yz", C, PLAIN) == (f"{wide}\n... 2 more characters; .show c1 shows all")


def test_a_cut_leaves_no_colour_behind() -> None:
    text = "\x1b[31m" + "x" * MOST_CHARACTERS * 2
    first, _ = bounded(text, C, Paint(colour=True)).split("\n")
    assert first.endswith("\x1b[0m")


def test_code_is_shown_to_the_byte() -> None:
    code = "if x:\n\ty = 1\n    # ünïcode"
    assert code_of(C, "bot (agent, mcp)", code, PLAIN).text == f"-- c1  bot (agent, mcp) --\n{code}"
    apart = code_of(C, "bot", Blob("ab", 9, head="beg"), PLAIN).text
    assert apart == "-- c1  bot --\nbeg\n... there is more; .show c1 shows all"


def test_a_value_has_its_type_beside_it_where_there_is_room() -> None:
    assert value_of(C, CellFinished(C, 0.1, "2", "int"), PLAIN) == [Words("2  # int")]
    assert value_of(C, CellFinished(C, 0.1, "a\nb", "T"), PLAIN) == [Words("a\nb")]
    without = PLAIN._replace(notes=False)
    assert value_of(C, CellFinished(C, 0.1, "2", "int"), without) == [Words("2")]
    assert value_of(C, CellFinished(C, 0.1), PLAIN) == []


def test_a_result_is_shown_in_its_best_form() -> None:
    figure = RichData({"image/png": "AAAA", "text/plain": "<Figure>"}, is_result=True)
    shown = value_of(C, CellFinished(C, 0.1, "<Figure>", "Figure", (figure,)), PLAIN)
    assert shown == [Picture("image/png", "AAAA", "c1-result")]
    text = RichData({"text/markdown": "# Hi", "text/plain": "<Markdown>"}, is_result=True)
    shown = value_of(C, CellFinished(C, 0.1, "<Markdown>", "Markdown", (text,)), PLAIN)
    assert shown == [Words("# Hi")]
    assert object_of(C, RichData({"text/plain": "1"}), "c1-1", PLAIN) == Words("1")
