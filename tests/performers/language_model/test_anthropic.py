"""A conversation as the bytes that Anthropic's Messages take."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.language_model.anthropic_strictness import accept, blocks_of

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    Returned,
    SaidPart,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)
from hearth.core.vocabulary.modelling import Trouble
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.anthropic import VERSION, AnthropicCodec, scrubbed
from hearth.performers.language_model.anthropic_stream import AnthropicReader
from hearth.performers.language_model.codec import Codec, Opening

CODEC: Codec = AnthropicCodec()
OPUS = ModelChoice("anthropic", "claude-opus-4-8", Dialect.ANTHROPIC, 1_000_000, 128_000)
TOOLS = '[{"name":"run_code","description":"Run it.","input_schema":{"type":"object"}}]'
OPENING = Opening(OPUS, "You are kind.", TOOLS, "conversation-1")
NATIVE = '{"type":"thinking","thinking":"hm","signature":"c2ln"}'
HIDDEN = '{"type":"redacted_thinking","data":"ZGF0YQ=="}'
FAILED = (
    b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"k",'
    b'"content":"It failed, and did not say why.","is_error":true}]}'
)
B = BlockId("b1")


def thought(native: str = NATIVE, model: str = OPUS.name) -> Thought:
    return Thought("hm", native, model)


def called(wire_id: str, arguments: str = "{}") -> Called:
    return Called(wire_id, "run_code", arguments)


def said(*parts: SaidPart) -> AssistantMessage:
    return AssistantMessage(B, parts)


def sent(message: Message, *, choice: ModelChoice = OPUS, marked: bool = False) -> Any:
    """The messages that one becomes."""
    return json.loads(b"[" + CODEC.piece(message, choice, marked=marked) + b"]")


def kinds(message: AssistantMessage) -> list[list[str]]:
    return [[block["type"] for block in one["content"]] for one in sent(message)]


def body(messages: list[Message], opening: Opening = OPENING, *, marks: int = 0) -> bytes:
    """A whole request, its last messages marked."""
    pieces = [
        CODEC.piece(message, opening.choice, marked=place >= len(messages) - marks)
        for place, message in enumerate(messages)
    ]
    return CODEC.opening(opening) + b",".join(filter(None, pieces)) + CODEC.closing()


def opened(effort: Effort, model: str = OPUS.model, max_output: int = 64_000) -> dict[str, Any]:
    choice = ModelChoice("anthropic", model, Dialect.ANTHROPIC, 200_000, max_output, effort)
    request: dict[str, Any] = json.loads(
        body([UserMessage(B, "hi")], Opening(choice, "s", TOOLS, "c"))
    )
    return request


# What a request opens with.


def test_a_request_says_everything_that_stays_before_everything_that_grows() -> None:
    assert body([UserMessage(B, "Hällo")]) == (
        b'{"model":"claude-opus-4-8","max_tokens":128000,"stream":true,'
        b'"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"},'
        b'"tools":[{"name":"run_code","description":"Run it.","input_schema":{"type":"object"}}],'
        b'"system":[{"type":"text","text":"You are kind.","cache_control":{"type":"ephemeral"}}],'
        b'"messages":[{"role":"user","content":[{"type":"text","text":"H\xc3\xa4llo"}]}]}'
    )


@pytest.mark.promise("DP-WIRE-14")
@pytest.mark.parametrize(
    ("model", "effort", "thinking", "output_config"),
    [
        ("claude-opus-4-8", Effort.LOW, {"type": "adaptive", "display": "summarized"}, "low"),
        ("claude-opus-4-99", Effort.HIGH, {"type": "adaptive", "display": "summarized"}, "high"),
        ("claude-sonnet-9", Effort.MAX, {"type": "adaptive", "display": "summarized"}, "max"),
        ("claude-opus-4-8", Effort.NONE, None, None),
        ("claude-opus-5", Effort.NONE, {"type": "disabled"}, None),
        ("claude-sonnet-5-5", Effort.NONE, {"type": "between_tools"}, None),
        ("claude-fable-5-1", Effort.NONE, {"type": "adaptive", "display": "summarized"}, "low"),
        ("claude-haiku-4-5", Effort.NONE, None, None),
        ("claude-haiku-4-5", Effort.LOW, {"type": "enabled", "budget_tokens": 4_096}, None),
        ("claude-haiku-4-5", Effort.MAX, {"type": "enabled", "budget_tokens": 49_152}, None),
        ("claude-3-5-haiku-latest", Effort.MAX, None, None),
        ("some-other-model", Effort.MAX, None, None),
    ],
)
def test_each_generation_is_asked_to_think_in_its_own_words(
    model: str, effort: Effort, thinking: dict[str, Any] | None, output_config: str | None
) -> None:
    request = opened(effort, model)
    assert request.get("thinking") == thinking
    assert request.get("output_config", {}).get("effort") == output_config
    accept(request)


def test_thinking_leaves_room_for_an_answer() -> None:
    assert opened(Effort.MAX, "claude-haiku-4-5", 8_192)["thinking"]["budget_tokens"] == 7_168
    assert "thinking" not in opened(Effort.MAX, "claude-haiku-4-5", 2_000)


def test_without_a_system_text_the_tools_end_what_stays() -> None:
    request = json.loads(body([UserMessage(B, "x")], Opening(OPUS, " ", TOOLS, "c")))
    assert "system" not in request
    assert request["tools"][-1]["cache_control"] == {"type": "ephemeral"}
    bare = json.loads(body([UserMessage(B, "x")], Opening(OPUS, "", "[]", "c")))
    assert not {"system", "tools"} & set(bare)


@pytest.mark.promise("DP-WIRE-15")
def test_headers_come_from_one_place_and_are_all_documented() -> None:
    assert CODEC.headers("sk-1") == {
        "accept": "text/event-stream",
        "anthropic-version": VERSION,
        "content-type": "application/json",
        "x-api-key": "sk-1",
    }
    assert "x-api-key" not in CODEC.headers("")


# What becomes of messages.


@pytest.mark.promise("DP-WIRE-08")
def test_thinking_goes_back_exactly_as_it_came_and_to_its_own_model_alone() -> None:
    odd = '{"type":"thinking", "thinking":"\\u00e9" ,"signature":"c2ln","new":1}'
    empty = '{"type":"thinking","thinking":"","signature":"c2ln"}'
    message = said(thought(odd), thought(empty), thought(HIDDEN), SaidText("so"))
    piece = CODEC.piece(message, OPUS)
    assert b",".join([odd.encode(), empty.encode(), HIDDEN.encode()]) in piece
    for choice in (
        msgspec.structs.replace(OPUS, model="claude-opus-4-7"),
        msgspec.structs.replace(OPUS, provider="custom"),
    ):
        assert sent(message, choice=choice) == [
            {"role": "assistant", "content": [{"type": "text", "text": "so"}]}
        ]


@pytest.mark.parametrize("native", ["", "{", "[]", '{"type":"reasoning","id":"rs_1"}'])
def test_thinking_that_is_not_of_this_protocol_is_not_sent(native: str) -> None:
    assert kinds(said(thought(native), SaidText("so"))) == [["text"]]


@pytest.mark.promise("DP-WIRE-08", "DP-WIRE-11")
def test_what_a_reader_heard_is_sent_back_to_the_byte() -> None:
    stream = (
        b'data: {"type":"message_start","message":{}}\n\n'
        b'data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking",'
        b'"thinking":"","signature":"","later":true}}\n\n'
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta",'
        b'"signature":"c2ln"}}\n\n'
        b'data: {"type":"content_block_stop","index":0}\n\n'
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
        b'data: {"type":"message_stop"}\n\n'
    )
    reader = AnthropicReader()
    reader.feed(stream)
    (written,) = reader.finish().written
    message = said(Thought(str(written.text), str(written.native), OPUS.name), SaidText("a"))
    assert CODEC.piece(message, OPUS) == (
        b'{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"c2ln",'
        b'"later":true},{"type":"text","text":"a"}]}'
    )


@pytest.mark.promise("DP-WIRE-09")
@pytest.mark.parametrize(
    ("message", "piece"),
    [
        (UserMessage(B, ""), b""),
        (UserMessage(B, " \n"), b""),
        (said(SaidText("")), b""),
        (said(SaidText("\n\n")), b""),
        (said(thought(model="anthropic:other")), b""),
        (
            said(SaidText(""), SaidText("a"), SaidText(" ")),
            b'{"role":"assistant","content":[{"type":"text","text":"a"}]}',
        ),
        (
            ToolMessage(B, (Returned("k", "n", ""),)),
            b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"k"}]}',
        ),
        (
            ToolMessage(B, (Returned("k", "n", " \n"),)),
            b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"k"}]}',
        ),
        (
            ToolMessage(B, (Returned("k", "n", "", is_error=True),)),
            FAILED,
        ),
    ],
)
def test_what_is_empty_is_not_sent_nor_a_message_of_nothing_else(
    message: Message, piece: bytes
) -> None:
    assert CODEC.piece(message, OPUS) == piece
    assert CODEC.piece(message, OPUS, marked=True).count(b"cache_control") == bool(piece)


@pytest.mark.promise("DP-WIRE-11")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((thought(), SaidText("a"), called("1")), [["thinking", "text", "tool_use"]]),
        ((SaidText("a"), thought(), called("1")), [["text"], ["thinking", "tool_use"]]),
        ((called("1"), SaidText("a"), called("2")), [["text", "tool_use", "tool_use"]]),
        ((called("1"), thought(), called("2")), [["thinking", "tool_use", "tool_use"]]),
        (
            (thought(), SaidText("a"), called("1"), thought(), SaidText("b"), called("2")),
            [["thinking", "text"], ["thinking", "text", "tool_use", "tool_use"]],
        ),
        ((thought(), thought(HIDDEN), SaidText("a")), [["thinking", "redacted_thinking", "text"]]),
    ],
)
def test_thinking_comes_first_and_calls_come_last(
    parts: tuple[SaidPart, ...], expected: list[list[str]]
) -> None:
    assert kinds(said(*parts)) == expected
    calls = [
        block["id"]
        for message in sent(said(*parts))
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    assert calls == [part.wire_id for part in parts if isinstance(part, Called)]


def test_all_results_of_a_step_are_one_message() -> None:
    results = (Returned("1", "run_code", "42"), Returned("2", "run_code", "boom", is_error=True))
    assert sent(ToolMessage(B, results)) == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "42"},
                {"type": "tool_result", "tool_use_id": "2", "content": "boom", "is_error": True},
            ],
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"b":1.0, "a":1e5,"b":2}', b'"input":{"b":1.0, "a":1e5,"b":2}}'),
        (' {"x":12345678901234567890123}\n', b'"input":{"x":12345678901234567890123}}'),
        ("", b'"input":{}}'),
        ("{}", b'"input":{}}'),
        ('{"code": "x', b'"input":{"_unparsed":"{\\"code\\": \\"x"}}'),
        ("[1]", b'"input":{"_unparsed":"[1]"}}'),
        ("null", b'"input":{"_unparsed":"null"}}'),
        ('{"a":NaN}', b'"input":{"_unparsed":"{\\"a\\":NaN}"}}'),
        ('{"a":"\\ud83d"}', b'"input":{"_unparsed":"{\\"a\\":\\"\\\\ud83d\\"}"}}'),
    ],
)
def test_arguments_are_sent_as_they_were_written_or_shown_to_be_none(
    arguments: str, expected: bytes
) -> None:
    assert expected in CODEC.piece(said(called("1", arguments)), OPUS)


def test_arguments_may_be_deeper_than_any_reader_goes() -> None:
    deep = '{"a":' + "[" * 9_999 + "]" * 9_999 + "}"
    assert sent(said(called("1", deep)))[0]["content"][0]["input"] == {"_unparsed": deep}


@pytest.mark.promise("DP-WIRE-10")
@given(st.text())
def test_ids_are_scrubbed_alike_in_call_and_result(wire_id: str) -> None:
    (message,) = sent(said(called(wire_id)))
    (results,) = sent(ToolMessage(B, (Returned(wire_id, "run_code", "x"),)))
    assert message["content"][0]["id"] == results["content"][0]["tool_use_id"] == scrubbed(wire_id)
    assert scrubbed(scrubbed(wire_id)) == scrubbed(wire_id)


@pytest.mark.promise("DP-WIRE-10")
def test_ids_that_differ_stay_apart() -> None:
    odd = ["a.b", "a_b", "a:b", "x" * 65, "x" * 66, "x" * 64, "", ".", "é"]
    assert len({scrubbed(wire_id) for wire_id in odd}) == len(odd)
    assert scrubbed("toolu_01-A") == "toolu_01-A"
    assert scrubbed("toolu/01") == "toolu_01_fa2f63d1d772", "what was sent once is sent again"


# Marks.


@pytest.mark.promise("DP-WIRE-05")
def test_a_mark_stands_at_the_end_of_a_message_and_only_there() -> None:
    results = tuple(Returned(str(n), "run_code", "x") for n in range(10))
    marked = [
        "cache_control" in block
        for block in sent(ToolMessage(B, results), marked=True)[0]["content"]
    ]
    assert marked == [False] * 9 + [True]
    for message in (UserMessage(B, "a"), said(thought(), SaidText("a"), called("1"))):
        assert "cache_control" in sent(message, marked=True)[-1]["content"][-1]
        assert CODEC.piece(message, OPUS, marked=True).count(b"cache_control") == 1


@pytest.mark.promise("DP-WIRE-05")
def test_thinking_is_never_marked() -> None:
    (first, last) = sent(said(SaidText("a"), thought()), marked=True)
    assert "cache_control" in first["content"][0]
    assert "cache_control" not in last["content"][0]
    assert b"cache_control" not in CODEC.piece(said(thought()), OPUS, marked=True)


@pytest.mark.promise("DP-WIRE-05")
def test_with_three_messages_marked_there_are_four_marks() -> None:
    messages: list[Message] = [
        UserMessage(B, "a"),
        said(SaidText("b"), called("1")),
        ToolMessage(B, (Returned("1", "run_code", "x"),)),
    ]
    request = json.loads(body(messages, marks=3))
    assert [
        place for place, block in enumerate(blocks_of(request)) if "cache_control" in block
    ] == [
        1,
        2,
        4,
        5,
    ]
    accept(request)


# Any conversation.

TEXTS = st.text(max_size=20)
NATIVES = st.sampled_from([NATIVE, HIDDEN, "", "{", '{"type":"reasoning"}'])
ARGUMENTS = st.sampled_from(["{}", "", '{"code": "1"}', "[", "7"]) | TEXTS
PART = st.one_of(
    TEXTS.map(SaidText),
    st.builds(Thought, TEXTS, NATIVES, st.sampled_from([OPUS.name, "openai:gpt-5"])),
    st.builds(Called, TEXTS, st.just("run_code"), ARGUMENTS),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Whatever people and models say, as the rules compose it: each call with its result."""
    messages: list[Message] = [UserMessage(B, "first")]
    count = 0
    for parts in draw(st.lists(st.lists(PART, min_size=1, max_size=5), max_size=5)):
        written: list[SaidPart] = []
        for part in parts:
            count += 1
            # Ids are unique within a request: the rules see to it.
            written.append(
                replace(part, wire_id=f"{part.wire_id}{count}")
                if isinstance(part, Called)
                else part
            )
        messages.append(said(*written))
        calls = [part for part in written if isinstance(part, Called)]
        if calls:
            results = [
                Returned(call.wire_id, call.name, draw(TEXTS), draw(st.booleans()))
                for call in calls
            ]
            messages.append(ToolMessage(B, tuple(results)))
        if not calls or draw(st.booleans()):
            messages.append(UserMessage(B, "again"))
    return messages


@pytest.mark.promise("DP-WIRE-09", "DP-WIRE-10", "DP-WIRE-11")
@given(conversations(), st.integers(0, 3), st.sampled_from(Effort))
def test_the_strict_wire_accepts_any_conversation(
    messages: list[Message], marks: int, effort: Effort
) -> None:
    choice = msgspec.structs.replace(OPUS, effort=effort)
    accept(json.loads(body(messages, Opening(choice, "s", TOOLS, "c"), marks=marks)))


@given(conversations())
def test_a_conversation_that_grew_begins_with_the_same_bytes(messages: list[Message]) -> None:
    whole = body(messages).removesuffix(CODEC.closing())
    for length in range(1, len(messages)):
        assert whole.startswith(body(messages[:length]).removesuffix(CODEC.closing()))
    assert body(messages) == body(messages)


# Answers that are no streams.


def test_a_conversation_that_is_too_long_is_told_clearly() -> None:
    trouble = CODEC.rejected(
        400,
        b'{"type":"error","error":{"type":"invalid_request_error",'
        b'"message":"prompt is too long: 208310 tokens > 200000 maximum"},"request_id":"req_1"}',
        None,
    )
    assert trouble.trouble is Trouble.OVERFLOW
    assert trouble.message == "prompt is too long: 208310 tokens > 200000 maximum"
    assert trouble.status == 400


def test_what_a_provider_asks_to_wait_is_passed_on() -> None:
    trouble = CODEC.rejected(529, b'{"error":{"type":"overloaded_error","message":""}}', 3.5)
    assert trouble.trouble is Trouble.OVERLOADED
    assert trouble.retry_after == 3.5
    assert trouble.message == "overloaded_error"
    assert "502" in CODEC.rejected(502, b"", None).message


def test_an_address_at_which_nothing_is_says_so() -> None:
    body = b'{"type":"error","error":{"type":"not_found_error","message":"Not Found"}}'
    trouble = CODEC.rejected(404, body, None)
    assert trouble.trouble is Trouble.REJECTED
    assert trouble.message == "Not Found: /v1/messages is not there; is baseUrl right?"
    unknown = CODEC.rejected(404, body.replace(b"Not Found", b"model: claude-x"), None)
    assert unknown.trouble is Trouble.UNKNOWN_MODEL
    assert unknown.message == "model: claude-x"


def test_an_answer_under_a_good_status_that_is_no_stream_is_told_for_what_it_is() -> None:
    whole = CODEC.rejected(200, b'{"type":"message","role":"assistant","content":[]}', None)
    assert whole.trouble is Trouble.MALFORMED
    assert '{"type":"message","role":"assistant"' in whole.message
    body = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    assert CODEC.rejected(200, body, None).trouble is Trouble.OVERLOADED
