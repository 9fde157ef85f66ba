"""The streams of Responses, as they are documented, and cut anywhere."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.language_model.openai_samples import FIXTURES, outcome, read, stream, told

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Trouble, Written
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)
from hearth.performers.language_model.responses_stream import ResponsesReader

ADDED = "response.output_item.added"
DONE = "response.output_item.done"
COMPLETED = "response.completed"
NAMES = sorted(path.stem for path in (FIXTURES / "responses").iterdir())


def frame(kind: str, **fields: Any) -> bytes:
    return b"data: " + msgspec.json.encode({"type": kind, **fields}) + b"\n\n"


def answered(data: bytes) -> Answer:
    reader = ResponsesReader()
    reader.feed(data)
    return reader.finish()


def trouble_with(data: bytes) -> WireTrouble:
    with pytest.raises(WireTrouble) as raised:
        answered(data)
    return raised.value


def item(index: int, kind: str, **fields: Any) -> bytes:
    whole = {"type": kind, **fields}
    return frame(ADDED, output_index=index, item=whole) + frame(
        DONE, output_index=index, item=whole
    )


def said(text: str) -> list[dict[str, str]]:
    return [{"type": "output_text", "text": text}]


def test_reasoning_is_kept_as_the_provider_closed_it_and_its_summary_is_shown() -> None:
    reader = ResponsesReader()
    heard = read(reader, stream("responses/reasoning"))
    answer = reader.answer
    assert answer is not None
    thinking, text = answer.written
    assert thinking.thinking
    assert thinking.text == (
        "**Looking at the frame**\n\nI need the größte value.\n\n**Answering**"
    )
    native = msgspec.json.decode(str(thinking.native))
    assert native["encrypted_content"] == "gAAAAABotBgRx7Qm0tM3vWcJ9yKpLs2hNfEd-UzXo"
    assert native["id"] == "rs_68af4031"
    assert text == Written("The größte value is 4 € 🔥.")
    assert (answer.stop, answer.usage) == (StopReason.END, Usage(351, 1024, 0, 61))
    assert told(heard) == {0: thinking.text, 1: text.text}
    assert {type(one) for one in heard} == {ThinkingHeard, TextHeard}


def test_parallel_calls_keep_their_order_ids_and_arguments() -> None:
    reader = ResponsesReader()
    heard = read(reader, stream("responses/parallel_calls"))
    answer = reader.finish()
    thinking, text, first, second = answer.written
    assert (thinking.text, thinking.thinking) == ("", True)
    assert "gAAAAABotBhE-3kQvYw8nTrZ" in str(thinking.native)
    assert text == Written("I look at both.")
    assert first == Written('{"code":"len(df)"}', name="run_code", wire_id="call_Vq3dT0aKx1")
    assert second == Written('{"name":"df"}', name="inspect", wire_id="call_Vq3dT0aKx2")
    assert answer.stop is StopReason.TOOLS
    assert [one for one in heard if isinstance(one, CallHeard)] == [
        CallHeard(2, "run_code"),
        CallHeard(3, "inspect"),
    ]


def test_a_refusal_is_text_and_the_reason_why_it_stops() -> None:
    answer = answered(stream("responses/refusal"))
    assert answer.written == (Written("I'm sorry, but I can't help with that."),)
    assert answer.stop is StopReason.REFUSAL


def test_an_answer_that_is_cut_at_the_limit_says_so_and_keeps_the_call_as_it_is() -> None:
    answer = answered(stream("responses/incomplete"))
    assert answer.stop is StopReason.LENGTH
    assert answer.written == (
        Written("Once upon a time"),
        Written('{"code":"pri', name="run_code", wire_id="call_cut"),
    )


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("content_filter", StopReason.REFUSAL), ("who knows", StopReason.OTHER)],
)
def test_other_reasons_to_cut_an_answer_are_told_apart(reason: str, stop: StopReason) -> None:
    ended = frame("response.incomplete", response={"incomplete_details": {"reason": reason}})
    assert answered(ended).stop is stop


def test_tokens_read_from_and_written_to_the_cache_are_part_of_the_input() -> None:
    usage = answered(stream("responses/cached")).usage
    assert usage == Usage(fresh=64, cache_read=7936, cache_write=1000, output=3)
    assert usage.input == 9000


def test_an_error_in_the_stream_says_what_it_is() -> None:
    trouble = trouble_with(stream("responses/error"))
    assert trouble.trouble is Trouble.SERVER
    assert trouble.message.startswith("The server had an error")


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        ("rate_limit_exceeded", "Rate limit reached", Trouble.RATE_LIMITED),
        ("insufficient_quota", "You exceeded your current quota", Trouble.CREDENTIALS),
        ("context_length_exceeded", "Your input exceeds the window", Trouble.OVERFLOW),
        (None, "This model's maximum context length is 4096 tokens", Trouble.OVERFLOW),
        ("server_error", "Oh", Trouble.SERVER),
    ],
)
@pytest.mark.parametrize(
    "shape",
    [
        lambda error: frame("response.failed", response={"status": "failed", "error": error}),
        lambda error: frame("error", **error, param=None),
        lambda error: frame("error", error=error),
    ],
    ids=["failed", "error", "nested"],
)
def test_errors_are_known_in_every_shape_they_come_in(
    shape: Callable[[dict[str, Any]], bytes], code: str | None, message: str, expected: Trouble
) -> None:
    trouble = trouble_with(shape({"code": code, "message": message}))
    assert (trouble.trouble, trouble.message) == (expected, message)


def test_a_failure_that_says_nothing_is_the_servers() -> None:
    trouble = trouble_with(frame("response.failed", response={"error": None}))
    assert trouble.trouble is Trouble.SERVER
    assert trouble.message


@given(st.sampled_from(NAMES), st.data())
def test_any_cut_gives_the_same_answer(name: str, data: st.DataObject) -> None:
    whole = stream(f"responses/{name}")
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=8))
    assert outcome(ResponsesReader(), whole, cuts) == outcome(ResponsesReader(), whole, [])


@given(st.sampled_from([name for name in NAMES if name != "error"]), st.data())
def test_a_stream_that_ends_early_is_a_broken_connection_and_never_an_answer(
    name: str, data: st.DataObject
) -> None:
    whole = stream(f"responses/{name}")
    until = data.draw(
        st.integers(
            0,
            whole.index(b"event: response.completed")
            if b"event: response.completed" in whole
            else whole.index(b"event: response.incomplete"),
        )
    )
    reader = ResponsesReader()
    reader.feed(whole[:until])
    assert reader.answer is None
    with pytest.raises(WireTrouble) as raised:
        reader.finish()
    assert raised.value.trouble is Trouble.NETWORK


@given(st.sampled_from(NAMES), st.data())
def test_what_is_kept_of_an_answer_has_no_calls_and_no_reasoning_that_stands_alone(
    name: str, data: st.DataObject
) -> None:
    whole = stream(f"responses/{name}")
    reader = ResponsesReader()
    try:
        reader.feed(whole[: data.draw(st.integers(0, len(whole)))])
    except WireTrouble:
        assert name == "error"
    kept = reader.partial()
    assert not any(one.name for one in kept)
    assert all(one.text or one.native for one in kept)
    if kept and kept[-1].thinking:
        assert not kept[-1].native


def test_reasoning_is_kept_with_its_message_once_that_is_whole() -> None:
    whole = stream("responses/reasoning")
    reader = ResponsesReader()
    reader.feed(whole[: whole.index(b"event: response.output_text.done")])
    thinking, text = reader.partial()
    assert thinking.text
    assert not thinking.native
    assert text == Written("The größte value is 4 € 🔥.")
    reader = ResponsesReader()
    reader.feed(whole[: whole.index(b"event: response.completed")])
    assert reader.partial()[0].native


def test_reasoning_whose_call_is_not_kept_is_not_sent_back_before_another_item() -> None:
    reader = ResponsesReader()
    reader.feed(
        item(0, "reasoning", summary=said("Hm."), encrypted_content="gAAA")
        + item(1, "function_call", call_id="c", name="f", arguments="{}")
        + item(2, "message", content=said("So."))
    )
    assert reader.partial() == (Written("Hm.", thinking=True), Written("So."))


def test_items_that_come_without_deltas_are_shown_when_they_are_closed() -> None:
    reader = ResponsesReader()
    heard = reader.feed(item(0, "message", content=said("All at once.")))
    assert heard == [TextHeard(0, "All at once.")]


def test_the_closed_form_of_an_item_counts() -> None:
    reader = ResponsesReader()
    reader.feed(
        frame(ADDED, output_index=0, item={"type": "message", "content": []})
        + frame("response.output_text.delta", output_index=0, delta="Wrnog")
        + frame(DONE, output_index=0, item={"type": "message", "content": said("Right")})
        + frame(COMPLETED, response={})
    )
    assert reader.finish().written == (Written("Right"),)


def test_reasoning_in_the_open_is_shown_and_kept() -> None:
    thought = {
        "type": "reasoning",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hm"}],
    }
    reader = ResponsesReader()
    heard = reader.feed(
        frame(ADDED, output_index=0, item={"type": "reasoning", "summary": []})
        + frame("response.reasoning_text.delta", output_index=0, delta="Hm")
        + frame(DONE, output_index=0, item=thought)
        + frame(COMPLETED, response={})
    )
    assert heard == [ThinkingHeard(0, "Hm")]
    (written,) = reader.finish().written
    assert msgspec.json.decode(str(written.native)) == thought


def test_reasoning_without_content_leaves_no_hole_and_nothing_to_send_back() -> None:
    answer = answered(
        item(0, "reasoning", summary=[], encrypted_content=None)
        + item(1, "message", content=said("Hello."))
        + frame(COMPLETED, response={})
    )
    assert answer.written == (Written("Hello."),)


def test_a_call_without_arguments_has_an_empty_object() -> None:
    answer = answered(
        item(0, "function_call", call_id="c", name="f", arguments="")
        + frame(COMPLETED, response={})
    )
    assert answer.written == (Written("{}", name="f", wire_id="c"),)


def test_unknown_events_and_tools_of_the_provider_are_passed_over() -> None:
    answer = answered(
        frame("response.news", delta={"not": "a text"}, output_index="x")
        + item(0, "web_search_call", arguments=[1], content="?")
        + item(1, "message", content=said("Found."))
        + frame(COMPLETED, response={})
        + b"data: [DONE]\n\n"
    )
    assert answer.written == (Written("Found."),)


def test_nothing_counts_after_the_end() -> None:
    reader = ResponsesReader()
    reader.feed(frame(COMPLETED, response={}))
    assert reader.feed(b"data: no JSON\n\n" + item(0, "message", content=said("?"))) == []
    assert reader.finish().written == ()


TEXT = {"type": "message", "content": []}
CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}


@pytest.mark.parametrize(
    "data",
    [
        b"data: {\n\n",
        b'data: "text"\n\n',
        b"data: \xff\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
        frame("response.output_text.delta", output_index=0, delta="x"),
        frame(DONE, output_index=0, item=TEXT),
        frame(ADDED, output_index=0, item=TEXT) * 2,
        frame(ADDED, output_index=0, item={"type": "function_call", "name": "f"}),
        frame(ADDED, output_index=0, item={"type": "function_call", "call_id": "c"}),
        frame(ADDED, output_index=0, item=CALL)
        + frame("response.output_text.delta", output_index=0, delta="x"),
        frame(ADDED, output_index=0, item=CALL) + frame(DONE, output_index=0, item=TEXT),
        frame(ADDED, output_index=0, item=CALL) + frame(COMPLETED, response={}),
        frame(ADDED, output_index="first", item=CALL),
        frame(COMPLETED),
    ],
)
def test_what_breaks_the_protocol_is_malformed(data: bytes) -> None:
    trouble = trouble_with(data)
    assert trouble.trouble is Trouble.MALFORMED
    assert trouble.message.startswith("the answer of the provider is malformed: ")
