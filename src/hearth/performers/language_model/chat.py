"""Chat Completions: OpenAI's older wire, which nearly every other server speaks as well.

What servers differ in is asked of the table of models, and where that says nothing only what all
of them take is sent.
"""

from typing import Any, Final, assert_never

from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    Returned,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.capabilities import capabilities
from hearth.performers.language_model.chat_stream import ChatReader
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
from hearth.performers.language_model.sent_back import arguments_sent, native_item

_THINKING_FIELDS: Final = ("reasoning_content", "reasoning")
_HIGHEST_EFFORT: Final = {
    "openrouter": "xhigh",
    "ollama": "high",
    "llamacpp": "high",
    "vllm": "high",
}
"""Who serves models with more words for effort than the server knows itself."""
_SHOWN: Final = "What {} shows in its result {}:"
"""For the model: who speaks is no person."""
_MORE_THAN_HIGH: Final = ("xhigh", "max")


class ChatCodec:
    """Speaks Chat Completions."""

    dialect: Final = Dialect.CHAT
    path: Final = "/chat/completions"
    """Behind a base address that ends in `/v1`, or in whatever the server has in its place."""

    def headers(self, key: str) -> dict[str, str]:
        """The headers of a request."""
        return headers(key)

    def opening(self, opening: Opening) -> bytes:
        """Everything but the messages, and the system's, which is the first of them."""
        choice = opening.choice
        body: dict[str, Any] = {
            "model": choice.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            _limit_name(choice): choice.max_output,
        }
        body |= _effort(choice)
        if tools := [_tool(tool) for tool in declared(opening.tools)]:
            body["tools"] = tools
        begun = encode(body)[:-1] + b',"messages":['
        if not opening.system:
            return begun
        return begun + encode({"role": "system", "content": opening.system}) + b","

    def piece(self, message: Message, choice: ModelChoice, *, marked: bool = False) -> bytes:
        """A message; one each for several results, one for pictures; nothing if it says nothing."""
        del marked  # who caches here finds what it knows by itself
        match message:
            case UserMessage(text=text):
                return encode({"role": "user", "content": text}) if text else b""
            case AssistantMessage():
                return _said(message, choice)
            case ToolMessage(results=results):
                return b",".join(map(encode, _returned(results)))
            case _:
                assert_never(message)

    def closing(self) -> bytes:
        """The end of the messages and of the body."""
        return b"]}"

    def reader(self, choice: ModelChoice) -> ChatReader:
        """Understands the answer to one request."""
        del choice  # what a server does differently shows in what it sends
        return ChatReader()

    def rejected(self, status: int, body: bytes, retry_after: float | None) -> WireTrouble:
        """What an answer that is not a stream means."""
        return rejected(status, body, retry_after)


def _limit_name(choice: ModelChoice) -> str:
    """OpenAI's models that think refuse the old name, other servers do not know the new one."""
    return "max_completion_tokens" if choice.provider == "openai" else "max_tokens"


def _effort(choice: ModelChoice) -> dict[str, Any]:
    can = capabilities(choice.provider, choice.model)
    if choice.effort is Effort.NONE and choice.provider == "deepseek":
        return {"thinking": {"type": "disabled"}} if can.thinking_off == "disabled" else {}
    word = can.effort_word(choice.effort)
    highest = _HIGHEST_EFFORT.get(choice.provider)
    if word in _MORE_THAN_HIGH and highest is not None:
        word = highest
    return {} if word is None else {"reasoning_effort": word}


def _tool(tool: Declared) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
    }
    return {"type": "function", "function": function}


def _said(message: AssistantMessage, choice: ModelChoice) -> bytes:
    texts = [part.text for part in message.parts if isinstance(part, SaidText) and part.text]
    calls = [_call(part) for part in message.parts if isinstance(part, Called)]
    if not texts and not calls:
        return b""
    said: dict[str, Any] = {"role": "assistant", "content": "\n\n".join(texts) or None}
    said |= _echo(message, choice)
    if calls:
        said["tool_calls"] = calls
    return encode(said)


def _echo(message: AssistantMessage, choice: ModelChoice) -> dict[str, str]:
    """The thinking of a message, for models that want it back, empty if there is none.

    They want it in all messages of turns with calls. A message does not know its turn, and in
    turns without calls the field is ignored; so all messages have it.
    """
    if capabilities(choice.provider, choice.model).echo_reasoning == "never":
        return {}
    own = [
        item
        for part in message.parts
        if isinstance(part, Thought) and part.model == choice.name
        if (item := native_item(part.native)) is not None
    ]
    for name in _THINKING_FIELDS:
        texts = [text for item in own if isinstance(text := item.get(name), str)]
        if texts:
            return {name: "".join(texts)}
    return {_THINKING_FIELDS[0]: ""}


def _call(called: Called) -> dict[str, Any]:
    function = {"name": called.name, "arguments": arguments_sent(called.arguments)}
    return {"id": call_id(called.wire_id), "type": "function", "function": function}


def _returned(results: tuple[Returned, ...]) -> list[dict[str, Any]]:
    """All results, and behind them their pictures: messages of tools can hold none."""
    shown: list[dict[str, Any]] = []
    for result in results:
        if result.pictures:
            shown.append(
                {"type": "text", "text": _SHOWN.format(result.name, call_id(result.wire_id))}
            )
            shown += (
                {"type": "image_url", "image_url": {"url": data_url(one)}}
                for one in result.pictures
            )
    sent = [_result(result) for result in results]
    return [*sent, {"role": "user", "content": shown}] if shown else sent


def _result(result: Returned) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": call_id(result.wire_id),
        "content": result_sent(result),
    }
