"""What a conversation looks like on the wire of Responses."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.language_model.openai_samples import (
    REPLIES,
    assistant,
    choice,
    conversations,
    opening,
    read,
    sent,
    step,
    stream,
    talk,
    user,
    wire,
)
from tests.providers.responses import ResponsesWire

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.messages import (
    Called,
    Message,
    Returned,
    SaidText,
    Thought,
    ToolMessage,
)
from hearth.core.vocabulary.modelling import Trouble
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.anthropic import AnthropicCodec
from hearth.performers.language_model.chat import ChatCodec
from hearth.performers.language_model.codec import Codec, Opening
from hearth.performers.language_model.responses import ResponsesCodec
from hearth.performers.language_model.responses_stream import ResponsesReader

CODEC: Codec = ResponsesCodec()
GPT = choice("openai:gpt-5.6", Dialect.RESPONSES)
PLAIN = choice("openai:gpt-4.1", Dialect.RESPONSES)
NATIVE = (
    '{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA","summary":'
    '[{"type":"summary_text","text":"Hm — 表"}]}'
)
REASONING = {
    "type": "reasoning",
    "encrypted_content": "gAAA",
    "summary": [{"type": "summary_text", "text": "Hm — 表"}],
}


def items(messages: list[Message], chosen: ModelChoice = GPT) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sent(CODEC, opening(chosen), messages)["input"]
    return found


def thought(model: str = "openai:gpt-5.6", native: str = NATIVE) -> Thought:
    return Thought("Hm", native, model)


def test_where_requests_go() -> None:
    assert (CODEC.dialect, CODEC.path) == (Dialect.RESPONSES, "/responses")
    assert CODEC.headers("k")["authorization"] == "Bearer k"


def test_a_request_has_everything_in_its_order_and_the_messages_last() -> None:
    body = sent(CODEC, opening(GPT), [user("Höhe?")])
    assert list(body) == [
        "model",
        "store",
        "stream",
        "include",
        "reasoning",
        "prompt_cache_key",
        "max_output_tokens",
        "instructions",
        "tools",
        "input",
    ]
    assert (body["model"], body["store"], body["stream"]) == ("gpt-5.6", False, True)
    assert body["include"] == ["reasoning.encrypted_content"]
    assert body["reasoning"] == {"effort": "high", "summary": "auto"}
    assert (body["prompt_cache_key"], body["max_output_tokens"]) == ("session-1", 1000)
    assert body["instructions"] == "You help."
    assert body["tools"][0] == {
        "type": "function",
        "name": "inspect",
        "description": "Look.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
        "strict": False,
    }
    assert body["input"] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Höhe?"}]}
    ]


def test_bytes_are_compact_and_in_utf_8() -> None:
    data = wire(CODEC, opening(GPT), [user("Höhe 表?")])
    assert "Höhe 表?".encode() in data
    assert b'": ' not in data
    assert b", " not in data


def test_models_that_do_not_think_are_not_asked_for_reasoning() -> None:
    body = sent(CODEC, opening(PLAIN), [user("?")])
    assert "reasoning" not in body
    assert "include" not in body


@pytest.mark.parametrize(
    ("model", "effort", "word"),
    [
        ("gpt-5.6", Effort.MAX, "max"),
        ("gpt-5.4", Effort.MAX, "xhigh"),
        ("o3", Effort.MAX, "high"),
        ("gpt-5.6", Effort.NONE, "none"),
        ("gpt-5", Effort.NONE, "minimal"),
    ],
)
def test_each_model_is_told_the_effort_in_words_it_knows(
    model: str, effort: Effort, word: str
) -> None:
    chosen = choice(f"openai:{model}", Dialect.RESPONSES, effort=effort)
    assert sent(CODEC, opening(chosen), [user("?")])["reasoning"]["effort"] == word


@pytest.mark.promise("DP-WIRE-09")
def test_what_is_empty_is_left_out() -> None:
    body = sent(CODEC, opening(GPT, tools="[]", system=""), [user("?"), user("")])
    assert "tools" not in body
    assert "instructions" not in body
    assert len(body["input"]) == 1


def test_the_name_of_a_conversation_is_never_too_long_and_always_the_same() -> None:
    def key(conversation: str) -> str:
        begun = Opening(GPT, "", "", conversation)
        found: str = sent(CODEC, begun, [user("?")])["prompt_cache_key"]
        return found

    assert key("s" * 64) == "s" * 64
    assert len(key("s" * 65)) == 64
    assert key("s" * 65) == key("s" * 65) != key("s" * 66)


def test_a_step_is_its_items_in_the_order_of_the_model() -> None:
    first, *rest = items([user("?"), *step(GPT.name, NATIVE, text="I look.")])
    assert first["role"] == "user"
    assert rest == [
        REASONING,
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I look."}],
        },
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "run_code",
            "arguments": '{"a": 1}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "4"},
    ]


@pytest.mark.promise("DP-WIRE-08")
def test_reasoning_of_another_model_is_not_sent() -> None:
    for model in ("openai:gpt-5.4", "custom:gpt-5.6", ""):
        kinds = [one["type"] for one in items(step(model, NATIVE))]
        assert kinds == ["function_call", "function_call_output"]


@pytest.mark.parametrize("native", ["no JSON", "[]", '{"type":"thinking"}', '{"reasoning":"x"}'])
def test_what_is_no_item_of_reasoning_is_not_sent(native: str) -> None:
    assert next(one["type"] for one in items(step(GPT.name, native))) == "function_call"


def test_reasoning_at_the_end_of_a_message_is_left_out_for_want_of_its_item() -> None:
    said = SaidText("So.")
    kinds = [one["type"] for one in items([assistant(thought(), thought(), said, thought())])]
    assert kinds == ["reasoning", "reasoning", "message"]
    assert CODEC.piece(assistant(thought()), GPT) == b""


@pytest.mark.promise("DP-WIRE-10")
def test_results_say_if_they_are_errors_and_ids_agree_with_their_calls() -> None:
    odd = "toolu/01:" + "x" * 80
    call, result = items(
        [
            assistant(Called(odd, "f", "not JSON")),
            ToolMessage(BlockId("b3"), (Returned(odd, "f", "no", is_error=True),)),
        ]
    )
    assert call["call_id"] == result["call_id"]
    assert len(call["call_id"]) <= 64
    assert msgspec.json.decode(call["arguments"]) == {"_unparsed": "not JSON"}
    assert result["output"] == "Error: no"


def test_marks_change_nothing() -> None:
    for message in step(GPT.name, NATIVE):
        assert CODEC.piece(message, GPT, marked=True) == CODEC.piece(message, GPT)


@given(conversations, st.data())
def test_a_conversation_that_grew_begins_with_the_bytes_it_had(
    messages: list[Message], data: st.DataObject
) -> None:
    until = data.draw(st.integers(1, len(messages)))
    begun = opening(GPT)
    before = wire(CODEC, begun, messages[:until]).removesuffix(CODEC.closing())
    assert wire(CODEC, begun, messages).startswith(before)


@given(conversations)
def test_every_conversation_is_json_in_which_reasoning_has_its_item(
    messages: list[Message],
) -> None:
    found = [one["type"] for one in items(messages)]
    for kind, following in zip(found, [*found[1:], "nothing"], strict=True):
        if kind == "reasoning":
            assert following in {"reasoning", "message", "function_call"}
    calls = [one["call_id"] for one in items(messages) if one["type"] == "function_call"]
    results = [one["call_id"] for one in items(messages) if one["type"] == "function_call_output"]
    assert calls == results


def test_an_answer_goes_back_as_it_came() -> None:
    reader = CODEC.reader(GPT)
    assert isinstance(reader, ResponsesReader)
    read(reader, stream("responses/parallel_calls"))
    thinking, text, *calls = reader.finish().written
    message = assistant(
        Thought(str(thinking.text), str(thinking.native), GPT.name),
        SaidText(str(text.text)),
        *(Called(call.wire_id, call.name, str(call.text)) for call in calls),
    )
    assert [one["type"] for one in items([message])] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert items([message])[0]["encrypted_content"] == "gAAAAABotBhE-3kQvYw8nTrZ"


def test_a_strict_provider_accepts_every_request_of_a_conversation() -> None:
    assert talk(ResponsesWire(), CODEC, GPT, REPLIES) > len(REPLIES)
    assert talk(ResponsesWire(), CODEC, PLAIN, REPLIES) > len(REPLIES)


@pytest.mark.promise("DP-MODEL-08")
@pytest.mark.parametrize("codec", [AnthropicCodec(), ResponsesCodec(), ChatCodec()])
def test_every_provider_is_told_the_same_conversation_through_one_interface(codec: Codec) -> None:
    chosen = choice("custom:anything", codec.dialect)
    said: list[Message] = [user("How many?"), *step("openai:gpt-5.6", NATIVE, text="I look.")]
    data = wire(codec, opening(chosen), [*said, user("And now?")])
    body = msgspec.json.decode(data)
    assert body["model"] == "anything"
    place = 0
    for text in ("You help.", "How many?", "I look.", "run_code", "And now?"):
        place = data.index(text.encode(), place)
    assert b"gAAA" not in data


@pytest.mark.promise("DP-MODEL-08")
def test_the_same_answer_is_the_same_over_either_wire() -> None:
    written = []
    for codec, name in ((CODEC, "responses"), (ChatCodec(), "chat")):
        reader = codec.reader(GPT)
        read(reader, stream(f"{name}/parallel_calls"))
        written.append([one for one in reader.finish().written if one.name])
    assert written[0] == written[1]


def test_a_rejection_is_understood() -> None:
    body = b'{"error":{"message":"pay","type":"insufficient_quota","code":"insufficient_quota"}}'
    assert CODEC.rejected(429, body, None).trouble is Trouble.CREDENTIALS
    assert CODEC.rejected(429, b"", 2.5).retry_after == 2.5
