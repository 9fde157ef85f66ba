"""Whatever happens to an interpreter is told to everybody who is attached, in a line or two."""

from typing import get_args

import pytest
from tests.clients.repl.telling_of import MINE, THEIRS, told

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.undo_noticing import FORKS, no_fork, undo_noticed
from hearth.core.rules.forking import WAYS_OUT, no_block
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, RewindScope, UndoEvent, UndoFor

C1, C2 = CellId("c1"), CellId("c2")
TO = SessionId("session-b")
SAID: list[tuple[UndoEvent, str]] = [
    (e.UndoChosen(UndoFor.EVERYONE), "from now on a copy is kept before every cell"),
    (e.CellNotKept(C1, ("thread `t` runs",)), "c1 cannot be taken back: thread `t` runs"),
    (
        e.CopiesDropped((C1,), why="the copies take too much memory"),
        "c1 can no longer be taken back: the copies take too much memory",
    ),
    (e.UndoRequested((C1,)), ""),
    (
        e.CellsUndone((C1, C2), Copies((C1,), 1 << 20), can_redo=True),
        (
            "c1 and c2 were taken back; .redo brings back what was there\n"
            "can still be taken back: c1 (1 MB of copies)"
        ),
    ),
    (e.CellsRedone((C1,)), "c1 is there again; nothing was run again"),
    (e.UndoFailed("the copy is gone"), "nothing was taken back: the copy is gone"),
    (
        e.TrialStarted(C1, ("a", "b")),
        "c1 tries 2 variants, each in a copy; Ctrl-C stops it",
    ),
    (e.TrialEnded(C1), ""),
    (e.VariantKept(C1, 2, 3), "variant 2 of c1 becomes the session"),
    (e.VariantsDropped(C1, "none was wanted"), "no variant of c1 was kept: none was wanted"),
    (e.ForkRequested(TO), ""),
    (e.SessionForked(TO, ForkHow.COPY), ""),
    (
        e.ForkFailed(TO, "no room"),
        "there is no fork: no room\n  .sessions shows how all of them stand, .stop ends this one",
    ),
    (e.ReturnRequested(BlockId("b7")), ""),
    (e.ReturnPreviewed(3), ""),
    (
        e.SessionReturned(BlockId("b7"), RewindScope(), problems=("files: no git",)),
        (
            "the session is back at b7, but for this:\n  not taken back: files: no git\n"
            ".rewind back undoes it"
        ),
    ),
    (e.SessionReturned(BlockId("")), "the session is as it was before going back"),
    (e.ReturnFailed("nobody can"), "the session stays as it is: nobody can"),
]


@pytest.mark.parametrize(("event", "said"), SAID, ids=lambda one: type(one).__name__)
def test_each_is_told_in_its_words(event: UndoEvent, said: str) -> None:
    assert undo_noticed(event, told(event, MINE), Paint(), is_mine=True) == said


def test_none_is_forgotten() -> None:
    assert {type(event) for event, _ in SAID} == set(get_args(UndoEvent))


def test_what_others_do_says_who_it_was() -> None:
    for event in (e.CellsUndone((C1,)), e.CellsRedone((C1,)), e.VariantKept(C1, 1, 2)):
        said = undo_noticed(event, told(event, THEIRS), Paint(), is_mine=False)
        assert "(bot (agent, mcp))" in said
    forked = e.SessionForked(TO, ForkHow.REPLAY)
    said = undo_noticed(forked, told(forked, THEIRS), Paint(), is_mine=False)
    assert f"session-b was begun from here, {FORKS[ForkHow.REPLAY]}" in said
    named = e.SessionForked(TO, ForkHow.COPY, name="night\x1b[2J")
    said = undo_noticed(named, told(named, THEIRS), Paint(), is_mine=False)
    assert "night<U+001B>[2J (session-b) was begun from here" in said
    assert ".switch session-b goes there" in said
    assert ".switch session-b goes there" in said


def test_every_obstacle_has_a_line_and_the_way_out_comes_last() -> None:
    obstacles = ("thread `t` runs", "a socket is open")
    lines = no_fork(e.ForkFailed(TO, "x", obstacles, WAYS_OUT), Paint()).split("\n")
    assert lines[:3] == [
        "there is no fork: its interpreter cannot be copied",
        "  thread `t` runs",
        "  a socket is open",
    ]
    assert lines[3].startswith("  .branch --replay")
    assert len(lines) == 4


def test_what_would_hinder_every_fork_offers_no_other_kind_of_fork() -> None:
    said = no_fork(e.ForkFailed(TO, "10 sessions are live and the limit is 10"), Paint())
    assert said.startswith("there is no fork: 10 sessions are live and the limit is 10\n  ")
    assert ".stop ends this one" in said
    assert "--replay" not in said


def test_what_helps_is_told_as_it_is_typed_here() -> None:
    why, remedy = no_block(BlockId("b50"), SessionId("session-a"))
    assert no_fork(e.ForkFailed(TO, why, remedy=remedy), Paint()) == (
        "there is no fork: there is no block b50 in its conversation\n"
        "  .conversation and .branches name blocks; "
        "name what was said before it branched off like b17@session-a"
    )
    limit = e.ForkFailed(TO, "full", remedy=("stop_session", "raise the limit in the settings"))
    assert no_fork(limit, Paint()).endswith("\n  .stop ends one; raise the limit in the settings")
