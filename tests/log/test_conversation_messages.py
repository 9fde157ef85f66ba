"""Blocks as messages, and messages as blocks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.blocks import (
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
)
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import CallId
from hearth.log.conversation_messages import (
    assistant_message,
    parts_of,
    result_block,
    result_message,
    said_text,
    usage_of,
    user_message,
    whole,
    written_block,
)

MODEL = "anthropic:claude-sonnet-4-5"
texts = st.text(max_size=20)


def written_blocks(content: Any, model: str) -> list[TextBlock | ThinkingBlock | ToolCallBlock]:
    return [written_block(part, model) for part in parts_of(content)]


def written() -> st.SearchStrategy[TextBlock | ThinkingBlock | ToolCallBlock]:
    calls = st.builds(
        lambda name, said, wire: ToolCallBlock(CallId(wire), name, said, wire),
        texts,
        st.one_of(texts, st.sampled_from(['{"a":1}', '{ "a": 1 }', "{}", "null", '{"a":1,"a":2}'])),
        st.text("abc123", min_size=1, max_size=8),
    )
    thought = st.builds(ThinkingBlock, texts, texts, st.just(MODEL))
    return st.one_of(st.builds(TextBlock, texts), thought, calls)


@pytest.mark.promise("DP-LOG-09", "DL-EVT-04")
@given(st.lists(written(), max_size=6), st.builds(Usage, *[st.integers(0, 9)] * 4))
def test_what_a_model_wrote_comes_back_to_the_byte(
    blocks: list[TextBlock | ThinkingBlock | ToolCallBlock], usage: Usage
) -> None:
    message = assistant_message(blocks, MODEL, usage, "end")
    assert written_blocks(message["content"], MODEL) == blocks
    assert usage_of(message) == usage
    assert message["stopReason"] == "end"


@given(texts, st.integers(0, 1), texts, st.lists(texts, max_size=2))
def test_what_a_tool_returned_comes_back(
    result: str, wrong: int, spilled: str, files: list[str]
) -> None:
    block = ToolResultBlock(CallId("k1"), "look", result, bool(wrong), spilled, tuple(files))
    message = result_message(block, "w1")
    assert message["toolCallId"] == "w1"
    assert result_block(message, CallId("k1"), "") == block


def test_what_others_write_without_our_fields_is_understood() -> None:
    assert said_text("plain") == "plain"
    assert said_text([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]) == "a\nb"
    assert said_text([{"type": "image"}]) == "[image that hearth does not keep]"
    assert said_text(None) == ""
    assert written_blocks("plain", MODEL) == [TextBlock("plain")]
    assert written_blocks("", MODEL) == written_blocks(None, MODEL) == []
    signed: list[Any] = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    assert written_blocks(signed, MODEL) == [
        ThinkingBlock("hm", '{"type":"thinking","thinking":"hm","signature":"s"}', MODEL)
    ]
    assert written_blocks([{"type": "thinking", "thinking": "hm"}], MODEL) == [ThinkingBlock("hm")]
    assert written_blocks([{"type": "tool_call", "id": "w", "name": "look"}], MODEL) == [
        ToolCallBlock(CallId("w"), "look", "{}", "w")
    ]
    assert written_blocks([{"type": "odd"}, 3], MODEL) == [
        TextBlock("[odd that hearth does not keep]")
    ]
    assert result_block({"output": [{"type": "text", "text": "x"}]}, CallId("k1"), "look") == (
        ToolResultBlock(CallId("k1"), "look", "x")
    )


def test_what_is_missing_or_odd_counts_as_nothing() -> None:
    assert usage_of({}) == usage_of({"usage": "much"}) == Usage()
    assert usage_of({"usage": {"inputTokens": True, "outputTokens": -3}}) == Usage()
    odd = {"output": "x", "hearth": {"files": 3}}
    assert result_block(odd, CallId("k1"), "look") == ToolResultBlock(CallId("k1"), "look", "x")


def test_a_text_that_is_kept_elsewhere_is_told_by_how_it_begins() -> None:
    assert whole(Blob("0" * 64, 9, head="begins")) == "begins"
    assert user_message("x") == {"role": "user", "content": "x"}
