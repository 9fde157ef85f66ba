"""The pretended Anthropic refuses what the real one refuses, and writes as it writes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.providers.anthropic import AnthropicWire
from tests.providers.script import Call, Json, Reply, Say, Think, Tokens
from tests.providers.wire import Refused, signature_of

MARK = {"type": "ephemeral"}


def text(said: str, **more: Any) -> Json:
    return {"type": "text", "text": said, **more}


def thinking(thought: str) -> Json:
    return {"type": "thinking", "thinking": thought, "signature": signature_of(thought)}


def use(identifier: str, **more: Any) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "run_code", "input": {}, **more}


def result(identifier: str, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "2", **more}


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def asking(*messages: Json, **more: Any) -> Json:
    return {
        "model": "claude-x",
        "max_tokens": 8192,
        "stream": True,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "max"},
        "tools": [{"name": "run_code", "description": "", "input_schema": {"type": "object"}}],
        "system": [text("Be kind.", cache_control=MARK)],
        "messages": list(messages),
        **more,
    }


ASKED = user(text("hi"))
STEP = (ASKED, assistant(text("so"), use("k1"), use("k2")), user(result("k1"), result("k2")))


def refusal(request: Json, wire: AnthropicWire | None = None) -> str:
    with pytest.raises(Refused) as caught:
        (wire or AnthropicWire()).check(request)
    return str(caught.value)


def test_what_the_protocol_allows_is_accepted() -> None:
    for request in (
        asking(ASKED),
        asking({"role": "user", "content": "hi"}),
        asking(*STEP),
        asking(*STEP, user(text("also")), assistant(text("a"), text("b")), ASKED),
        asking(ASKED, assistant(thinking("hm")), assistant(use("k1")), user(result("k1"))),
        asking(ASKED, assistant(use("k1")), user(result("k1", content="no", is_error=True))),
        asking(ASKED, assistant(use("k1")), user(result("k1", content=""))),
        asking(ASKED, assistant(thinking("")), ASKED),
        asking(user(text("hi", cache_control={"type": "ephemeral", "ttl": "1h"}))),
        asking(ASKED, thinking={"type": "enabled", "budget_tokens": 1024}),
    ):
        AnthropicWire().check(request)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (asking(), "at least one message"),
        (asking(ASKED, stream=False), "only streams"),
        (asking(ASKED, top="p"), "top: Extra inputs"),
        (asking(ASKED, max_tokens=0), "max_tokens"),
        (asking(ASKED, thinking={"type": "maximal"}), "thinking: Input tag"),
        (asking(ASKED, thinking={"type": "enabled", "budget_tokens": 9999}), "less than"),
        (asking(ASKED, output_config={"effort": "huge"}), "effort"),
        (asking(ASKED, system=[text("")]), "non-whitespace"),
        (asking(ASKED, system=[]), "non-empty"),
        (asking(ASKED, tools=[{"name": "a"}]), "tools.0.input_schema: Field required"),
        (asking(ASKED, tools=[{"name": "a b", "input_schema": {"type": "object"}}]), "name"),
        (asking(ASKED, tools=[{"name": "a", "input_schema": {"type": "object"}}] * 2), "unique"),
        (asking(ASKED, tools=[{"name": "a", "input_schema": {"anyOf": []}}]), "input_schema"),
        (asking({"role": "system", "content": "hi"}), "messages.0.role"),
        (asking({"role": "user"}), "messages.0.content: Field required"),
        (asking({"role": "user", "content": ""}), "non-whitespace"),
        (asking(user()), "non-empty content"),
        (asking(user(text(" \n"))), "messages.0.content.0: text content blocks"),
        (asking(user(text("hi", colour="red"))), "messages.0.content.0.colour: Extra"),
        (asking(user(thinking("mine"))), "not allowed for users"),
        (asking(assistant(text("hi"))), "first message must use the user role"),
        (asking(ASKED, assistant(text("hi"))), "must end with a user message"),
        (asking(ASKED, assistant(result("k1")), ASKED), "not allowed for assistants"),
        (asking(*STEP[:2]), "without `tool_result` blocks immediately after: k1, k2"),
        (asking(*STEP[:2], ASKED), "immediately after: k1, k2"),
        (asking(*STEP[:2], user(result("k1"))), "immediately after: k2"),
        (asking(*STEP[:2], user(text("wait"), result("k1"), result("k2"))), "must come first"),
        (asking(*STEP[:2], user(result("k1"), result("k2"), result("k2"))), "single result"),
        (asking(*STEP[:2], assistant(text("and"))), "immediately after"),
        (asking(user(result("k1"))), "unexpected `tool_use_id`"),
        (asking(*STEP, user(result("k1"))), "unexpected `tool_use_id`"),
        (asking(*STEP, *STEP[1:]), "must be unique"),
        (asking(ASKED, assistant(use("k.1")), ASKED), "id: String should match"),
        (asking(ASKED, assistant(use("k" * 65)), ASKED), "id: String should match"),
        (asking(ASKED, assistant(use("k1", input="{}")), ASKED), "input"),
        (asking(ASKED, assistant(use("k1"), text("so")), ASKED), "must be the last"),
        (asking(ASKED, assistant(text("so"), thinking("hm")), ASKED), "thinking comes first"),
        (asking(ASKED, assistant(use("k1")), user(result("k1", content="", is_error=True))), "emp"),
        (
            asking(ASKED, assistant({"type": "thinking", "thinking": "hm"}), ASKED),
            "signature: Field required",
        ),
        (asking(ASKED, assistant({**thinking("hm"), "thinking": "h"}), ASKED), "Invalid `sig"),
        (asking(ASKED, assistant({**thinking("hm"), "cache_control": MARK}), ASKED), "Extra"),
        (
            asking(ASKED, assistant({"type": "redacted_thinking", "data": "mine"}), ASKED),
            "Invalid `data`",
        ),
        (asking(user(text("hi", cache_control={"type": "lasting"}))), "cache_control"),
        (asking(user(*[text("hi", cache_control=MARK)] * 4)), "maximum of 4 blocks"),
    ],
)
def test_what_the_protocol_does_not_allow_is_refused(request_: Json, why: str) -> None:
    assert why in refusal(request_)


def test_a_mark_in_what_a_tool_was_given_is_none() -> None:
    given = {"content": [{"cache_control": MARK}] * 9}
    AnthropicWire().check(asking(ASKED, assistant(use("k1", input=given)), user(result("k1"))))


@pytest.mark.parametrize("change", [lambda _: None, lambda headers: headers.pop("content-type")])
def test_headers_are_looked_at(change: Callable[[dict[str, str]], object]) -> None:
    headers = {
        "x-api-key": "mine",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
    }
    AnthropicWire().admit(headers, "mine")
    AnthropicWire().admit(headers, None)
    change(headers)
    for name in list(headers):
        without = {key: value for key, value in headers.items() if key != name}
        with pytest.raises(Refused):
            AnthropicWire().admit(without, None)
    with pytest.raises(Refused) as caught:
        AnthropicWire().admit(headers, "another")
    assert caught.value.status == 401


def answered(wire: AnthropicWire, reply: Reply) -> bytes:
    frames = wire.stream(asking(ASKED), 3, reply, Tokens(10, 20, 30, 40))
    return b"".join(frame.data for frame in frames)


def test_what_was_thought_before_a_call_must_come_back_with_it() -> None:
    wire = AnthropicWire()
    answered(wire, Reply((Think("hm", "sealed"), Call("run_code", id="named_otherwise"))))
    sealed = {"type": "thinking", "thinking": "hm", "signature": "sealed"}
    back = (use("k1"), user(result("k1")))
    wire.check(asking(ASKED, assistant(sealed, back[0]), back[1]))
    wire.check(asking(ASKED, assistant(sealed, text("so")), assistant(back[0]), back[1]))
    wire.check(asking(ASKED, assistant(back[0]), back[1], model="claude-y"))
    assert "Expected `thinking`" in refusal(asking(ASKED, assistant(back[0]), back[1]), wire)
    other = use("k1", input={"code": "1"})
    wire.check(asking(ASKED, assistant(other), back[1]))
    altered = {**sealed, "thinking": "h"}
    assert "Invalid `sig" in refusal(asking(ASKED, assistant(altered, back[0]), back[1]), wire)


def test_redacted_thinking_must_come_back_as_it_was() -> None:
    wire = AnthropicWire()
    answered(wire, Reply((Think(signature="opaque", redacted=True), Call("run_code", id="k1"))))
    opaque = {"type": "redacted_thinking", "data": "opaque"}
    wire.check(asking(ASKED, assistant(opaque, use("k1")), user(result("k1"))))
    assert "Expected" in refusal(asking(ASKED, assistant(use("k1")), user(result("k1"))), wire)


def test_an_answer_that_was_paused_may_stand_last() -> None:
    wire = AnthropicWire()
    answered(wire, Reply((Say("well"),), stop="pause"))
    wire.check(asking(ASKED, assistant(text("well"))))
    answered(wire, Reply((Say("done"),)))
    assert "must end" in refusal(asking(ASKED, assistant(text("well"))), wire)


def test_an_answer_is_written_as_the_provider_writes_it() -> None:
    reply = Reply((Think("a b", "sig"), Say("é ü"), Call("run_code", {"code": "1"})))
    stream = answered(AnthropicWire(), reply)
    assert stream.startswith(
        b"event: message_start\n"
        b'data: {"type":"message_start","message":{"model":"claude-x","id":"msg_01pretended3",'
        b'"type":"message","role":"assistant","content":[],"stop_reason":null,'
        b'"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":30,'
        b'"cache_read_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":30,'
        b'"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}\n\n'
        b'event: ping\ndata: {"type":"ping"}\n\n'
    )
    rest = [
        json.loads(frame.partition(b"data: ")[2]) for frame in stream.split(b"\n\n")[2:] if frame
    ]
    delta = "content_block_delta"
    assert rest == [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {"type": delta, "index": 0, "delta": {"type": "thinking_delta", "thinking": "a"}},
        {"type": delta, "index": 0, "delta": {"type": "thinking_delta", "thinking": " b"}},
        {"type": delta, "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "text", "text": ""},
        },
        {"type": delta, "index": 1, "delta": {"type": "text_delta", "text": "é"}},
        {"type": delta, "index": 1, "delta": {"type": "text_delta", "text": " ü"}},
        {"type": "content_block_stop", "index": 1},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {
                "type": "tool_use",
                "id": "toolu_01s3c0",
                "name": "run_code",
                "input": {},
            },
        },
        {"type": delta, "index": 2, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {
            "type": delta,
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": '{"code":"1"}'},
        },
        {"type": "content_block_stop", "index": 2},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 30,
                "cache_read_input_tokens": 20,
                "output_tokens": 40,
            },
        },
        {"type": "message_stop"},
    ]


def test_errors_have_the_shape_of_the_provider() -> None:
    wire = AnthropicWire()
    assert wire.error(529, "", "Overloaded") == (
        b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},'
        b'"request_id":"req_011pretended"}'
    )
    assert wire.overflow().status == 400
    assert b"prompt is too long" in wire.overflow().body
    assert wire.stream_error("", "Overloaded") == (
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error",'
        b'"message":"Overloaded"}}\n\n'
    )
