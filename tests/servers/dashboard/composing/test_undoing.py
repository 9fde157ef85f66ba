"""The menu that takes cells back says what can be, why not, and what copies take."""

import msgspec
import pytest
from tests.contracts.given import READY, RUNNING, Spoken
from tests.contracts.taking import EVERYONE, ONE, TWO, UNDONE
from tests.servers.dashboard.composing.reading import by_id, read, seen

from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.undoing import UndoFor
from hearth.servers.dashboard.composing.head import head
from hearth.servers.dashboard.composing.undoing import WHOSE, held, taking_back


def status(*spoken: Spoken) -> Status:
    return seen(*spoken)[0]


def test_the_newest_that_can_be_taken_back_is_offered_by_its_name() -> None:
    undo, redo = taking_back(status(*TWO))
    assert undo.command == c.UndoCells(cell="c2")  # type: ignore[arg-type] # a cell's id
    assert not undo.why_not
    assert "before c2" in undo.about
    assert redo.why_not == "nothing was taken back since a cell ran"


def test_what_was_taken_back_can_be_brought_back() -> None:
    undo, redo = taking_back(status(*UNDONE))
    assert undo.command == c.UndoCells(cell="c1")  # type: ignore[arg-type] # a cell's id
    assert (redo.command, redo.why_not) == (c.RedoCells(), "")


@pytest.mark.parametrize(
    ("spoken", "why"),
    [
        (READY, "no copy is kept: agents' cells can be taken back"),
        (EVERYONE, "no cell ran yet that can be taken back"),
        (RUNNING, "a cell is running: stop it, or wait for it"),
    ],
)
def test_what_cannot_be_done_says_why(spoken: tuple[Spoken, ...], why: str) -> None:
    assert taking_back(status(*spoken))[0].why_not == why


def test_copies_and_what_they_take_are_told() -> None:
    assert held(status(*READY)) == "No copies are held."
    assert held(status(*ONE)) == "1 copy is held, back to before c1: 4.1 kB."
    assert held(status(*TWO)) == "2 copies are held, back to before c1: 8.2 kB."
    assert held(status(*UNDONE)).endswith("4.1 kB; 1 step can be redone.")


@pytest.mark.parametrize("who", UndoFor)
def test_whose_cells_are_kept_is_chosen_there(who: UndoFor) -> None:
    markup = head(*seen(*EVERYONE))
    button = by_id(markup, f"do-undo-{who.value}")
    assert msgspec.json.decode(button.attributes["data-command"], type=c.ChooseUndo).who is who
    is_on = who is UndoFor.EVERYONE
    assert button.attributes["aria-pressed"] == ("true" if is_on else "false")
    assert WHOSE[who][0] in button.text
    read(markup)
