"""Anthropic's Messages: a conversation as its bytes.

What the protocol demands of an answer that is sent back, and what becomes of it here:

- Thinking is sent exactly as it came, to the model that wrote it; any other is not sent it.
- Thinking stands before all else in its message. Where a model thought again after it had written,
  a second message begins there: the provider joins messages of one side, so nothing changes places.
- Results stand directly behind their calls, so nothing may stand between them. What a model wrote
  or thought behind a call is therefore sent before its calls; these keep their order, and end the
  message that their results follow.
- Text that is empty or blank is refused, so it is not sent; nor is a message that is left without
  anything: its piece is empty.
"""

from http import HTTPStatus
from typing import Any, Final, TypeAlias, assert_never

import msgspec

from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    Picture,
    Returned,
    SaidPart,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)
from hearth.core.vocabulary.modelling import Trouble
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.anthropic_stream import AnthropicReader
from hearth.performers.language_model.capabilities import capabilities
from hearth.performers.language_model.codec import Opening, StreamReader, WireTrouble
from hearth.performers.language_model.event_reading import not_a_stream
from hearth.performers.language_model.failures import told, trouble_of
from hearth.performers.language_model.sent_back import arguments_sent, native_item, plain_id

VERSION: Final = "2023-06-01"
LEAST_BUDGET: Final = 1_024
"""Fewer tokens to think with are refused."""
LEAST_ANSWER: Final = 1_024
"""So many tokens are left for the answer, whatever is thought."""
WORDLESS_FAILURE: Final = "It failed, and did not say why."
"""For the model: a result that is an error is refused without words."""
BUDGETS: Final = {
    Effort.LOW: 4_096,
    Effort.MEDIUM: 12_288,
    Effort.HIGH: 24_576,
    Effort.MAX: 49_152,
}

_Block: TypeAlias = dict[str, Any]
_Piece: TypeAlias = _Block | msgspec.Raw
"""A block of a message; one that is a provider's own is sent as it came."""
_MARK: Final = {"type": "ephemeral"}
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_DIGITS: Final = 12


class AnthropicCodec:
    """The protocol of `POST /v1/messages`."""

    dialect = Dialect.ANTHROPIC
    path = "/v1/messages"

    def headers(self, key: str) -> dict[str, str]:
        """Every header of a request but its length; without a key none is sent."""
        said = {
            "accept": "text/event-stream",
            "anthropic-version": VERSION,
            "content-type": "application/json",
        }
        return {**said, "x-api-key": key} if key else said

    def opening(self, opening: Opening) -> bytes:
        """The bytes before the first message; the end of what never changes is marked."""
        choice = opening.choice
        body: dict[str, Any] = {
            "model": choice.model,
            "max_tokens": choice.max_output,
            "stream": True,
            **_thinking(choice),
        }
        tools = msgspec.json.decode(opening.tools, type=list[_Block]) if opening.tools else []
        if tools:
            body["tools"] = tools
        if opening.system.strip():
            body["system"] = [_marked(_text(opening.system))]
        elif tools:
            tools[-1] = _marked(tools[-1])
        return msgspec.json.encode(body).removesuffix(b"}") + b',"messages":['

    def piece(self, message: Message, choice: ModelChoice, *, marked: bool = False) -> bytes:
        """One message as JSON, or two joined by a comma; empty if nothing of it can be sent."""
        messages: list[list[_Piece]]
        match message:
            case UserMessage(text=text):
                role, messages = "user", [[_text(text)] if text.strip() else []]
            case AssistantMessage(parts=parts):
                role, messages = "assistant", _messages(parts, choice)
            case ToolMessage(results=results):
                role, messages = "user", [[_result(result) for result in results]]
            case _:
                assert_never(message)
        if marked:
            _mark_last([piece for pieces in messages for piece in pieces])
        return b",".join(
            msgspec.json.encode({"role": role, "content": pieces}) for pieces in messages if pieces
        )

    def closing(self) -> bytes:
        """The bytes after the last message."""
        return b"]}"

    def reader(self, choice: ModelChoice) -> StreamReader:  # noqa: ARG002 - all models answer alike
        """Understands the answer to one request."""
        return AnthropicReader()

    def rejected(self, status: int, body: bytes, retry_after: float | None) -> WireTrouble:
        """What an answer that is not a stream means."""
        if status == HTTPStatus.OK:
            return not_a_stream(body, status, retry_after)
        code, message = told(body)
        trouble = trouble_of(status, code, message)
        said = message or code or f"the provider answered with status {status}, and no word"
        if status == HTTPStatus.NOT_FOUND and trouble is Trouble.REJECTED:
            said = f"{said}: {self.path} is not there; is baseUrl right?"
        return WireTrouble(trouble, said, status, retry_after)


def scrubbed(wire_id: str) -> str:
    """An id as this protocol takes it; what had to be changed stays apart from all others."""
    return plain_id(wire_id, _DIGITS)


def _thinking(choice: ModelChoice) -> dict[str, Any]:
    """How the model is asked to think, in the words of its generation."""
    known, effort = capabilities(choice.provider, choice.model), choice.effort
    match known.thinking:
        case "none":
            return {}
        case "budget":
            budget = min(BUDGETS.get(effort, 0), choice.max_output - LEAST_ANSWER)
            if budget < LEAST_BUDGET:
                return {}
            return {"thinking": {"type": "enabled", "budget_tokens": budget}}
        case "adaptive":
            if effort is Effort.NONE and known.thinking_off == "omit":
                return {}
            if effort is Effort.NONE and known.thinking_off != "never":
                return {"thinking": {"type": known.thinking_off}}
            return {
                # Without the word it thinks all the same, but nobody is shown what.
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": known.effort_word(effort)},
            }
        case _:
            assert_never(known.thinking)


def _messages(parts: tuple[SaidPart, ...], choice: ModelChoice) -> list[list[_Piece]]:
    """What a model wrote, in messages that each begin with thinking; all calls end the last."""
    messages: list[list[_Piece]] = [[]]
    calls: list[_Piece] = []
    for part in parts:
        match part:
            case SaidText(text=text):
                if text.strip():
                    messages[-1].append(_text(text))
            case Thought():
                if not _may_return(part, choice):
                    continue
                if any(isinstance(piece, dict) for piece in messages[-1]):
                    messages.append([])
                messages[-1].append(msgspec.Raw(part.native.encode()))
            case Called():
                calls.append(_call(part))
            case _:
                assert_never(part)
    messages[-1] += calls
    return messages


def _may_return(thought: Thought, choice: ModelChoice) -> bool:
    """Whether it is this very model's, and a block of thinking as this protocol has them."""
    block = native_item(thought.native) if thought.model == choice.name else None
    return block is not None and block.get("type") in _THINKING


def _call(called: Called) -> _Block:
    return {
        "type": "tool_use",
        "id": scrubbed(called.wire_id),
        "name": called.name,
        # As the model wrote it, and not written anew: numbers and the order of names stay its own.
        "input": msgspec.Raw(arguments_sent(called.arguments).strip().encode()),
    }


def _result(returned: Returned) -> _Block:
    block: _Block = {"type": "tool_result", "tool_use_id": scrubbed(returned.wire_id)}
    if returned.pictures:
        text = [_text(returned.text)] if returned.text.strip() else []
        block["content"] = [*text, *map(_picture, returned.pictures)]
    elif returned.text.strip():
        block["content"] = returned.text
    elif returned.is_error:
        block["content"] = WORDLESS_FAILURE
    if returned.is_error:
        block["is_error"] = True
    return block


def _picture(picture: Picture) -> _Block:
    source = {"type": "base64", "media_type": picture.media_type, "data": picture.data}
    return {"type": "image", "source": source}


def _text(text: str) -> _Block:
    return {"type": "text", "text": text}


def _mark_last(pieces: list[_Piece]) -> None:
    """Have everything cached up to the last block that can carry a mark; thinking cannot."""
    for piece in reversed(pieces):
        if isinstance(piece, dict):
            piece["cache_control"] = _MARK
            return


def _marked(block: _Block) -> _Block:
    return {**block, "cache_control": _MARK}
