"""The streams of Chat Completions, of OpenAI and of those who speak like it, cut anywhere."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.language_model.openai_samples import FIXTURES, outcome, read, stream, told

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Trouble, Written
from hearth.performers.language_model.chat_stream import ChatReader
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)

NAMES = sorted(
    f"{folder}/{path.stem}"
    for folder in ("chat", "deepseek", "ollama", "openrouter")
    for path in (FIXTURES / folder).iterdir()
)
COMPLETE = [name for name in NAMES if "error" not in name]
FIRST = Written('{"code":"len(df)"}', name="run_code", wire_id="call_Vq3dT0aKx1")
SECOND = Written('{"name":"df"}', name="inspect", wire_id="call_Vq3dT0aKx2")


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return b"data: " + msgspec.json.encode({"choices": [choice], **more}) + b"\n\n"


def calls(*deltas: dict[str, Any]) -> bytes:
    return chunk({"tool_calls": list(deltas)})


def call(name: str | None, arguments: object, **more: Any) -> dict[str, Any]:
    return {**more, "function": {"name": name, "arguments": arguments}}


def answered(data: bytes) -> Answer:
    reader = ChatReader()
    reader.feed(data)
    return reader.finish()


def trouble_with(data: bytes) -> WireTrouble:
    with pytest.raises(WireTrouble) as raised:
        answered(data)
    return raised.value


def test_text_is_shown_as_it_comes_and_counted_at_the_end() -> None:
    reader = ChatReader()
    heard = read(reader, stream("chat/text"))
    answer = reader.answer
    assert answer is not None
    assert answer.written == (Written("The größte value is 4 € 🔥."),)
    assert (answer.stop, answer.usage) == (StopReason.END, Usage(351, 1024, 0, 16))
    assert told(heard) == {0: "The größte value is 4 € 🔥."}


def test_parallel_calls_are_put_together_by_their_index() -> None:
    reader = ChatReader()
    heard = read(reader, stream("chat/parallel_calls"))
    answer = reader.finish()
    assert answer.written == (FIRST, SECOND)
    assert answer.stop is StopReason.TOOLS
    assert heard == [CallHeard(0, "run_code"), CallHeard(1, "inspect")]


def test_deltas_of_calls_may_alternate() -> None:
    answer = answered(
        calls(call("f", '{"a"', index=0, id="c1"), call("g", '{"b"', index=1, id="c2"))
        + calls(call(None, ":2}", index=1))
        + calls(call(None, ":1}", index=0))
        + chunk(finish="tool_calls")
    )
    assert [one.text for one in answer.written] == ['{"a":1}', '{"b":2}']


@pytest.mark.promise("DP-WIRE-13")
def test_thinking_before_a_call_is_kept_so_that_it_can_be_sent_back() -> None:
    reader = ChatReader()
    heard = read(reader, stream("deepseek/thinking_call"))
    answer = reader.finish()
    thinking, called = answer.written
    assert thinking == Written(
        "I need the length of 表.",
        thinking=True,
        native='{"reasoning_content":"I need the length of 表."}',
    )
    assert called == Written('{"code": "len(df)"}', name="run_code", wire_id="call_00_pL2vR8")
    assert (answer.stop, answer.usage) == (StopReason.TOOLS, Usage(136, 1664, 0, 40))
    assert told(heard) == {0: thinking.text, 1: "run_code"}


def test_what_deepseek_read_from_its_cache_is_counted_where_it_alone_says_so() -> None:
    answer = answered(stream("deepseek/thinking_text"))
    assert answer.usage == Usage(108, 1792, 0, 30)
    assert [one.text for one in answer.written] == ["It is four.", "Four rows."]


def test_deepseek_may_think_speak_and_call_in_one_answer() -> None:
    answer = answered(stream("deepseek/parallel_calls"))
    thinking, said, first, second = answer.written
    assert (thinking.text, said) == ("Length and shape.", Written("I look at both."))
    assert first == Written(FIRST.text, name="run_code", wire_id="call_00_Vq3dT0aKx1")
    assert second == Written(SECOND.text, name="inspect", wire_id="call_01_Vq3dT0aKx2")
    # Told twice, it was read from the cache once.
    assert (answer.stop, answer.usage) == (StopReason.TOOLS, Usage(162, 2048, 0, 74))


def test_what_deepseek_filters_is_a_refusal_and_counted() -> None:
    answer = answered(stream("deepseek/filtered"))
    assert [one.text for one in answer.written] == ["They ask for a recipe.", "For that take"]
    assert (answer.stop, answer.usage) == (StopReason.REFUSAL, Usage(64, 256, 0, 14))


def test_a_plain_answer_of_ollama_is_counted_by_a_chunk_of_its_own() -> None:
    reader = ChatReader()
    heard = read(reader, stream("ollama/text"))
    assert told(heard) == {0: "Four Zeilen, schön."}
    expected = Answer((Written("Four Zeilen, schön."),), StopReason.END, Usage(58, 0, 0, 7))
    assert reader.answer == expected


def test_openrouter_is_waited_for_between_its_comments_and_counts_what_it_cached() -> None:
    whole = stream("openrouter/text")
    assert whole.count(b": OPENROUTER PROCESSING\n\n") == 3
    answer = answered(whole)
    thinking, said = answer.written
    assert (thinking.text, thinking.native) == ("Count them.", '{"reasoning":"Count them."}')
    assert said == Written("Four rows.")
    # Its last chunk says once more why it stops, beside the counts.
    assert (answer.stop, answer.usage) == (StopReason.END, Usage(76, 1024, 300, 23))


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    answer = answered(stream("ollama/calls_of_one_index"))
    thinking, first, second = answer.written
    assert (thinking.text, thinking.native) == ("Both at once.", '{"reasoning":"Both at once."}')
    assert first == Written(FIRST.text, name="run_code", wire_id="call_9rk2m4xq")
    assert second == Written(SECOND.text, name="inspect", wire_id="call_p0s7c1ze")
    # It says `stop`, with calls that wait for their results.
    assert (answer.stop, answer.usage) == (StopReason.TOOLS, Usage(182, 0, 0, 41))


def test_calls_without_ids_and_indexes_are_named_by_their_place() -> None:
    answer = answered(stream("ollama/calls_without_ids"))
    assert answer.written == (
        Written(FIRST.text, name="run_code", wire_id="call_0"),
        Written(SECOND.text, name="inspect", wire_id="call_1"),
    )
    assert (answer.stop, answer.usage) == (StopReason.TOOLS, Usage())


def test_an_id_may_come_late_and_be_repeated() -> None:
    answer = answered(
        calls(call("f", "{", index=0))
        + calls(call("f", '"a":1', index=0, id="c9"))
        + calls(call("f", "}", index=0, id="c9"))
        + chunk(finish="tool_calls")
    )
    assert answer.written == (Written('{"a":1}', name="f", wire_id="c9"),)


def test_calls_without_arguments_have_an_empty_object() -> None:
    answer = answered(
        calls(call("f", None, index=0, id="c1"), call("g", "", index=1, id="c2"))
        + chunk(finish="tool_calls")
    )
    assert [one.text for one in answer.written] == ["{}", "{}"]


def test_the_older_form_of_a_call_is_understood() -> None:
    answer = answered(
        chunk({"function_call": {"name": "f", "arguments": ""}})
        + chunk({"function_call": {"arguments": '{"a":1}'}})
        + chunk(finish="function_call")
    )
    assert answer.written == (Written('{"a":1}', name="f", wire_id="call_0"),)
    assert answer.stop is StopReason.TOOLS


@pytest.mark.parametrize(
    ("name", "text"),
    [("refusal", "I'm sorry, but I can't help with that."), ("filtered", "Well, ")],
)
def test_refusals_and_filters_end_in_a_refusal(name: str, text: str) -> None:
    answer = answered(stream(f"chat/{name}"))
    assert (answer.written, answer.stop) == ((Written(text),), StopReason.REFUSAL)


def test_an_answer_that_is_cut_at_the_limit_keeps_the_call_as_it_is() -> None:
    answer = answered(stream("chat/length"))
    assert answer.stop is StopReason.LENGTH
    assert answer.written[1] == Written('{"code":"pri', name="run_code", wire_id="call_cut")
    cut = calls(call("f", "", index=0, id="c")) + chunk(finish="length")
    assert answered(cut).written[0].text == ""


@pytest.mark.parametrize(
    ("finish", "stop"),
    [("stop", StopReason.END), ("tool_calls", StopReason.END), ("who knows", StopReason.OTHER)],
)
def test_why_an_answer_without_calls_stops(finish: str, stop: StopReason) -> None:
    assert answered(chunk({"content": "Hi"}, finish)).stop is stop


def test_a_stream_that_said_why_it_stops_is_complete_without_counts_and_last_words() -> None:
    reader = ChatReader()
    reader.feed(chunk({"content": "Hi"}) + chunk(finish="stop"))
    assert reader.answer is None
    assert reader.finish() == Answer((Written("Hi"),), StopReason.END, Usage())


def test_counts_after_the_reason_complete_an_answer_whose_connection_stays_open() -> None:
    reader = ChatReader()
    reader.feed(chunk({"content": "Hi"}, usage={"prompt_tokens": 1}) + chunk(finish="stop"))
    assert reader.answer is None
    reader.feed(b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\n')
    assert reader.answer == Answer((Written("Hi"),), StopReason.END, Usage(9, 0, 0, 2))
    assert reader.feed(b"data: nothing counts any more\n\n") == []


def test_last_words_without_the_line_that_ends_them_are_heard() -> None:
    reader = ChatReader()
    reader.feed(chunk({"content": "Hi"}, "stop") + b"data: [DONE]")
    assert reader.finish().written == (Written("Hi"),)


def test_text_before_thinking_keeps_its_place() -> None:
    reader = ChatReader()
    heard = reader.feed(chunk({"content": "A"}) + chunk({"reasoning": "B"}, "stop"))
    assert heard == [TextHeard(0, "A"), ThinkingHeard(1, "B")]
    assert [one.text for one in reader.finish().written] == ["A", "B"]


def test_other_choices_are_passed_over() -> None:
    other = {"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}
    data = b"data: " + msgspec.json.encode({"choices": [other]}) + b"\n\n"
    answer = answered(data + chunk({"content": "yes"}, "stop"))
    assert (answer.written, answer.stop) == ((Written("yes"),), StopReason.END)


def test_signs_of_life_and_chunks_without_choices_are_passed_over() -> None:
    alive = b': alive\n\nevent: ping\ndata: {"type":"ping"}\n\n'
    filtered = b'data: {"choices":[],"prompt_filter_results":[]}\n\n'
    answer = answered(filtered + alive + chunk({"content": "Hi"}, "stop"))
    assert answer.written == (Written("Hi"),)


def test_an_error_in_the_stream_says_what_it_is() -> None:
    trouble = trouble_with(stream("chat/error"))
    assert trouble.trouble is Trouble.SERVER
    assert trouble.message.startswith("The server had an error")
    trouble = trouble_with(stream("openrouter/error"))
    assert (trouble.trouble, trouble.status) == (Trouble.RATE_LIMITED, 429)
    assert trouble.message == "Provider returned error"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'data: {"error":{"message":"Overloaded","code":"503"}}\n\n', Trouble.OVERLOADED),
        (b'data: {"error":"model is overloaded"}\n\n', Trouble.OVERLOADED),
        (b'data: {"object":"error","message":"boom","code":400}\n\n', Trouble.REJECTED),
        (b'event: error\ndata: {"message":"boom"}\n\n', Trouble.SERVER),
        (
            b'data: {"error":{"message":"maximum context length is 4096","code":400}}\n\n',
            Trouble.OVERFLOW,
        ),
        (b'data: {"error":{"message":"no","code":"insufficient_quota"}}\n\n', Trouble.CREDENTIALS),
        (b'data: {"choices":[{"delta":{},"error":{"code":502}}]}\n\n', Trouble.SERVER),
        (chunk(finish="error"), Trouble.SERVER),
        (chunk(finish="insufficient_system_resource"), Trouble.OVERLOADED),
    ],
)
def test_errors_are_known_in_every_shape_they_come_in(data: bytes, expected: Trouble) -> None:
    trouble = trouble_with(data)
    assert trouble.trouble is expected
    assert trouble.message


@given(st.sampled_from(NAMES), st.data())
def test_any_cut_gives_the_same_answer(name: str, data: st.DataObject) -> None:
    whole = stream(name)
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=8))
    assert outcome(ChatReader(), whole, cuts) == outcome(ChatReader(), whole, [])


@given(st.sampled_from(COMPLETE), st.data())
def test_a_stream_that_ends_early_is_a_broken_connection_and_never_an_answer(
    name: str, data: st.DataObject
) -> None:
    whole = stream(name)
    said = max(whole.find(b'"finish_reason":"' + why) for why in (b"s", b"t", b"l", b"c"))
    reader = ChatReader()
    reader.feed(whole[: data.draw(st.integers(0, said))])
    assert reader.answer is None
    with pytest.raises(WireTrouble) as raised:
        reader.finish()
    assert raised.value.trouble is Trouble.NETWORK


@given(st.sampled_from(COMPLETE), st.data())
def test_what_is_kept_of_an_answer_is_its_text_and_thinking(name: str, data: st.DataObject) -> None:
    whole = stream(name)
    reader = ChatReader()
    shown = told(
        [
            one
            for one in reader.feed(whole[: data.draw(st.integers(0, len(whole)))])
            if not isinstance(one, CallHeard)
        ]
    )
    assert [one.text for one in reader.partial()] == [shown[place] for place in sorted(shown)]
    assert not any(one.name for one in reader.partial())


@pytest.mark.parametrize(
    "data",
    [
        b"data: {\n\n",
        b"data: []\n\n",
        b"data: \xff\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
        b'data: {"choices":{}}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta"}\n\n',
        b"data: {}\n\n",
        b'data: {"choices":[{"delta":{"content":7}}]}\n\n',
        b"data: [DONE]\n\n",
        chunk({"content": "Hi"}) + b"data: [DONE]\n\n",
        calls(call(None, "{}", index=0, id="c")) + chunk(finish="tool_calls"),
    ],
)
def test_what_breaks_the_protocol_is_malformed(data: bytes) -> None:
    trouble = trouble_with(data)
    assert trouble.trouble is Trouble.MALFORMED
    assert trouble.message.startswith("the answer of the provider is malformed: ")
