"""What a return has done is told as it was, and what did not go along by what it is of."""

from tests.contracts.scenes import ANN

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.ids import BlockId, CellId, InputId
from hearth.core.vocabulary.undoing import ForkHow, Returned, RewindScope, SessionPart
from hearth.performers.return_account import Account

WISH = fx.ReturnSession(
    3, InputId("i1"), BlockId("b4"), RewindScope(), preview=False, origin=ANN, since=7
)


def test_of_nothing_that_was_done_nothing_is_told() -> None:
    told = Account(WISH).report()
    assert (told.question, told.did) == ("i1", Returned(since=7))
    assert (told.blocks, told.cells, told.how, told.problems) == (0, (), None, ())
    assert not told.failed


def test_what_was_rebuilt_can_be_rebuilt_as_it_was_when_it_was_asked_for() -> None:
    account = Account(WISH)
    account.is_rebuilt, account.how = True, ForkHow.REPLAY
    told = account.report()
    assert (told.how, told.did.version, told.did.undone) == (ForkHow.REPLAY, 7, False)


def test_what_was_taken_back_by_a_copy_is_named() -> None:
    account = Account(WISH)
    account.undone = (CellId("c2"),)
    did = account.report().did
    assert (did.undone, did.cells, did.version) == (True, ("c2",), 0)


def test_what_did_not_go_along_is_told_in_the_words_of_people() -> None:
    account = Account(WISH)
    account.lacks(SessionPart.FILES, "the disk is full")
    account.lacks(SessionPart.INTERPRETER, "a cell is running")
    assert account.report().problems == (
        "the files: the disk is full",
        "the interpreter: a cell is running",
    )
