"""What going back changes is told part by part, before and after."""

from typing import Any

from hearth.clients.agents.lines import DIM, PLAIN, WARNING
from hearth.clients.agents.return_text import (
    REMAINS,
    interpreter,
    previewed,
    went_back,
    would_change,
)

SEEN: dict[str, Any] = {
    "blocks": 4,
    "cells": ["c3", "c4"],
    "how": "copy",
    "changes": [{"path": "a.py", "kind": "changed", "added": 2, "removed": 1}],
    "left_out": 1,
    "problems": ["the interpreter: the\ndisk is full"],
}


def test_each_part_has_its_line() -> None:
    assert previewed(SEEN, "b7") == [
        (PLAIN, "conversation  4 blocks leave it, and stay in a branch"),
        (PLAIN, "interpreter   without c3 and c4, a copy that is kept takes its place"),
        (PLAIN, "files         2 files"),
        (PLAIN, "  changes back  a.py  +2 -1"),
        (DIM, "  … and 1 more"),
        (DIM, REMAINS),
        (WARNING, "not taken back: the interpreter: the<U+000A>disk is full"),
    ]


def test_a_return_that_is_taken_back_says_so() -> None:
    assert previewed({}, "") == [(PLAIN, "conversation  goes on where it was")]
    assert previewed({"blocks": 1}, "b1") == [
        (PLAIN, "conversation  1 block leaves it, and stays in a branch")
    ]


def test_how_an_interpreter_goes_back_is_said() -> None:
    assert interpreter({"cells": ["c1"], "how": "replay"}) == (
        "without c1, rebuilt by running the cells before it again"
    )
    assert interpreter({"how": "new"}) == "it begins anew, empty"


def test_what_was_done_is_one_line_and_what_was_not_another() -> None:
    first, *rest = went_back({**SEEN, "to": "b7"})
    assert first[1] == (
        "the session is back at b7 (interpreter: without c3 and c4, a copy that is kept takes its"
        " place; 2 files), but for this:"
    )
    assert [style for style, _ in rest] == [WARNING]
    assert went_back({"to": ""}) == [(PLAIN, "the session is as it was before going back")]


def test_whether_anything_would_change() -> None:
    assert not would_change({})
    assert not would_change({"problems": ["x"]})
    assert would_change({"left_out": 1})
    assert would_change({"blocks": 1})
