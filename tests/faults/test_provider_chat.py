"""The pretended Chat Completions refuse what the real ones refuse, and write as they write."""

import json
from typing import Any

import pytest
from tests.providers.chat import ChatWire, DeepSeekWire
from tests.providers.script import Call, Json, Reply, Say, Think, Tokens
from tests.providers.wire import Refused

SYSTEM = {"role": "system", "content": "Be kind."}
USER = {"role": "user", "content": "hi"}
SAID = {"role": "assistant", "content": "so"}


def calling(*identifiers: str, **more: Any) -> Json:
    function = {"name": "run_code", "arguments": "{}"}
    calls = [{"id": one, "type": "function", "function": function} for one in identifiers]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def result(identifier: str, **more: Any) -> Json:
    return {"role": "tool", "tool_call_id": identifier, "content": "2", **more}


def asking(*messages: Json, **more: Any) -> Json:
    function = {"name": "run_code", "description": "", "parameters": {"type": "object"}}
    return {
        "model": "any",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 10,
        "tools": [{"type": "function", "function": function}],
        "messages": list(messages),
        **more,
    }


def refusal(request: Json, wire: ChatWire | None = None) -> str:
    with pytest.raises(Refused) as caught:
        (wire or ChatWire()).check(request)
    return str(caught.value)


def test_what_the_protocol_allows_is_accepted() -> None:
    for request in (
        asking(USER),
        asking(SYSTEM, USER, SAID, USER),
        asking(USER, calling("k1", "k2"), result("k2"), result("k1")),
        asking(USER, calling("k1", content="so"), result("k1", content=""), USER),
        asking({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
    ):
        ChatWire().check(request)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (asking(), "empty array"),
        (asking(USER, stream=False), "only streams"),
        (asking(USER, top_k=1), "Unknown parameter: 'top_k'."),
        (asking(USER, tools=[]), "Invalid 'tools'"),
        (asking(USER, tools=[{"type": "function", "function": {}}]), "'tools[0].function.name'"),
        (asking(USER, reasoning_effort="huge"), "reasoning_effort"),
        (asking(USER, stream_options={"all": 1}), "stream_options.all"),
        (asking({"role": "user"}), "Missing required parameter: 'messages[0].content'."),
        (asking({"role": "user", "content": ""}), "expected a string"),
        (asking({"role": "robot", "content": "hi"}), "messages[0].role"),
        (asking(USER, SYSTEM, USER), "come first"),
        (asking(USER, SAID), "last message"),
        (asking(USER, {"role": "assistant", "content": ""}, USER), "expected a string"),
        (asking(USER, {"role": "assistant"}, USER), "expected a string"),
        (asking(USER, calling(), USER), "tool_calls': empty array"),
        (asking(USER, calling("k1", content=""), result("k1")), "expected a string"),
        (asking(USER, calling("k1")), "did not have response messages: k1"),
        (asking(USER, calling("k1", "k2"), result("k1"), USER), "response messages: k2"),
        (asking(USER, result("k1")), "must be a response to a preceding"),
        (asking(USER, calling("k1"), result("k1"), result("k1")), "preceding"),
        (asking(USER, calling("k1"), USER, result("k1")), "did not have response"),
        (asking(USER, calling("k1", "k1"), result("k1")), "Duplicate value"),
        (asking(USER, calling("k.1"), result("k.1")), "tool_calls[0].id"),
        (asking(USER, calling("k1"), result("k1", name="run_code")), "messages[2].name"),
        (asking(USER, calling("k1", reasoning_content=""), result("k1")), "reasoning_content"),
        (asking(USER, {**SAID, "reasoning_content": "hm"}, USER), "reasoning_content"),
    ],
)
def test_what_the_protocol_does_not_allow_is_refused(request_: Json, why: str) -> None:
    assert why in refusal(request_)


def answered(wire: ChatWire, reply: Reply, **more: Any) -> list[Json]:
    frames = wire.stream(asking(USER, **more), 3, reply, Tokens(10, 20, 0, 40))
    assert frames[-1].data == b"data: [DONE]\n\n"
    said = [frame.data for frame in frames[:-1] if not frame.data.startswith(b":")]
    assert all(data.startswith(b"data: ") and data.endswith(b"\n\n") for data in said)
    return [json.loads(data.removeprefix(b"data: ")) for data in said]


REPLY = Reply((Think("a b"), Say("é ü"), Call("run_code", {"c": 1}), Call("inspect", "", "k9")))


def test_an_answer_is_written_as_the_provider_writes_it() -> None:
    chunks = answered(ChatWire(), REPLY)
    assert all(one["object"] == "chat.completion.chunk" for one in chunks)
    choices = [one["choices"][0] for one in chunks[:-1]]
    begun = {"type": "function", "function": {"name": "run_code", "arguments": ""}}
    last = {"type": "function", "function": {"name": "inspect", "arguments": ""}}
    assert [one["delta"] for one in choices] == [
        {"role": "assistant", "content": "", "refusal": None},
        {"reasoning": "a"},
        {"reasoning": " b"},
        {"content": "é"},
        {"content": " ü"},
        {"tool_calls": [{"index": 0, "id": "call_s3c0", **begun}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"c":1}'}}]},
        {"tool_calls": [{"index": 1, "id": "k9", **last}]},
        {},
    ]
    assert [one["finish_reason"] for one in choices] == [None] * 8 + ["tool_calls"]
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["prompt_tokens"] == 30
    assert chunks[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] == 20
    assert "usage" not in answered(ChatWire(), REPLY, stream_options={})[-1]


def test_deepseek_writes_its_reasoning_and_what_it_read_from_its_cache() -> None:
    wire = DeepSeekWire()
    chunks = answered(wire, REPLY)
    deltas = [one["choices"][0]["delta"] for one in chunks]
    assert deltas[0] == {"role": "assistant", "content": None, "reasoning_content": ""}
    assert deltas[1] == {"content": None, "reasoning_content": "a"}
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert chunks[-1]["usage"]["prompt_cache_hit_tokens"] == 20
    assert chunks[-1]["usage"]["prompt_cache_miss_tokens"] == 10
    raw = wire.stream(asking(USER), 0, Reply(), Tokens())
    assert raw[0].data == b": keep-alive\n\n"


def test_deepseek_wants_the_reasoning_of_turns_with_calls_back() -> None:
    wire = DeepSeekWire()
    answered(wire, Reply((Think("hm"), Call("run_code", id="named_otherwise"))))
    thought = calling("k1", reasoning_content="hm")
    ended = {**SAID, "reasoning_content": ""}
    wire.check(asking(USER, thought, result("k1")))
    wire.check(asking(USER, thought, result("k1"), ended, USER))
    wire.check(asking(USER, SAID, USER))
    wire.check(asking(USER, calling("k2", reasoning_content=""), result("k2"), model="other"))
    for messages, why in (
        ((USER, calling("k1"), result("k1")), "Missing `reasoning_content` field"),
        ((USER, thought, result("k1"), SAID, USER), "at message index 3"),
        ((USER, calling("k1", reasoning_content=""), result("k1")), "was changed"),
    ):
        assert why in refusal(asking(*messages), wire)


def test_errors_have_the_shape_of_the_provider() -> None:
    assert b'"code":"context_length_exceeded"' in ChatWire().overflow().body
    assert b"maximum context length" in DeepSeekWire().overflow().body
    assert b"context_length_exceeded" not in DeepSeekWire().overflow().body
    assert DeepSeekWire().error(401, "", "No.") == (
        b'{"error":{"message":"No.","type":"authentication_error","param":null,'
        b'"code":"invalid_request_error"}}'
    )
    assert ChatWire().stream_error("", "Oh.") == (
        b'data: {"error":{"message":"Oh.","type":"server_error","param":null,"code":null}}\n\n'
    )


def test_a_local_server_wants_no_key_and_deepseek_does() -> None:
    headers = {"content-type": "application/json"}
    ChatWire().admit(headers, None)
    with pytest.raises(Refused):
        ChatWire().admit(headers, "mine")
    with pytest.raises(Refused):
        DeepSeekWire().admit(headers, None)
