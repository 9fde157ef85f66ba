"""What a conversation looks like on the wire of Chat Completions."""

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
from tests.providers.chat import ChatWire, DeepSeekWire
from tests.providers.wire import Wire

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
from hearth.performers.language_model import chat
from hearth.performers.language_model.capabilities import Capabilities
from hearth.performers.language_model.chat import ChatCodec
from hearth.performers.language_model.chat_stream import ChatReader
from hearth.performers.language_model.codec import Codec

CODEC: Codec = ChatCodec()
DEEPSEEK = choice("deepseek:deepseek-v4-pro", Dialect.CHAT)
OLLAMA = choice("ollama:qwen3:30b", Dialect.CHAT)
GPT = choice("openai:gpt-5.6", Dialect.CHAT)
NATIVE = '{"reasoning_content":"Hm — 表"}'
CALLED = [
    {
        "id": "call_1",
        "type": "function",
        "function": {"name": "run_code", "arguments": '{"a": 1}'},
    }
]


def messages_sent(messages: list[Message], chosen: ModelChoice) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sent(CODEC, opening(chosen), messages)["messages"]
    assert found[0] == {"role": "system", "content": "You help."}
    return found[1:]


def test_where_requests_go_with_a_key_or_without() -> None:
    assert (CODEC.dialect, CODEC.path) == (Dialect.CHAT, "/chat/completions")
    assert CODEC.headers("k")["authorization"] == "Bearer k"
    assert "authorization" not in CODEC.headers("")


def test_a_request_has_everything_in_its_order_and_the_messages_last() -> None:
    body = sent(CODEC, opening(DEEPSEEK), [user("Höhe?")])
    assert list(body) == [
        "model",
        "stream",
        "stream_options",
        "max_tokens",
        "reasoning_effort",
        "tools",
        "messages",
    ]
    assert (body["model"], body["stream"]) == ("deepseek-v4-pro", True)
    assert body["stream_options"] == {"include_usage": True}
    assert (body["max_tokens"], body["reasoning_effort"]) == (1000, "high")
    assert body["tools"][1] == {
        "type": "function",
        "function": {
            "name": "run_code",
            "description": "Run.",
            "parameters": {"type": "object", "properties": {"code": {"type": "string"}}},
        },
    }
    assert body["messages"] == [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Höhe?"},
    ]


def test_servers_of_unknown_models_are_sent_only_what_all_of_them_take() -> None:
    body = sent(CODEC, opening(OLLAMA, tools="[]", system=""), [user("?")])
    assert list(body) == ["model", "stream", "stream_options", "max_tokens", "messages"]
    assert body["messages"] == [{"role": "user", "content": "?"}]


def test_openai_itself_has_another_name_for_the_limit() -> None:
    body = sent(CODEC, opening(GPT), [user("?")])
    assert body["max_completion_tokens"] == 1000
    assert "max_tokens" not in body


@pytest.mark.parametrize(
    ("name", "effort", "expected"),
    [
        ("deepseek:deepseek-v4-pro", Effort.MAX, {"reasoning_effort": "max"}),
        ("deepseek:deepseek-v4-pro", Effort.NONE, {"thinking": {"type": "disabled"}}),
        ("deepseek:deepseek-chat", Effort.NONE, {}),
        ("openai:gpt-5.6", Effort.MAX, {"reasoning_effort": "max"}),
        ("openrouter:openai/gpt-5.6", Effort.MAX, {"reasoning_effort": "xhigh"}),
        ("openrouter:openai/gpt-5.6", Effort.NONE, {"reasoning_effort": "none"}),
        ("ollama:gpt-oss:20b", Effort.MAX, {"reasoning_effort": "high"}),
        ("vllm:deepseek-ai/DeepSeek-V4", Effort.MAX, {"reasoning_effort": "high"}),
        ("ollama:qwen3:30b", Effort.MAX, {}),
        ("openai:gpt-4.1", Effort.MAX, {}),
    ],
)
def test_effort_is_told_in_words_that_model_and_server_know(
    name: str, effort: Effort, expected: dict[str, Any]
) -> None:
    body = sent(CODEC, opening(choice(name, Dialect.CHAT, effort=effort)), [user("?")])
    assert {key: body[key] for key in ("reasoning_effort", "thinking") if key in body} == expected


def test_a_step_is_one_message_and_one_for_each_result() -> None:
    two: list[Message] = [
        assistant(SaidText("I look."), Called("c1", "f", "{}"), Called("c2", "g", '{"b":2}')),
        ToolMessage(
            BlockId("b3"),
            (Returned("c1", "f", "4"), Returned("c2", "g", "no", is_error=True)),
        ),
    ]
    said, first, second = messages_sent(two, OLLAMA)
    assert said["content"] == "I look."
    assert [call["id"] for call in said["tool_calls"]] == ["c1", "c2"]
    assert first == {"role": "tool", "tool_call_id": "c1", "content": "4"}
    assert second == {"role": "tool", "tool_call_id": "c2", "content": "Error: no"}


def test_a_message_of_calls_alone_has_no_content() -> None:
    said, _ = messages_sent(step(OLLAMA.name, NATIVE), OLLAMA)
    assert said == {"role": "assistant", "content": None, "tool_calls": CALLED}


def test_texts_of_one_step_are_put_together() -> None:
    (said,) = messages_sent([assistant(SaidText("One."), SaidText("Two."))], OLLAMA)
    assert said == {"role": "assistant", "content": "One.\n\nTwo."}


@pytest.mark.promise("DP-WIRE-09")
def test_a_message_with_nothing_to_say_is_not_sent() -> None:
    assert CODEC.piece(assistant(Thought("Hm", NATIVE, DEEPSEEK.name)), DEEPSEEK) == b""
    assert CODEC.piece(user(""), DEEPSEEK) == b""


@pytest.mark.promise("DP-WIRE-13")
def test_thinking_is_sent_back_to_models_that_want_it() -> None:
    said, _ = messages_sent(step(DEEPSEEK.name, NATIVE), DEEPSEEK)
    assert said == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Hm — 表",
        "tool_calls": CALLED,
    }


@pytest.mark.promise("DP-WIRE-13")
def test_a_call_without_thinking_says_so_with_an_empty_field() -> None:
    for model, native in ((DEEPSEEK.name, "no JSON"), ("anthropic:claude-opus-5", NATIVE)):
        said, _ = messages_sent(step(model, native), DEEPSEEK)
        assert said["reasoning_content"] == ""


@pytest.mark.promise("DP-WIRE-13")
def test_the_last_message_of_a_turn_has_the_field_too() -> None:
    thought = Thought("Hm", NATIVE, DEEPSEEK.name)
    with_thought, without = messages_sent(
        [assistant(thought, SaidText("Four.")), assistant(SaidText("Five."))], DEEPSEEK
    )
    assert with_thought["reasoning_content"] == "Hm — 表"
    assert without == {"role": "assistant", "content": "Five.", "reasoning_content": ""}


@pytest.mark.promise("DP-WIRE-13")
@pytest.mark.parametrize(
    "name",
    [
        "deepseek:deepseek-chat",
        "openrouter:deepseek/deepseek-v4-pro",
        "ollama:qwen3:30b",
        "openai:gpt-5.6",
    ],
)
def test_thinking_is_kept_from_models_that_refuse_it(name: str) -> None:
    chosen = choice(name, Dialect.CHAT)
    for native in (NATIVE, '{"reasoning":"Hm"}'):
        said, _ = messages_sent(step(name, native), chosen)
        assert not {"reasoning_content", "reasoning"} & set(said)


def test_thinking_goes_back_under_the_name_it_came_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "capabilities", lambda *_: Capabilities(echo_reasoning="with_tools"))
    thoughts = (
        Thought("", '{"reasoning":"A"}', OLLAMA.name),
        Thought("", '{"reasoning":"B"}', OLLAMA.name),
    )
    first, second = messages_sent(
        [assistant(*thoughts, SaidText("One.")), assistant(SaidText("Two."))], OLLAMA
    )
    assert first["reasoning"] == "AB"
    assert second["reasoning_content"] == ""


@pytest.mark.promise("DP-WIRE-10")
def test_ids_agree_in_call_and_result_whatever_they_were() -> None:
    odd = "toolu/01:" + "x" * 80
    said, result = messages_sent(step(OLLAMA.name, NATIVE, call=odd, arguments="["), OLLAMA)
    (call,) = said["tool_calls"]
    assert call["id"] == result["tool_call_id"]
    assert len(call["id"]) <= 64
    assert msgspec.json.decode(call["function"]["arguments"]) == {"_unparsed": "["}


def test_marks_change_nothing() -> None:
    for message in step(DEEPSEEK.name, NATIVE):
        assert CODEC.piece(message, DEEPSEEK, marked=True) == CODEC.piece(message, DEEPSEEK)


@given(conversations, st.sampled_from([DEEPSEEK, OLLAMA, GPT]), st.data())
def test_a_conversation_that_grew_begins_with_the_bytes_it_had(
    messages: list[Message], chosen: ModelChoice, data: st.DataObject
) -> None:
    until = data.draw(st.integers(1, len(messages)))
    begun = opening(chosen)
    before = wire(CODEC, begun, messages[:until]).removesuffix(CODEC.closing())
    assert wire(CODEC, begun, messages).startswith(before)


@given(conversations, st.sampled_from([DEEPSEEK, OLLAMA, GPT]))
def test_every_conversation_is_json_in_which_calls_have_their_results(
    messages: list[Message], chosen: ModelChoice
) -> None:
    waiting: list[str] = []
    for message in messages_sent(messages, chosen):
        match message["role"]:
            case "tool":
                assert message["tool_call_id"] == waiting.pop(0)
            case "assistant":
                assert not waiting
                waiting = [call["id"] for call in message.get("tool_calls", [])]
                assert message["content"] or waiting
                assert chosen is DEEPSEEK or "reasoning_content" not in message
            case _:
                assert not waiting
    assert not waiting


@pytest.mark.promise("DP-WIRE-13")
@pytest.mark.parametrize(
    ("strict", "chosen"),
    [(DeepSeekWire(), DEEPSEEK), (ChatWire(), OLLAMA), (ChatWire(), GPT)],
)
def test_strict_providers_accept_every_request_of_a_conversation(
    strict: Wire, chosen: ModelChoice
) -> None:
    # One demands its thinking back, the other refuses it.
    assert talk(strict, CODEC, chosen, REPLIES) > len(REPLIES)


def test_an_answer_goes_back_as_it_came() -> None:
    reader = CODEC.reader(DEEPSEEK)
    assert isinstance(reader, ChatReader)
    read(reader, stream("deepseek/thinking_call"))
    thinking, call = reader.finish().written
    (said,) = messages_sent(
        [
            assistant(
                Thought(str(thinking.text), str(thinking.native), DEEPSEEK.name),
                Called(call.wire_id, call.name, str(call.text)),
            )
        ],
        DEEPSEEK,
    )
    assert said["reasoning_content"] == "I need the length of 表."
    assert said["tool_calls"][0]["function"]["arguments"] == '{"code": "len(df)"}'


def test_a_rejection_is_understood() -> None:
    body = b'{"error":{"message":"maximum context length is 4096 tokens","type":"x"}}'
    assert CODEC.rejected(400, body, None).trouble is Trouble.OVERFLOW
    assert CODEC.rejected(429, b'{"error":"slow down"}', 2.5).retry_after == 2.5
