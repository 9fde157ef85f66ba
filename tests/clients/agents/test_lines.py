"""Long things are folded, and say so."""

from typing import TYPE_CHECKING

from hearth.clients.agents.lines import DIM, PLAIN, folded, shortened

if TYPE_CHECKING:  # it is there for the checker alone
    from hearth.clients.agents.lines import Line


def test_what_is_left_out_is_counted_and_it_is_said_how_to_see_it() -> None:
    lines: list[Line] = [(PLAIN, str(one)) for one in range(10)]
    assert folded(lines, 3, "v shows all") == [*lines[:3], (DIM, "… 7 more lines; v shows all")]
    assert folded(lines, 3, "")[-1] == (DIM, "… 7 more lines")
    assert folded(lines, 10, "v") == lines


def test_one_line_more_is_shown_instead_of_counted() -> None:
    lines: list[Line] = [(PLAIN, str(one)) for one in range(4)]
    assert folded(lines, 3, "v") == lines


def test_a_long_line_shows_that_it_goes_on() -> None:
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"
