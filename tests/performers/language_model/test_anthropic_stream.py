"""Answers of Anthropic's models, as they are documented, cut and broken."""

import re
from itertools import pairwise
from pathlib import Path
from time import process_time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Trouble, Written
from hearth.performers.language_model.anthropic_stream import STOPS, AnthropicReader
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    Heard,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)

FIXTURES = Path(__file__).parent / "fixtures" / "anthropic"
ANSWERED = (
    "thinking",
    "redacted",
    "parallel_calls",
    "refusal",
    "cached",
    "empty_thinking",
    "new_things",
)
SIGNED = (
    "EpMFCkYICRgCKkBTqG5vV0mRr1qkT/0jv7qk3G+Yw0t8kVgZC0hYpUeJ9w==",
    "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds+Hk2QdnC1vT2mHm==",
)
BEGUN = b'event: message_start\ndata: {"type":"message_start","message":{"usage":null}}\n\n'
TEXT = (
    b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
)
STOPPED = b'data: {"type":"content_block_stop","index":0}\n\n'
ENDED = b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
OVER = b'data: {"type":"message_stop"}\n\n'


def stream_of(name: str) -> bytes:
    return (FIXTURES / f"{name}.sse").read_bytes()


def read(*pieces: bytes) -> tuple[list[Heard], Answer]:
    reader = AnthropicReader()
    heard = [one for piece in pieces for one in reader.feed(piece)]
    return heard, reader.finish()


def trouble(*pieces: bytes) -> WireTrouble:
    with pytest.raises(WireTrouble) as caught:
        read(*pieces)
    return caught.value


def delta(index: int, **fields: object) -> bytes:
    value = {"type": "content_block_delta", "index": index, "delta": fields}
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def test_thinking_comes_with_what_must_be_sent_back() -> None:
    heard, answer = read(stream_of("thinking"))
    thought = "Let me add the two; 17 + 25 is 42 … naïve but right."
    assert answer.written == (
        Written(
            thought,
            thinking=True,
            native=f'{{"type":"thinking","thinking":"{thought}","signature":"{SIGNED[1]}"}}',
        ),
        Written("The sum is **42**. 🔥"),
    )
    assert answer.stop is StopReason.END
    assert answer.usage == Usage(fresh=412, output=61)
    assert heard == [
        ThinkingHeard(0, "Let me add the two"),
        ThinkingHeard(0, "; 17 + 25 is 42 … "),
        ThinkingHeard(0, "naïve but right."),
        TextHeard(1, "The sum is **42"),
        TextHeard(1, "**. 🔥"),
    ]


def test_thinking_that_nobody_may_read_is_kept_as_it_is() -> None:
    heard, answer = read(stream_of("redacted"))
    hidden, said, call = answer.written
    assert hidden.thinking
    assert hidden.text == ""
    assert re.fullmatch(r'\{"type":"redacted_thinking","data":"EmwK[^"]+"\}', str(hidden.native))
    assert said == Written("I looked at it.")
    assert call == Written(
        '{"name":"df"}', name="inspect", wire_id="toolu_01T1x1fJ34qAmk2tNTrN7Up6"
    )
    assert heard == [TextHeard(1, "I looked at it."), CallHeard(2, "inspect")]


@pytest.mark.promise("DP-WIRE-08")
def test_thinking_that_is_signed_and_empty_is_kept() -> None:
    heard, answer = read(stream_of("empty_thinking"))
    assert answer.written[0] == Written(
        thinking=True,
        native=f'{{"type":"thinking","thinking":"","signature":"{SIGNED[0]}"}}',
    )
    assert heard == [CallHeard(1, "run_code")]


def test_thinking_without_a_signature_is_for_people_alone() -> None:
    start = (
        b'data: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"thinking","thinking":"so","signature":""}}\n\n'
    )
    heard, answer = read(BEGUN, start, STOPPED, ENDED, OVER)
    assert heard == [ThinkingHeard(0, "so")]
    assert answer.written == (Written("so", thinking=True),)
    _, answer = read(BEGUN, start.replace(b'"so"', b'""'), STOPPED, ENDED, OVER)
    assert answer.written == (), "neither words nor a signature: nothing"


def test_calls_come_in_their_order_with_their_arguments_as_they_were_written() -> None:
    heard, answer = read(stream_of("parallel_calls"))
    calls = [piece for piece in answer.written if piece.name]
    assert [(call.name, call.text, call.wire_id[:9]) for call in calls] == [
        ("run_code", '{"code": "print(\\"hé\\")"}', "toolu_01A"),
        ("run_code", '{"code": "1+1"}', "toolu_01B"),
        ("list_variables", "{}", "toolu_01C"),
    ]
    assert answer.stop is StopReason.TOOLS
    assert [one for one in heard if isinstance(one, CallHeard)] == [
        CallHeard(2, "run_code"),
        CallHeard(3, "run_code"),
        CallHeard(4, "list_variables"),
    ]


def test_arguments_that_come_whole_count_as_well() -> None:
    start = (
        b'data: {"type":"content_block_start","index":0,"content_block":'
        b'{"type":"tool_use","id":"k","name":"n","input":{"a":1}}}\n\n'
    )
    _, answer = read(BEGUN, start, STOPPED, ENDED, OVER)
    assert answer.written == (Written('{"a":1}', name="n", wire_id="k"),)


def test_a_refusal_is_no_end_like_others() -> None:
    _, answer = read(stream_of("refusal"))
    assert answer.stop is StopReason.REFUSAL
    assert answer.written == (Written("I cannot"),)


def test_what_was_read_from_the_cache_and_written_to_it_is_counted_once() -> None:
    _, answer = read(stream_of("cached"))
    assert answer.usage == Usage(fresh=3, cache_read=48_210, cache_write=2_819, output=9)


def test_what_is_new_in_the_protocol_does_no_harm() -> None:
    heard, answer = read(stream_of("new_things"))
    assert answer.written == (Written("Found."),)
    assert answer.stop is StopReason.OTHER
    assert heard == [TextHeard(1, "Found.")]


@pytest.mark.parametrize(("word", "stop"), STOPS.items())
def test_every_way_to_stop_has_its_meaning(word: str, stop: StopReason) -> None:
    ended = ENDED.replace(b"end_turn", word.encode())
    assert read(BEGUN, ended, OVER)[1] == Answer((), stop, Usage())


@pytest.mark.parametrize("name", ANSWERED)
@given(data=st.data())
def test_any_cut_of_the_bytes_gives_the_same_answer(name: str, data: st.DataObject) -> None:
    stream = stream_of(name)
    edges = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    pieces = [stream[a:b] for a, b in pairwise([0, *edges, len(stream)])]
    assert read(*pieces) == read(stream)
    assert read(stream.replace(b"\n", b"\r\n")) == read(stream)


@pytest.mark.parametrize("name", ANSWERED)
def test_a_stream_that_ends_anywhere_before_its_end_is_a_broken_connection(name: str) -> None:
    stream = stream_of(name)
    # The empty line behind the last event is not missed: everything was said.
    for length in range(len(stream) - 2):
        assert trouble(stream[:length]).trouble is Trouble.NETWORK, stream[:length]
    assert read(stream[:-2]) == read(stream)


def test_the_answer_is_there_with_the_last_event_and_stays_whatever_follows() -> None:
    reader = AnthropicReader()
    stream = stream_of("thinking")
    reader.feed(stream[:-1])
    assert reader.answer is None
    reader.feed(stream[-1:])
    answer = reader.answer
    assert answer is not None
    assert reader.feed(b"data: {\n\n") == []
    assert reader.finish() is answer


def test_an_error_in_the_stream_says_what_kind_of_trouble_it_is() -> None:
    error = trouble(stream_of("error"))
    assert error.trouble is Trouble.OVERLOADED
    assert error.message == "Overloaded"
    assert error.status is None
    assert trouble(b'data: {"type":"error"}\n\n').trouble is Trouble.SERVER
    late = b'data: {"type":"error","error":{"type":"rate_limit_error","message":"Slow"}}'
    assert trouble(BEGUN, late).trouble is Trouble.RATE_LIMITED, "also as the last, unended word"


@pytest.mark.parametrize(
    "pieces",
    [
        (b"data: {\n\n",),
        (b"<html>\n\ndata: busy\n\n",),
        (BEGUN, BEGUN),
        (TEXT,),
        (BEGUN, b'data: {"type":"content_block_start","index":0}\n\n'),
        (BEGUN, TEXT, TEXT),
        (BEGUN, TEXT, TEXT.replace(b":0", b":1")),
        (BEGUN, TEXT.replace(b":0", b":1")),
        (BEGUN, TEXT, STOPPED, STOPPED),
        (BEGUN, STOPPED),
        (BEGUN, TEXT, STOPPED, delta(0, type="text_delta", text="late")),
        (BEGUN, delta(0, type="text_delta", text="early")),
        (BEGUN, TEXT, delta(-1, type="text_delta", text="nowhere")),
        (BEGUN, TEXT, delta(0, type="thinking_delta", thinking="where?")),
        (BEGUN, TEXT, delta(0, type="input_json_delta", partial_json="{}")),
        (BEGUN, TEXT, b'data: {"type":"content_block_delta","index":0}\n\n'),
        (BEGUN, TEXT.replace(b'"text","text":""', b'"tool_use","id":"k","name":""'), STOPPED),
        (BEGUN, TEXT.replace(b'"text","text":""', b'"tool_use","name":"n"'), STOPPED),
        (BEGUN, OVER),
        (ENDED, OVER),
        (BEGUN, TEXT, ENDED, OVER),
    ],
)
def test_what_the_protocol_does_not_allow_is_malformed(pieces: tuple[bytes, ...]) -> None:
    assert trouble(*pieces).trouble is Trouble.MALFORMED


def test_what_is_no_stream_at_all_is_shown() -> None:
    page = trouble(b"The quota of this network is used up.\n", b"Ask Bob.\n")
    assert page.trouble is Trouble.MALFORMED
    assert "The quota of this network is used up. Ask Bob." in page.message
    error = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    assert trouble(error).trouble is Trouble.OVERLOADED


@given(st.binary(max_size=200), st.sampled_from(ANSWERED), st.integers(0, 500))
def test_no_bytes_do_more_than_trouble(noise: bytes, name: str, place: int) -> None:
    stream = stream_of(name)
    reader = AnthropicReader()
    assert _met(reader, stream[:place] + noise + stream[place:]) in {
        None,
        Trouble.MALFORMED,
        Trouble.NETWORK,
    }
    assert all(not piece.name for piece in reader.partial())


def _met(reader: AnthropicReader, data: bytes) -> Trouble | None:
    try:
        reader.feed(data)
        reader.finish()
    except WireTrouble as met:
        return met.trouble
    return None


def test_what_was_written_before_it_was_given_up_is_kept_without_calls() -> None:
    stream = stream_of("parallel_calls")
    reader = AnthropicReader()
    assert reader.partial() == ()
    reader.feed(stream[: stream.index(b"partial_json")])
    thought, said = reader.partial()
    assert thought.text == "Two things at once."
    assert SIGNED[0] in str(thought.native)
    assert said == Written("I run both.")


def test_a_signature_that_was_cut_is_not_kept() -> None:
    stream = stream_of("thinking")
    reader = AnthropicReader()
    reader.feed(stream[: stream.index(b"event: content_block_stop")])
    (thought,) = reader.partial()
    assert thought.text
    assert thought.native == ""


def test_reading_a_stream_costs_next_to_nothing() -> None:
    tokens = b"".join(delta(0, type="text_delta", text=f" word{n}") for n in range(500))
    frames = (BEGUN + TEXT + tokens + STOPPED + ENDED + OVER).split(b"\n\n")[:-1]

    def cost() -> float:
        begun = process_time()
        read(*(frame + b"\n\n" for frame in frames))
        return process_time() - begun

    # The best of several: others use this machine too.
    assert min(cost() for _ in range(5)) < 0.014
