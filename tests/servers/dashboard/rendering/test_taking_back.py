"""What was taken back is said in words, and what can be has a button."""

from dataclasses import replace

from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import LOOK, call, cell, entry, shown

from hearth.core.vocabulary.ids import CellId
from hearth.servers.dashboard.rendering.taking_back import (
    MOST_OBSTACLES,
    not_kept,
    obstacles,
    undo_button,
    undone_mark,
)

UNDOABLE = replace(LOOK, undoable=frozenset({CellId("c3")}))


def test_a_cell_that_was_taken_back_says_so_to_eyes_and_ears() -> None:
    html = shown(cell(undone=True))
    assert "taken back" in looked_at(html).text
    assert "is-undone" in html
    assert 'aria-label="cell c3, finished, taken back"' in html
    assert "taken back" not in shown(cell())
    assert undone_mark(entry()) is None


def test_a_cell_of_the_agent_says_it_inside_of_its_call() -> None:
    assert "taken back" in shown(call(cell=cell(undone=True)))
    assert "undo_cells" in shown(call(cell=cell()), UNDOABLE)


def test_only_what_can_be_taken_back_has_the_button() -> None:
    html = shown(cell(), UNDOABLE)
    assert "Undo to here: take back c3 and all after it" in looked_at(html).text
    assert "&quot;cell&quot;:&quot;c3&quot;" in html
    assert undo_button(entry(), LOOK) is None


def test_what_cannot_be_taken_back_says_so_with_every_obstacle() -> None:
    html = shown(cell(obstacles=("a thread <b> runs", "a socket is open")))
    text = looked_at(html).text
    assert "This cell cannot be taken back" in text
    assert "a thread <b> runs" in text
    assert "a socket is open" in text
    assert not_kept(entry()) is None


def test_too_many_obstacles_are_counted() -> None:
    many = tuple(f"thread {number}" for number in range(MOST_OBSTACLES + 3))
    assert "… and 3 more" in obstacles(many)
    assert "more" not in obstacles(many[:MOST_OBSTACLES])
