"""The pretended OpenAI refuses what the real one refuses, and writes as it writes."""

import json
from typing import Any

import pytest
from tests.providers.responses import ResponsesWire
from tests.providers.script import Call, Json, Reply, Say, Think, Tokens
from tests.providers.wire import Refused, signature_of

USER = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
SAID = {"role": "assistant", "content": [{"type": "output_text", "text": "so"}]}


def call(identifier: str, **more: Any) -> Json:
    return {
        "type": "function_call",
        "call_id": identifier,
        "name": "run_code",
        "arguments": "{}",
        **more,
    }


def output(identifier: str, **more: Any) -> Json:
    return {"type": "function_call_output", "call_id": identifier, "output": "2", **more}


def reasoning(thought: str, **more: Any) -> Json:
    return {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": thought}] if thought else [],
        "encrypted_content": signature_of(thought),
        **more,
    }


def asking(*items: Json, **more: Any) -> Json:
    tool = {"type": "function", "name": "run_code", "parameters": {"type": "object"}}
    return {
        "model": "gpt-x",
        "store": False,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
        "prompt_cache_key": "session",
        "instructions": "Be kind.",
        "tools": [{**tool, "strict": False}],
        "input": list(items),
        **more,
    }


def refusal(request: Json, wire: ResponsesWire | None = None) -> str:
    with pytest.raises(Refused) as caught:
        (wire or ResponsesWire()).check(request)
    return str(caught.value)


def test_what_the_protocol_allows_is_accepted() -> None:
    for request in (
        asking(USER),
        asking({"role": "user", "content": "hi"}),
        asking(USER, SAID, USER),
        asking(USER, call("k1"), call("k2"), output("k2"), output("k1")),
        asking(USER, reasoning("hm"), SAID, call("k1"), output("k1"), USER),
        asking(USER, reasoning(""), call("k1"), output("k1"), reasoning("a"), SAID, USER),
        asking(USER, call("k.1/2"), output("k.1/2", output="")),
    ):
        ResponsesWire().check(request)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (asking(), "a list of items"),
        (asking(USER, stream=False), "only streams"),
        (asking(USER, store=True), "keeps nothing"),
        (asking(USER, top_k=1), "Unknown parameter: 'top_k'."),
        (asking(USER, include=["all"]), "Invalid value"),
        (asking(USER, reasoning={"effort": "huge"}), "reasoning.effort"),
        (asking(USER, tools=[{"type": "function", "name": "a"}]), "'tools[0].parameters'"),
        (asking({"role": "user"}), "Missing required parameter: 'input[0].content'."),
        (asking({"role": "robot", "content": "hi"}), "input[0].role"),
        (asking({"role": "user", "content": ""}), "empty string"),
        (asking({"role": "user", "content": []}), "empty array"),
        (asking({**USER, "colour": "red"}), "Unknown parameter: 'input[0].colour'."),
        (asking({"type": "thing"}), "Invalid value: 'thing'"),
        (asking(USER, {**SAID, "content": USER["content"]}, USER), "'input_text'"),
        (asking({**USER, "content": SAID["content"]}), "'output_text'"),
        (asking(USER, SAID), "must not end with an assistant message"),
        (asking(USER, call("k1")), "No tool output found for function call k1."),
        (asking(USER, call("k1"), USER), "No tool output found for function call k1."),
        (asking(USER, call("k1"), SAID, output("k1")), "No tool output found"),
        (asking(USER, call("k1"), call("k2"), output("k1"), call("k3")), "No tool output found"),
        (asking(USER, output("k1")), "No tool call found for function call output"),
        (asking(USER, call("k1"), output("k1"), output("k1")), "No tool call found"),
        (asking(USER, call("k1"), output("k1"), call("k1"), output("k1")), "Duplicate call_id"),
        (asking(USER, call("k" * 65), output("k" * 65)), "64 characters"),
        (asking(USER, call("k1", arguments={}), output("k1")), "arguments are not right"),
        (asking(USER, call("k1"), output("k1", output=None)), "input[2].output"),
        (asking(USER, reasoning("hm")), "without its required following item"),
        (asking(USER, reasoning("hm"), USER), "without its required following item"),
        (asking(USER, call("k1"), reasoning("hm"), output("k1")), "No tool output"),
        (asking(USER, reasoning("hm", encrypted_content="x"), SAID, USER), "not be verified"),
        (asking(USER, reasoning("hm", summary=[]), SAID, USER), "not be verified"),
        (
            asking(USER, {"type": "reasoning", "id": "rs_1", "summary": []}, SAID, USER),
            "'input[1].encrypted_content'",
        ),
    ],
)
def test_what_the_protocol_does_not_allow_is_refused(request_: Json, why: str) -> None:
    assert why in refusal(request_)


def answered(wire: ResponsesWire, reply: Reply) -> list[Json]:
    frames = wire.stream(asking(USER), 3, reply, Tokens(10, 20, 0, 40))
    for number, frame in enumerate(frames):
        name, data = frame.data.removesuffix(b"\n\n").split(b"\n")
        value = json.loads(data.removeprefix(b"data: "))
        assert name == b"event: " + value["type"].encode()
        assert value["sequence_number"] == number
    return [json.loads(frame.data.partition(b"data: ")[2]) for frame in frames]


def test_what_was_thought_before_a_call_must_come_back_with_it() -> None:
    wire = ResponsesWire()
    answered(wire, Reply((Think("hm", "sealed"), Call("run_code", id="named_otherwise"))))
    sealed = reasoning("hm", encrypted_content="sealed")
    wire.check(asking(USER, sealed, call("k1"), output("k1")))
    wire.check(asking(USER, call("k1"), output("k1"), model="gpt-y"))
    wire.check(asking(USER, call("k1", arguments='{"code":"1"}'), output("k1")))
    assert "without its required 'reasoning'" in refusal(
        asking(USER, call("k1"), output("k1")), wire
    )


def test_an_answer_is_written_as_the_provider_writes_it() -> None:
    reply = Reply((Think("a b", "sealed"), Say("é ü"), Call("run_code", {"code": "1"})))
    events = answered(ResponsesWire(), reply)
    assert [one["type"].removeprefix("response.") for one in events] == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    done = [one["item"] for one in events if one["type"] == "response.output_item.done"]
    begun = [one["item"] for one in events if one["type"] == "response.output_item.added"]
    assert [one["output_index"] for one in events if "output_index" in one][-1] == 2
    assert done[0] == {
        "id": "rs_0pretended3i0",
        "type": "reasoning",
        "encrypted_content": "sealed",
        "summary": [{"type": "summary_text", "text": "a b"}],
    }
    assert begun[0]["summary"] == []
    assert done[2]["call_id"] == "call_s3c0"
    assert done[2]["arguments"] == '{"code":"1"}'
    whole = events[-1]["response"]
    assert whole["status"] == "completed"
    assert whole["output"] == done
    assert whole["usage"]["input_tokens"] == 30
    assert whole["usage"]["input_tokens_details"] == {"cached_tokens": 20}
    assert events[0]["response"]["output"] == []


def test_what_is_encrypted_is_complete_with_its_item_only() -> None:
    begun, done = (
        one["item"]
        for one in answered(ResponsesWire(), Reply((Think(),)))
        if "output_item" in one["type"]
    )
    assert done["encrypted_content"] == signature_of("")
    assert begun["encrypted_content"] != done["encrypted_content"]


def test_refusals_and_answers_that_are_too_long_are_told() -> None:
    refused = answered(ResponsesWire(), Reply((Say("No, never."),), stop="refusal"))
    assert [one["delta"] for one in refused if one["type"] == "response.refusal.delta"] == [
        "No,",
        " never.",
    ]
    assert refused[-1]["response"]["output"][0]["content"] == [
        {"type": "refusal", "refusal": "No, never."}
    ]
    long = answered(ResponsesWire(), Reply((Say("And"),), stop="length"))[-1]
    assert long["type"] == "response.incomplete"
    assert long["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


def test_errors_have_the_shape_of_the_provider() -> None:
    wire = ResponsesWire()
    assert wire.error(429, "", "Slower.") == (
        b'{"error":{"message":"Slower.","type":"requests","param":null,'
        b'"code":"rate_limit_exceeded"}}'
    )
    assert b'"code":"context_length_exceeded"' in wire.overflow().body
    assert wire.stream_error("", "Oh.").startswith(
        b'event: error\ndata: {"type":"error","code":"server_error","message":"Oh.","param":null,'
    )
    assert b"event: response.failed\n" in wire.stream_error("", "Oh.")


def test_headers_are_looked_at() -> None:
    headers = {"authorization": "Bearer mine", "content-type": "application/json; charset=utf-8"}
    ResponsesWire().admit(headers, "mine")
    for other in (
        {**headers, "authorization": ""},
        {**headers, "authorization": "Basic mine"},
        {**headers, "authorization": "Bearer yours"},
        {"authorization": "Bearer mine"},
    ):
        with pytest.raises(Refused):
            ResponsesWire().admit(other, "mine")
