"""Variables that differ stand side by side, in as much room as there is."""

from typing import Any

from hearth.clients.agents.differing_text import side_by_side, variable
from hearth.clients.agents.lines import DIM, STRONG

XS: dict[str, Any] = {"value_type": "list", "length": 3, "preview": "[1, 2,\n 3]"}
FRAME: dict[str, Any] = {"value_type": "DataFrame", "shape": "(10, 2)", "preview": "a b"}


def test_both_sides_are_shown_with_type_size_and_value() -> None:
    found = [{"name": "df", "here": FRAME}, {"name": "xs", "here": XS, "there": FRAME}]
    assert side_by_side(found, ("here", "shop"), 80) == [
        (STRONG, "name  here                    shop"),
        ("plain", "df    DataFrame[(10, 2)] a b  -"),
        ("plain", "xs    list[3] [1, 2, 3]       DataFrame[(10, 2)] a b"),
    ]


def test_no_line_is_wider_than_the_terminal() -> None:
    big = {"value_type": "str", "length": 999, "preview": "y" * 999}
    found = [{"name": "n" * 100, "here": big, "there": big}]
    for width in (80, 120):
        lines = side_by_side(found, ("t" * 99, "u" * 99), width)
        assert max(len(text) for _, text in lines) <= width


def test_that_nothing_differs_is_said_with_what_that_means() -> None:
    ((style, said),) = side_by_side([], ("a", "b"), 80)
    assert style == DIM
    assert said.startswith("nothing differs, as far as")


def test_what_a_value_says_is_not_obeyed() -> None:
    assert "\x1b" not in variable({"value_type": "str", "preview": "\x1b[2J"}, 40)
    assert variable(None, 40) == "-"
