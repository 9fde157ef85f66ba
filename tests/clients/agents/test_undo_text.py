"""What was taken back is said in few words, however much it is."""

import pytest

from hearth.clients.agents.undo_text import (
    CHOSEN,
    brought_back,
    cells_said,
    left,
    not_kept,
    sized,
    taken_back,
)
from hearth.core.vocabulary.undoing import UndoFor


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([], ""),
        (["c3"], "c3"),
        (["c3", "c4"], "c3 and c4"),
        (["c3", "c4", "c5"], "c3 to c5"),
        (["c3", "c4", "c5", "c9", "c12", "c14"], "c3 to c5, c9, c12 and c14"),
        (["c9", "c10", "c11"], "c9 to c11"),
        (["x\n", "y"], "x<U+000A> and y"),
    ],
)
def test_cells_that_follow_each_other_are_one(cells: list[str], said: str) -> None:
    assert cells_said(cells) == said


def test_one_and_several_are_told_apart() -> None:
    assert taken_back(["c1"]) == "c1 was taken back"
    assert taken_back(["c1", "c2"]) == "c1 and c2 were taken back"
    assert brought_back(["c1"]) == "c1 is there again; nothing was run again"
    assert brought_back(["c1", "c2"]) == "c1 and c2 are there again; nothing was run again"


def test_what_is_left_is_said_with_what_it_takes() -> None:
    assert left({}) == "nothing more can be taken back"
    assert left({"cells": ["c1"]}) == "can still be taken back: c1"
    kept = {"cells": ["c1", "c2"], "size": 3 * 1024 * 1024}
    assert left(kept) == "can still be taken back: c1 and c2 (3 MB of copies)"


def test_sizes_are_for_people() -> None:
    sizes = [sized(one) for one in (0, 1, 2048, 5 << 20, 3 << 30)]
    assert sizes == ["0 KB", "1 KB", "2 KB", "5 MB", "3.0 GB"]


def test_why_a_cell_cannot_be_taken_back_names_every_obstacle() -> None:
    said = not_kept("c7", ["thread `t` runs", "a socket is open"])
    assert said == "c7 cannot be taken back: thread `t` runs; a socket is open"
    assert not_kept("c7", []) == "c7 cannot be taken back: no copy could be made"


def test_every_choice_has_its_sentence() -> None:
    assert set(CHOSEN) == {one.value for one in UndoFor}
