"""Lines: ranges of the log that lead to the newest block."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.lines import (
    LineFold,
    before,
    behind,
    block_seen_from,
    carry_on,
    covers,
    is_on,
    kept,
    seen_from,
    segments_of,
    up_to,
)
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, TextBlock
from hearth.core.vocabulary.ids import BlockId, SessionId, TurnId, block_id
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.prompting import Effort

X = SessionId("session-x")


def flat(segments: tuple[Segment, ...]) -> list[tuple[str, int]]:
    return [(one.session, v) for one in segments for v in range(one.first, one.last + 1)]


def test_a_line_is_its_ranges_and_then_all_that_follows() -> None:
    assert segments_of(Line((Segment(1, 4),), since=9), 12) == (Segment(1, 4), Segment(9, 12))
    assert segments_of(Line((Segment(1, 4),), since=9), 8) == (Segment(1, 4),)
    assert segments_of(Line(), 3) == (Segment(1, 3),)


def test_ranges_that_meet_are_one_and_those_of_others_stay_apart() -> None:
    assert segments_of(Line((Segment(1, 4),), since=5), 9) == (Segment(1, 9),)
    theirs = Line((Segment(1, 4, X),), since=5)
    assert segments_of(theirs, 9) == (Segment(1, 4, X), Segment(5, 9))


def test_ranges_cover_what_is_on_them_together_whatever_their_order() -> None:
    known = (Segment(7, 9), Segment(1, 4), Segment(5, 6), Segment(10, 12, X))
    assert covers(known, Segment(2, 8))
    assert covers(known, Segment(10, 11, X))
    assert not covers(known, Segment(8, 10))
    assert not covers(known, Segment(1, 2, X))
    assert not covers((), Segment(1, 1))


@given(
    cuts=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=5),
    data=st.data(),
)
def test_before_a_block_the_block_and_behind_it_are_all_of_the_line(
    cuts: list[tuple[int, int]], data: st.DataObject
) -> None:
    segments, at = [], 0
    for gap, length in cuts:
        at += gap + 1
        segments.append(Segment(at, at + length))
        at += length
    line = tuple(segments)
    _, version = data.draw(st.sampled_from(flat(line)))
    block = block_id(version)
    assert is_on(line, block)
    parts = [*flat(before(line, block)), ("", version), *flat(behind(line, block))]
    assert parts == flat(line)
    assert flat(up_to(line, block)) == [*flat(before(line, block)), ("", version)]


def test_a_block_that_is_not_on_a_line_cuts_nothing() -> None:
    line = (Segment(3, 5),)
    for block in (BlockId("b2"), BlockId("b6"), BlockId("b4@session-x"), BlockId("nonsense")):
        assert not is_on(line, block)
        assert before(line, block) == line
        assert up_to(line, block) == line
        assert behind(line, block) == ()


def test_behind_a_summary_stands_what_is_kept_and_then_what_follows() -> None:
    line = Line((Segment(1, 4, X),), since=3, leaf=BlockId("b20"))
    short = kept(line, BlockId("b10"), 21, 20)
    assert short.segments == (Segment(21, 21), Segment(10, 20))
    assert short.since == 22
    assert kept(line, BlockId("b3@session-x"), 21, 20).segments == (
        Segment(21, 21),
        Segment(3, 4, X),
        Segment(3, 20),
    )
    assert kept(line, BlockId(""), 21, 20).segments == (Segment(21, 21),)


def test_a_fork_names_the_ranges_of_its_source() -> None:
    y = SessionId("session-y")
    assert seen_from((Segment(1, 2), Segment(3, 4, y)), X) == (Segment(1, 2, X), Segment(3, 4, y))
    assert block_seen_from(BlockId("b3"), X) == "b3@session-x"
    assert block_seen_from(BlockId("b3@session-y"), X) == "b3@session-y"
    assert block_seen_from(BlockId(""), X) == ""


def said(version: int, role: Role = Role.USER) -> t.BlockSealed:
    return t.BlockSealed(block_id(version), TurnId("t1"), 0, role, TextBlock("x"))


def test_a_line_goes_on_with_every_block_and_knows_the_last_prompt() -> None:
    fold = carry_on(carry_on(LineFold(), said(4)), said(5, Role.ASSISTANT))
    assert (fold.line.leaf, fold.line.prompt) == ("b5", "b4")


def test_a_block_that_has_its_place_on_the_line_does_not_end_it() -> None:
    edited = LineFold(Line((Segment(1, 3), Segment(9, 9), Segment(5, 7)), 10, BlockId("b7")))
    assert carry_on(edited, said(9)).line.leaf == "b7"


@pytest.mark.parametrize("kind", [t.BranchSwitched, t.ConversationForked])
def test_a_branch_brings_its_line_and_its_model(kind: type[t.TurnEvent]) -> None:
    line = Line((Segment(1, 2),), 9, BlockId("b2"))
    event = (
        t.BranchSwitched(line, "branch", "m", Effort.LOW)
        if kind is t.BranchSwitched
        else t.ConversationForked(X, BlockId("b2"), line, "m", Effort.LOW)
    )
    assert carry_on(LineFold(model="other"), event) == LineFold(line, "m", Effort.LOW)


@pytest.mark.promise("DL-CTX-01", "DL-MGR-06")
def test_the_last_change_of_the_model_on_a_line_counts() -> None:
    fold = carry_on(LineFold(), t.ModelChanged("a", Effort.LOW))
    fold = carry_on(carry_on(fold, t.ModelChanged("b")), t.TurnCancelRequested(TurnId("t1")))
    assert (fold.model, fold.effort) == ("b", Effort.LOW)
