"""Lines about agents look as the terminal can show them."""

from hearth.clients.agents.lines import ADDED, DIM, PLACE, PLAIN, REMOVED, STRONG, WARNING
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.styling import styled


def test_every_style_has_its_colour_and_the_text_is_the_same_without() -> None:
    lines = [(style, "x") for style in (PLAIN, STRONG, DIM, WARNING, ADDED, REMOVED, PLACE)]
    assert styled(lines, Paint()) == "\n".join(["  x"] * 7)
    coloured = styled(lines, Paint(colour=True), "").split("\n")
    assert coloured[0] == "x"
    assert len(set(coloured)) == 7
    assert coloured[4] == "\x1b[32mx\x1b[0m"


def test_where_there_is_only_ascii_nothing_else_is_written() -> None:
    assert styled([(DIM, "… 3 more")], Paint(drawings=False)) == "  \\u2026 3 more"
