"""Blocks: every one survives the wire, and tokens add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.blocks import Block, Usage
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("DP-LOG-02", "DL-EVT-04")
@pytest.mark.parametrize("word", members(Block), ids=tag_of)
@given(data=st.data())
def test_a_block_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Block)


@pytest.mark.promise("DP-LOG-02")
def test_the_kinds_of_blocks_are_a_closed_set() -> None:
    assert [tag_of(one) for one in members(Block)] == [
        "text_block",
        "thinking_block",
        "tool_call_block",
        "tool_result_block",
        "error_block",
        "notice_block",
    ]


def test_all_input_is_what_was_read_what_was_written_and_what_was_fresh() -> None:
    used = Usage(1, 20, 300, 4000)
    assert used.input == 321
    assert used + Usage(1, 1, 1, 1) == Usage(2, 21, 301, 4001)
