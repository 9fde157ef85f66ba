"""What a strict provider streams, once it was read, may be sent back to it."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.providers.anthropic import AnthropicWire
from tests.providers.script import Call, Piece, Reply, Say, Think, Tokens

from hearth.core.vocabulary.blocks import Usage
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
from hearth.core.vocabulary.modelling import Written
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.anthropic import AnthropicCodec
from hearth.performers.language_model.codec import Answer, Opening

CODEC = AnthropicCodec()
B = BlockId("b1")
TOOLS = '[{"name":"run_code","description":"Run it.","input_schema":{"type":"object"}}]'
MODELS = ("claude-opus-5-5", "claude-opus-4-8", "claude-haiku-4-5", "claude-sonnet-5")

PIECES: st.SearchStrategy[Piece] = st.one_of(
    st.builds(Say, st.sampled_from(["Well…", "", " "])),
    st.builds(Think, st.sampled_from(["hm", ""]), redacted=st.booleans()),
    st.builds(Call, st.just("run_code"), st.sampled_from(["{}", "", "[", '{"code": "1"}'])),
)
REPLIES = st.lists(PIECES, min_size=1, max_size=5)


@pytest.mark.promise("DP-WIRE-08", "DP-WIRE-09", "DP-WIRE-10", "DP-WIRE-11")
@example(
    replies=[[Call("run_code", "")], [Think("hm"), Call("run_code", "{}")]],
    model="claude-opus-4-8",
    effort=Effort.HIGH,
    cuts=[],
    odd="toolu_",
    fails=False,
)
@given(
    replies=st.lists(REPLIES, min_size=1, max_size=5),
    model=st.sampled_from(MODELS),
    effort=st.sampled_from(Effort),
    cuts=st.lists(st.integers(0, 2_000), max_size=20),
    odd=st.sampled_from(["toolu_", "call.é/", "x" * 70]),
    fails=st.booleans(),
)
def test_a_strict_provider_takes_its_own_answers_back(
    replies: list[list[Piece]],
    model: str,
    effort: Effort,
    cuts: list[int],
    odd: str,
    *,
    fails: bool,
) -> None:
    choice = ModelChoice("anthropic", model, Dialect.ANTHROPIC, 200_000, 64_000, effort)
    opening = CODEC.opening(Opening(choice, "Be kind.", TOOLS, "c"))
    provider = AnthropicWire()
    provider.admit(CODEC.headers("k"), "k")
    messages: list[Message] = [UserMessage(B, "Go on.")]
    before = b""
    for step, pieces in enumerate(replies):
        body = opening + _joined(messages, choice)
        assert body.startswith(before)
        before = body
        request = json.loads(opening + _joined(messages, choice, marks=3) + CODEC.closing())
        provider.check(request)
        # Ids that this provider would not give, but others before it may have.
        named = [
            Call(piece.name, piece.arguments, f"{odd}{step}-{place}")
            if isinstance(piece, Call)
            else piece
            for place, piece in enumerate(pieces)
        ]
        frames = provider.stream(request, step, Reply(tuple(named)), Tokens(1, 2, 3, 4))
        answer = _read(b"".join(frame.data for frame in frames), choice, cuts)
        assert answer.usage == Usage(1, 2, 3, 4)
        messages += _answered(answer, choice, fails=fails)
    last = json.loads(opening + _joined(messages, choice, marks=3) + CODEC.closing())
    provider.check(last)


def _joined(messages: list[Message], choice: ModelChoice, marks: int = 0) -> bytes:
    pieces = [
        CODEC.piece(message, choice, marked=place >= len(messages) - marks)
        for place, message in enumerate(messages)
    ]
    return b",".join(filter(None, pieces))


def _read(stream: bytes, choice: ModelChoice, cuts: list[int]) -> Answer:
    reader = CODEC.reader(choice)
    for start, end in pairwise([0, *sorted(cuts), len(stream)]):
        reader.feed(stream[start:end])
    return reader.finish()


def _answered(answer: Answer, choice: ModelChoice, *, fails: bool) -> list[Message]:
    """What the rules make of an answer: its parts, a result for each call, a word of a person."""
    parts = [part for piece in answer.written if (part := _part(piece, choice)) is not None]
    results = [
        Returned(part.wire_id, part.name, "", is_error=fails)
        for part in parts
        if isinstance(part, Called)
    ]
    messages: list[Message] = []
    if any(not isinstance(part, Thought) for part in parts):
        messages.append(AssistantMessage(B, tuple(parts)))
    if results:
        messages.append(ToolMessage(B, tuple(results)))
    return [*messages, UserMessage(B, "And now?")]


def _part(piece: Written, choice: ModelChoice) -> SaidPart | None:
    if piece.name:
        return Called(piece.wire_id, piece.name, str(piece.text))
    if not piece.thinking:
        return SaidText(str(piece.text))
    return Thought(str(piece.text), str(piece.native), choice.name) if piece.native else None
