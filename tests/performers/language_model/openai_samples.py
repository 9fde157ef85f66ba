"""Streams of OpenAI's two wires, and conversations to send over them."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
from hypothesis import strategies as st
from tests.providers.script import Call, Reply, Say, Think, Tokens
from tests.providers.wire import Wire

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
from hearth.performers.language_model.codec import (
    Codec,
    Heard,
    Opening,
    StreamReader,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)

FIXTURES: Final = Path(__file__).parent / "fixtures"
TOOLS: Final = (
    '[{"name":"inspect","description":"Look.","input_schema":{"type":"object","properties":'
    '{"name":{"type":"string"}},"required":["name"]}},{"name":"run_code","description":"Run.",'
    '"input_schema":{"type":"object","properties":{"code":{"type":"string"}}}}]'
)


def stream(name: str) -> bytes:
    """A stream as a provider writes it, by the name of its file: `chat/text`."""
    return (FIXTURES / f"{name}.sse").read_bytes()


def choice(
    name: str, dialect: Dialect, *, effort: Effort = Effort.HIGH, max_output: int = 1000
) -> ModelChoice:
    """A model by its full name."""
    provider, _, model = name.partition(":")
    return ModelChoice(provider, model, dialect, 128_000, max_output, effort)


def opening(chosen: ModelChoice, *, tools: str = TOOLS, system: str = "You help.") -> Opening:
    """What stands before the messages."""
    return Opening(chosen, system, tools, "session-1")


def sent(codec: Codec, begun: Opening, messages: list[Message]) -> dict[str, Any]:
    """A whole request, as the provider reads it."""
    body: dict[str, Any] = msgspec.json.decode(wire(codec, begun, messages))
    return body


def wire(codec: Codec, begun: Opening, messages: list[Message]) -> bytes:
    """The bytes of a request."""
    pieces = [piece for one in messages if (piece := codec.piece(one, begun.choice))]
    return codec.opening(begun) + b",".join(pieces) + codec.closing()


def read(reader: StreamReader, data: bytes, cuts: list[int] | None = None) -> list[Heard]:
    """Feed a stream, cut into pieces."""
    places = [0, *sorted(cuts or []), len(data)]
    heard: list[Heard] = []
    for first, last in pairwise(places):
        heard += reader.feed(data[first:last])
    return heard


def told(heard: list[Heard]) -> dict[int, str]:
    """What was shown while it came, by place."""
    shown: dict[int, str] = {}
    for one in heard:
        text = one.text if isinstance(one, TextHeard | ThinkingHeard) else one.name
        shown[one.place] = shown.get(one.place, "") + text
    return shown


def outcome(reader: StreamReader, data: bytes, cuts: list[int]) -> object:
    """How reading a stream ends, and what was shown by then."""
    heard: list[Heard] = []
    try:
        heard += read(reader, data, cuts)
        return told(heard), reader.finish()
    except WireTrouble as trouble:
        return trouble.trouble, trouble.message, trouble.status


def talk(strict: Wire, codec: Codec, chosen: ModelChoice, replies: Sequence[Reply]) -> int:
    """Hold a conversation with a strict provider, which raises Refused at what it does not take.

    How many messages it has taken in the end.
    """
    begun, before = opening(chosen), b""
    messages: list[Message] = [user("Hello")]
    for number, reply in enumerate(replies):
        data = wire(codec, begun, messages)
        assert data.startswith(before)
        before = data.removesuffix(codec.closing())
        request = msgspec.json.decode(data)
        strict.admit(codec.headers("k"), None)
        strict.check(request)
        reader = codec.reader(chosen)
        for frame in strict.stream(request, number, reply, Tokens(5, 4, 0, 3)):
            reader.feed(frame.data)
        messages += _answer(reader.finish().written, chosen.name)
    strict.check(msgspec.json.decode(wire(codec, begun, messages)))
    return len(messages)


def _answer(written: tuple[Written, ...], model: str) -> list[Message]:
    parts: list[SaidText | Thought | Called] = []
    for one in written:
        if one.thinking:
            parts.append(Thought(str(one.text), str(one.native), model))
        elif one.name:
            parts.append(Called(one.wire_id, one.name, str(one.text)))
        else:
            parts.append(SaidText(str(one.text)))
    said = _steps(parts)
    return said if isinstance(said[-1], ToolMessage) else [*said, user("And?")]


REPLIES: Final = (
    Reply((Think("Hm."), Say("I look."), Call("run_code", {"code": "1"}), Call("inspect"))),
    Reply((Call("inspect", {"name": "df"}),)),
    Reply((Think("Ah."), Say("Done."))),
    Reply((Say("No."),), stop="refusal"),
    Reply((Think("表"), Call("run_code", "not JSON"))),
    Reply((Say("Cut"),), stop="length"),
    Reply((Say("Bye."),)),
)
"""Answers of a provider, of every kind there is."""


def user(text: str) -> UserMessage:
    """A message of a person."""
    return UserMessage(BlockId("b1"), text)


def assistant(*parts: SaidPart) -> AssistantMessage:
    """What a model said in one step."""
    return AssistantMessage(BlockId("b2"), parts)


def step(
    model: str, native: str, *, text: str = "", call: str = "call_1", arguments: str = '{"a": 1}'
) -> list[Message]:
    """A step in which a model thought and called a tool, and the tool's result."""
    said = (SaidText(text),) if text else ()
    thought = Thought("…", native, model)
    return [
        assistant(thought, *said, Called(call, "run_code", arguments)),
        ToolMessage(BlockId("b3"), (Returned(call, "run_code", "4"),)),
    ]


_texts = st.text(min_size=1, max_size=20)
_natives = st.sampled_from(
    [
        '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}',
        '{"reasoning_content":"hm"}',
        "no JSON",
        "[]",
    ]
)
_models = st.sampled_from(["openai:gpt-5.6", "deepseek:deepseek-v4-pro", "anthropic:claude-opus-5"])
_parts = st.one_of(
    st.builds(SaidText, _texts),
    st.builds(Thought, st.text(max_size=5), _natives, _models),
    st.builds(Called, _texts, st.just("run_code"), st.text(max_size=12)),
)


def _steps(parts: list[SaidText | Thought | Called]) -> list[Message]:
    calls = [part for part in parts if isinstance(part, Called)]
    results = tuple(Returned(call.wire_id, call.name, "", is_error=True) for call in calls)
    said: list[Message] = [assistant(*parts)]
    return [*said, ToolMessage(BlockId("b3"), results)] if results else said


conversations: Final[st.SearchStrategy[list[Message]]] = st.lists(
    st.one_of(
        _texts.map(lambda text: [user(text)]),
        st.lists(_parts, min_size=1, max_size=5).map(_steps),
    ),
    max_size=6,
).map(lambda turns: [user("hello"), *[message for turn in turns for message in turn]])
