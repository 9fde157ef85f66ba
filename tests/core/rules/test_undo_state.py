"""What is remembered of what can be taken back."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.given import ANNA, BOT, SYSTEM, Spoken, comes_back, given
from tests.contracts.taking import C1, C2, C3, SIZE, TRIED, TWO, UNDOING, UNDONE, copies

from hearth.core.rules.undo_state import MOST_RAN, Ran, UndoState, is_agents, with_copies
from hearth.core.vocabulary.cells import NO_COPIES, Copies
from hearth.core.vocabulary.ids import cell_id
from hearth.core.vocabulary.origin import Actor, Door, Origin

THREE = (Ran(C1, kept=True), Ran(C2), Ran(C3, kept=True))


def test_the_copies_are_those_of_the_cells_that_have_one() -> None:
    assert UndoState().kept == NO_COPIES
    assert UndoState(ran=THREE, size=SIZE).kept == Copies((C1, C3), SIZE)


def test_cells_are_known_as_far_as_copies_go_back() -> None:
    assert with_copies(THREE, copies(C1, C3)) == THREE
    assert with_copies(THREE, copies(C2)) == (Ran(C2, kept=True), Ran(C3))
    assert with_copies(THREE, copies(C3)) == (Ran(C3, kept=True),)
    assert with_copies(THREE, NO_COPIES) == ()
    assert with_copies(THREE, copies(cell_id(99))) == ()


def test_whose_cell_it_was_stays_known() -> None:
    assert with_copies((Ran(C1, by_person=False),), copies(C1)) == (
        Ran(C1, by_person=False, kept=True),
    )


def test_of_very_many_cells_the_newest_are_known() -> None:
    cells = tuple(cell_id(number) for number in range(1, MOST_RAN + 10))
    known = with_copies(tuple(map(Ran, cells)), copies(*cells))
    assert [one.cell for one in known] == list(cells[-MOST_RAN:])


@whenever(
    st.lists(st.integers(1, 30), unique=True).map(sorted), st.lists(st.integers(1, 30), unique=True)
)
def test_what_is_known_begins_with_a_copy_and_keeps_its_order(
    ran: list[int], kept: list[int]
) -> None:
    cells = tuple(Ran(cell_id(one)) for one in ran)
    known = with_copies(cells, copies(*map(cell_id, kept)))
    assert not known or known[0].kept
    assert [one.cell for one in known] == [one.cell for one in cells[len(cells) - len(known) :]]
    assert {one.cell for one in known if one.kept} == {*map(cell_id, set(ran) & set(kept))}


@pytest.mark.parametrize(
    ("origin", "is_one"),
    [
        (ANNA, False),
        (BOT, True),
        (Origin(Actor.MCP_CLIENT, "weaver", Door.MCP), True),
        (Origin(Actor.FILE_WATCHER, "a.py", Door.WATCHER), False),
        (SYSTEM, False),
    ],
)
def test_who_is_an_agent(origin: Origin, *, is_one: bool) -> None:
    assert is_agents(origin) is is_one


@pytest.mark.parametrize("way", [TWO, UNDOING, UNDONE, TRIED])
def test_it_travels_with_a_snapshot(way: tuple[Spoken, ...]) -> None:
    assert comes_back(given(*way).state.undo)
