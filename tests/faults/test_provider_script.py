"""A script says what to answer, as Python and as JSON alike."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.script import (
    Call,
    Cut,
    Json,
    NoReplyLeft,
    Overflow,
    Reply,
    Say,
    Script,
    Status,
    Think,
    answers_in,
    bites_of,
    by_step,
    called,
    in_order,
    place_in,
    read_script,
    tokens_of,
)

ONE, TWO = Reply((Say("one"),), repeat=2), Reply((Say("two"),))
CHAT: Json = {"messages": [{"role": "user"}, {"role": "assistant"}, {"role": "tool"}]}


def test_replies_come_in_their_order() -> None:
    choose = in_order([ONE, TWO])
    assert [choose(CHAT, number)[1] for number in range(3)] == [ONE, ONE, TWO]
    with pytest.raises(NoReplyLeft, match="3 replies, and this is step 3"):
        choose(CHAT, 3)


def test_who_asks_the_same_again_hears_the_same_again() -> None:
    choose = by_step([Reply(), ONE, TWO])
    assert [choose(CHAT, number) for number in (0, 5, 9)] == [(1, ONE)] * 3
    assert choose({"messages": [{"role": "user"}]}, 9) == (0, Reply())


def test_a_function_may_choose() -> None:
    choose = called(lambda request, number: Reply((Say(f"{number} {len(request)}"),)))
    assert choose(CHAT, 4) == (4, Reply((Say("4 1"),)))


@pytest.mark.parametrize(
    ("request_", "count"),
    [
        ({"messages": []}, 0),
        (CHAT, 1),
        ({"messages": [*CHAT["messages"], {"role": "assistant"}, {"role": "assistant"}]}, 2),
        ({"input": [{"role": "user"}, {"type": "reasoning"}, {"type": "function_call"}]}, 1),
        (
            {
                "input": [
                    {"type": "function_call"},
                    {"type": "function_call"},
                    {"type": "function_call_output"},
                    {"role": "assistant", "type": "message"},
                ]
            },
            2,
        ),
    ],
)
def test_answers_are_counted_in_every_dialect(request_: Json, count: int) -> None:
    assert answers_in(request_) == count


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(
        """{"order": "by_step", "replies": [
            {"pieces": [{"type": "think", "text": "Hm."},
                        {"type": "call", "name": "run_code", "arguments": {"code": "1+1"}}],
             "repeat": 20, "fault": {"type": "cut", "at": "Hm", "after": 1}},
            {"fault": {"type": "status", "status": 429, "headers": {"retry-after": "1"}}},
            {"fault": {"type": "overflow"}},
            {"pieces": [{"type": "say", "text": "Two."}], "stop": "length"}
        ]}"""
    )
    script = read_script(tmp_path / "script.json")
    assert script == Script(
        (
            Reply(
                (Think("Hm."), Call("run_code", {"code": "1+1"})),
                repeat=20,
                fault=Cut(1, "Hm"),
            ),
            Reply(fault=Status(429, {"retry-after": "1"})),
            Reply(fault=Overflow()),
            Reply((Say("Two."),), stop="length"),
        ),
        "by_step",
    )
    assert msgspec.json.decode(msgspec.json.encode(script), type=Script) == script
    assert script.chooser()(CHAT, 0)[0] == 1


def test_why_a_model_stopped_follows_from_what_it_wrote() -> None:
    assert Reply((Say("a"),)).stopped == "end"
    assert Reply((Say("a"), Call("b"))).stopped == "tools"
    assert Reply((Call("b"),), stop="length").stopped == "length"


def test_arguments_are_sent_as_they_are() -> None:
    assert Call("a", {"é": [1, 2]}).text == '{"é":[1,2]}'
    assert Call("a", "{not json").text == "{not json"


@given(st.text())
def test_nothing_is_lost_between_tokens(text: str) -> None:
    assert "".join(tokens_of(text)) == text
    assert "".join(bites_of(text)) == text


def test_a_fault_happens_at_a_place() -> None:
    stream = "so é ü".encode()
    assert place_in(stream, Cut(3)) == 3
    assert place_in(stream, Cut(1, "é")) == 4
    with pytest.raises(ValueError, match="not found"):
        place_in(stream, Cut(1, "ö"))
