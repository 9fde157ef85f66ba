"""What happened to a session beside its cells, in a line."""

import pytest
from tests.contracts.words import members
from tests.samples.examples import example

from hearth.core.views.transcript_notices import notice_of
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, UndoFor

C1, C2 = CellId("c1"), CellId("c2")
FORK = SessionId("s2")


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (e.SessionReady(), "interpreter ready"),
        (e.SessionRenamed("loom"), "renamed to loom"),
        (e.UndoChosen(UndoFor.NOBODY), "no cells can be taken back from now on"),
        (e.UndoChosen(UndoFor.AGENTS), "cells of agents can be taken back from now on"),
        (e.CellsUndone((C1, C2)), "took back c1, c2"),
        (e.CellsRedone((C1,)), "brought back c1"),
        (e.UndoFailed("the copy has ended"), "nothing was taken back: the copy has ended"),
        (e.SessionForked(FORK, ForkHow.NEW), "forked to s2, with a new interpreter"),
        (
            e.SessionForked(FORK, ForkHow.REPLAY, name="night"),
            "forked to night (s2), with the cells run again",
        ),
        (
            e.SessionForked(FORK, ForkHow.COPY, "a file was closed"),
            "forked to s2, with a copy of the interpreter (a file was closed)",
        ),
        (
            e.ForkFailed(FORK, "it cannot be copied: a thread; a socket", ("a thread", "a socket")),
            "no fork: it cannot be copied: a thread; a socket",
        ),
        (
            e.ForkFailed(FORK, "no copy: a thread", ("a thread",), ("end it", "replay it")),
            "no fork: no copy: a thread (end it; replay it)",
        ),
        (e.SessionReturned(BlockId("b7")), "returned to b7"),
        (
            e.SessionReturned(BlockId("b7"), problems=("a.py is another", "c2 failed")),
            "returned to b7 (a.py is another; c2 failed)",
        ),
        (e.SessionReturned(BlockId("")), "took the last return back"),
        (e.ReturnFailed("no git"), "did not return: no git"),
    ],
)
def test_each_is_told_in_a_line(event: e.Event, said: str) -> None:
    assert notice_of(event) == said


@pytest.mark.parametrize(
    "event", [e.UndoRequested((C1,)), e.ReturnPreviewed(3), e.CellStarted(C1, "")]
)
def test_what_is_only_asked_for_or_shown_elsewhere_has_none(event: e.Event) -> None:
    assert notice_of(event) == ""


@pytest.mark.parametrize("word", members(e.Event), ids=lambda one: one.__name__)
def test_whatever_happens_something_can_be_said_or_nothing(word: type[e.Event]) -> None:
    sample = example(word)
    assert isinstance(sample, word)
    assert "\n" not in notice_of(sample)
