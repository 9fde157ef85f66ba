"""Events of a conversation in one line."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from hearth.clients.cli.describing_turns import PLAIN, described_turn
from hearth.core.vocabulary.turns import TurnEvent

SAMPLES = Path(__file__).parents[2] / "samples" / "events"
KINDS = sorted(str(word.__struct_config__.tag) for word in get_args(TurnEvent))


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_of_a_conversation_has_words(kind: str) -> None:
    found = described_turn(kind, json.loads((SAMPLES / f"{kind}.json").read_text("utf-8")))
    assert found
    assert "None" not in found
    assert "{" not in found or kind == "block_sealed"


def test_only_events_that_exist_are_described() -> None:
    assert set(PLAIN) <= set(KINDS)
    assert described_turn("cell_started", {"cell": "c1"}) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"type": "text_block", "text": "hello"}, "b7 assistant: hello"),
        (
            {"type": "text_block", "text": {"sha256": "x", "size": 9, "head": "begins"}},
            "b7 assistant: begins",
        ),
        ({"type": "thinking_block", "text": "hm"}, "b7 assistant: thinks: hm"),
        (
            {"type": "tool_call_block", "name": "run_code", "arguments": '{"code": "1"}'},
            "b7 assistant: run_code  1",
        ),
        (
            {"type": "tool_result_block", "name": "run_code", "result": "2"},
            "b7 assistant: run_code → 1 line: 2",
        ),
        ({"type": "error_block", "message": "no key"}, "b7 assistant: no key"),
        ({"type": "notice_block", "text": "cancelled"}, "b7 assistant: cancelled"),
    ],
)
def test_a_block_says_whose_it_is_and_how_it_begins(content: dict[str, Any], said: str) -> None:
    event = {"block": "b7", "role": "assistant", "content": content}
    assert described_turn("block_sealed", event) == said


def test_the_end_of_a_turn_says_how_and_what_it_took() -> None:
    usage = {"fresh": 1, "cache_read": 2, "cache_write": 3, "output": 4}
    event = {"turn": "t1", "end": "failed", "why": "no key", "usage": usage}
    assert described_turn("turn_finished", event) == "t1 failed: no key, 6 tokens in, 4 out"
    assert described_turn("turn_finished", {"turn": "t1", "end": "done"}) == (
        "t1 done, 0 tokens in, 0 out"
    )
