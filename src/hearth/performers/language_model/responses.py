"""OpenAI's Responses: what a conversation looks like on this wire.

Nothing is kept by the provider: each request has the whole conversation, and reasoning in it is
encrypted. What the messages consist of comes last, so that requests are prefixes of each other.
"""

import hashlib
from typing import Any, Final, assert_never

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
from hearth.performers.language_model.capabilities import capabilities
from hearth.performers.language_model.codec import Opening, WireTrouble
from hearth.performers.language_model.openai_parts import (
    Declared,
    call_id,
    declared,
    encode,
    headers,
    result_sent,
)
from hearth.performers.language_model.openai_reading import rejected
from hearth.performers.language_model.pictures import data_url
from hearth.performers.language_model.responses_stream import ResponsesReader
from hearth.performers.language_model.sent_back import LONGEST_ID, arguments_sent, native_item


class ResponsesCodec:
    """Speaks Responses."""

    dialect: Final = Dialect.RESPONSES
    path: Final = "/responses"
    """Behind a base address that ends in `/v1`."""

    def headers(self, key: str) -> dict[str, str]:
        """The headers of a request."""
        return headers(key)

    def opening(self, opening: Opening) -> bytes:
        """Everything but the messages."""
        choice = opening.choice
        body: dict[str, Any] = {"model": choice.model, "store": False, "stream": True}
        effort = capabilities(choice.provider, choice.model).effort_word(choice.effort)
        if effort is not None:
            # Models that do not think refuse to be asked for their reasoning.
            body["include"] = ["reasoning.encrypted_content"]
            body["reasoning"] = {"effort": effort, "summary": "auto"}
        body["prompt_cache_key"] = _cache_key(opening.conversation)
        body["max_output_tokens"] = choice.max_output
        if opening.system:
            body["instructions"] = opening.system
        if tools := [_tool(tool) for tool in declared(opening.tools)]:
            body["tools"] = tools
        return encode(body)[:-1] + b',"input":['

    def piece(self, message: Message, choice: ModelChoice, *, marked: bool = False) -> bytes:
        """The items of a message; nothing for one that has none."""
        del marked  # the provider finds what it knows by itself
        return b",".join(encode(item) for item in _items(message, choice))

    def closing(self) -> bytes:
        """The end of the messages and of the body."""
        return b"]}"

    def reader(self, choice: ModelChoice) -> ResponsesReader:
        """Understands the answer to one request."""
        del choice  # all models answer alike
        return ResponsesReader()

    def rejected(self, status: int, body: bytes, retry_after: float | None) -> WireTrouble:
        """What an answer that is not a stream means."""
        return rejected(status, body, retry_after)


def _cache_key(conversation: str) -> str:
    if len(conversation) <= LONGEST_ID:
        return conversation
    return hashlib.sha256(conversation.encode()).hexdigest()[:LONGEST_ID]


def _tool(tool: Declared) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        "strict": False,
    }


def _items(message: Message, choice: ModelChoice) -> list[dict[str, Any]]:
    match message:
        case UserMessage(text=text):
            return [_message("user", "input_text", text)] if text else []
        case AssistantMessage(parts=parts):
            return _said(parts, choice)
        case ToolMessage(results=results):
            return [_result(result) for result in results]
        case _:
            assert_never(message)


def _said(parts: tuple[SaidPart, ...], choice: ModelChoice) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    for part in parts:
        match part:
            case Thought():
                thoughts += _thought(part, choice)
                continue
            case SaidText(text=text):
                said = _message("assistant", "output_text", text) if text else None
            case Called():
                said = _call(part)
            case _:
                assert_never(part)
        if said is not None:
            # Reasoning is refused without an item behind it, so what ends a message is left out.
            items += [*thoughts, said]
            thoughts = []
    return items


def _thought(thought: Thought, choice: ModelChoice) -> list[dict[str, Any]]:
    """The provider's own item, to the model that wrote it alone: no other can read it.

    Its id is left out. By it the provider would look for the item among those it keeps, and for
    the one that followed by the id that had; it keeps none, and the content says everything.
    """
    item = native_item(thought.native) if thought.model == choice.name else None
    if item is None or item.get("type") != "reasoning":
        return []
    return [{name: value for name, value in item.items() if name != "id"}]


def _message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _call(called: Called) -> dict[str, Any]:
    return {
        "type": "function_call",
        "call_id": call_id(called.wire_id),
        "name": called.name,
        "arguments": arguments_sent(called.arguments),
    }


def _result(result: Returned) -> dict[str, Any]:
    return {
        "type": "function_call_output",
        "call_id": call_id(result.wire_id),
        "output": _output(result) if result.pictures else result_sent(result),
    }


def _output(result: Returned) -> list[dict[str, Any]]:
    text = [{"type": "input_text", "text": said}] if (said := result_sent(result)) else []
    pictures = [
        {"type": "input_image", "image_url": data_url(one), "detail": "auto"}
        for one in result.pictures
    ]
    return [*text, *pictures]
