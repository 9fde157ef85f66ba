"""What is being written, put together from pieces however they come."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st

from hearth.core.views.open_blocks import (
    MOST_CHARACTERS,
    MOST_OPEN,
    OpenBlock,
    OpenKind,
    heard,
    without_first,
    without_step,
)
from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.progress import (
    Progress,
    StoreWarning,
    TextDelta,
    ThinkingDelta,
    ToolCallForming,
)

T1 = TurnId("t1")


def put_together(*pieces: Progress) -> tuple[OpenBlock, ...]:
    blocks: tuple[OpenBlock, ...] = ()
    for piece in pieces:
        blocks = heard(blocks, piece)
    return blocks


def delta(place: int, offset: int, text: str, step: int = 0) -> TextDelta:
    return TextDelta(T1, step, place, offset, text)


@pytest.mark.promise("DP-RED-02", "DP-RED-08")
def test_each_place_is_a_block_of_its_own_kind_in_the_order_of_the_answer() -> None:
    blocks = put_together(
        ThinkingDelta(T1, 0, 0, 0, "hm"),
        delta(1, 0, "I "),
        delta(1, 2, "see"),
        ThinkingDelta(T1, 0, 2, 0, "so"),
        ToolCallForming(T1, 0, 3, "run_code"),
        ThinkingDelta(T1, 0, 4, 0, "then"),
        delta(5, 0, "done"),
    )
    assert [(one.kind, one.text or one.name) for one in blocks] == [
        (OpenKind.THINKING, "hm"),
        (OpenKind.TEXT, "I see"),
        (OpenKind.THINKING, "so"),
        (OpenKind.CALL, "run_code"),
        (OpenKind.THINKING, "then"),
        (OpenKind.TEXT, "done"),
    ]


@whenever(st.lists(st.text(max_size=4), max_size=8), st.data())
def test_pieces_that_come_again_change_nothing(texts: list[str], data: st.DataObject) -> None:
    whole, pieces = "", []
    for one in texts:
        pieces.append(delta(0, len(whole), one))
        whole += one
    again: list[Progress] = []
    for number, piece in enumerate(pieces, start=1):
        again.append(piece)
        again += data.draw(st.lists(st.sampled_from(pieces[:number]), max_size=3))
    assert put_together(*again) == put_together(*pieces)
    assert "".join(one.text for one in put_together(*again)) == whole


def test_behind_a_gap_the_block_says_from_where_on_it_is_known() -> None:
    (block,) = put_together(delta(0, 0, "abc"), delta(0, 10, "xyz"))
    assert (block.text, block.start, block.end) == ("xyz", 10, 13)
    (late,) = put_together(delta(0, 7, "later"))
    assert (late.text, late.start) == ("later", 7)


def test_a_piece_that_overlaps_adds_what_is_new_of_it() -> None:
    (block,) = put_together(delta(0, 0, "abcd"), delta(0, 2, "cdef"))
    assert block.text == "abcdef"


def test_what_is_kept_is_bounded_and_the_oldest_goes() -> None:
    (block,) = put_together(delta(0, 0, "a" * MOST_CHARACTERS), delta(0, MOST_CHARACTERS, "end"))
    assert (len(block.text), block.start) == (MOST_CHARACTERS, 3)
    assert block.text.endswith("end")
    many = put_together(*(delta(place, 0, "x") for place in range(MOST_OPEN + 5)))
    assert (len(many), many[0].place) == (MOST_OPEN, 5)


def test_what_is_no_part_of_an_answer_changes_nothing() -> None:
    blocks = put_together(delta(0, 0, "x"))
    assert heard(blocks, StoreWarning(1, "down")) is blocks


def test_blocks_go_one_by_one_when_they_are_sealed_and_all_when_the_step_is_over() -> None:
    blocks = put_together(delta(0, 0, "a"), delta(1, 0, "b"), delta(0, 0, "c", step=1))
    assert [one.text for one in without_first(blocks, T1, 0)] == ["b", "c"]
    assert [one.text for one in without_first(blocks, T1, 1)] == ["a", "b"]
    assert [one.text for one in without_step(blocks, T1, 0)] == ["c"]
    assert without_first(blocks, TurnId("t2"), 0) == blocks
