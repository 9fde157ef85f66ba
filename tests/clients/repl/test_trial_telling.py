"""A trial is told side by side, with how one of them is kept."""

from tests.clients.repl.telling_of import MINE, THEIRS, text, told

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Words
from hearth.clients.repl.trial_telling import TrialTeller
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import VariantResult

C4 = CellId("c4")
RESULTS = (
    VariantResult(0.012, "3", "int", names=("x",)),
    VariantResult(0.5, failure=CodeRaised("ValueError", "no")),
)


def test_what_came_of_each_stands_beside_the_others() -> None:
    teller = TrialTeller(Paint())
    teller.begun(C4, ("x = 3; x", "f()"))
    ended = e.TrialEnded(C4, RESULTS)
    pieces = teller.ended(ended, told(ended, MINE), is_mine=True)
    assert text(pieces).split("\n") == [
        "── c4 tried ──",
        "1  ok in 12 ms · sets x                | 2  failed after 0.5 s",
        "x = 3; x                               | f()",
        "3  # int                               | ValueError: no",
        ".keep N makes one the session, .keep 0 none",
    ]
    assert [piece.is_aside for piece in pieces if isinstance(piece, Words)] == [False, True]


def test_somebody_elses_says_whose_it_is() -> None:
    ended = e.TrialEnded(C4, RESULTS)
    shown = text(TrialTeller(Paint()).ended(ended, told(ended, THEIRS), is_mine=False))
    assert "── c4 tried  bot (agent, mcp) ──" in shown
    assert "f()" not in shown  # nobody told its code


def test_why_nothing_was_tried_is_said() -> None:
    ended = e.TrialEnded(C4, problem="thread `w` runs\nstill")
    (piece,) = TrialTeller(Paint()).ended(ended, told(ended, MINE), is_mine=True)
    assert isinstance(piece, Words)
    assert piece.text == "nothing was tried: thread `w` runs<U+000A>still"
    assert piece.is_aside


def test_the_columns_are_those_of_the_terminal_as_it_is_by_then() -> None:
    width = 80
    teller = TrialTeller(Paint(), lambda: width)
    ended = e.TrialEnded(C4, RESULTS)
    assert " | 2  failed" in text(teller.ended(ended, told(ended, MINE), is_mine=True))
    width = 40
    shown = text(teller.ended(ended, told(ended, MINE), is_mine=True))
    assert " | " not in shown
    assert "\n2  failed after 0.5 s\n" in shown
