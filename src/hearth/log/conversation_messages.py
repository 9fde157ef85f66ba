"""Blocks of a conversation to messages of its file, and back. Pure, and nothing is lost."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hearth.core.vocabulary.blocks import (
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
)
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import CallId
from hearth.log.conversation_extras import extra_of
from hearth.log.conversation_format import Json

NOT_TEXT: Final = "[{} that hearth does not keep]"


def whole(text: Text) -> str:
    """A text that was fetched; of one that is gone, how it began."""
    return text.head if isinstance(text, Blob) else text


def user_message(text: str) -> Json:
    """What a person said."""
    return {"role": "user", "content": text}


def assistant_message(
    blocks: Sequence[TextBlock | ThinkingBlock | ToolCallBlock],
    model: str,
    usage: Usage | None,
    stop: str,
) -> Json:
    """What a model wrote in one step."""
    said: Json = {"role": "assistant", "content": [_part(one) for one in blocks], "model": model}
    if usage is not None:
        said["usage"] = {
            "inputTokens": usage.fresh,
            "outputTokens": usage.output,
            "cacheReadTokens": usage.cache_read,
            "cacheWriteTokens": usage.cache_write,
        }
    if stop:
        said["stopReason"] = stop
    return said


def result_message(block: ToolResultBlock, wire_id: str) -> Json:
    """What a tool returned."""
    said: Json = {
        "role": "tool_result",
        "toolCallId": wire_id,
        "toolName": block.name,
        "output": whole(block.result),
        "isError": block.is_error,
    }
    extra = _without_empty(spilled=block.spilled, files=list(block.files))
    return {**said, "hearth": extra} if extra else said


def said_text(content: Any) -> str:
    """The text of a person's message, in whichever way it is written."""
    texts = [
        str(part.get("text", ""))
        if part.get("type") == "text"
        else NOT_TEXT.format(part.get("type") or "something")
        for part in parts_of(content)
    ]
    return "\n".join(texts)


def parts_of(content: Any) -> list[Json]:
    """The parts of a message, in whichever way it is written; what is no part is left out."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    parts = content if isinstance(content, list) else []
    return [part for part in parts if isinstance(part, dict)]


def result_block(message: Json, call: CallId, name: str) -> ToolResultBlock:
    """What a tool returned."""
    extra = extra_of(message)
    files = extra.get("files")
    return ToolResultBlock(
        call,
        str(message.get("toolName") or name),
        said_text(message.get("output")),
        bool(message.get("isError")),
        str(extra.get("spilled", "")),
        tuple(map(str, files)) if isinstance(files, list) else (),
    )


def usage_of(message: Json) -> Usage:
    """What was counted of a message; nothing where it says nothing."""
    said = message.get("usage")
    counts = said if isinstance(said, dict) else {}
    return Usage(
        _count(counts.get("inputTokens")),
        _count(counts.get("cacheReadTokens")),
        _count(counts.get("cacheWriteTokens")),
        _count(counts.get("outputTokens")),
    )


def _part(block: TextBlock | ThinkingBlock | ToolCallBlock) -> Json:
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": whole(text)}
        case ThinkingBlock(text=text, native=native, model=model):
            said = {"type": "thinking", "thinking": whole(text)}
            signature = _signature(whole(native))
            extra = _without_empty(native=whole(native), model=model)
            return {**said, **_without_empty(signature=signature, hearth=extra)}
        case ToolCallBlock(name=name, arguments=arguments, wire_id=wire_id, call=call):
            exact = whole(arguments)
            parsed = _parsed(exact)
            said = {"type": "tool_call", "id": wire_id or call, "name": name, "input": parsed}
            # What a model wrote is kept to the byte; most of it is what JSON writes anyway.
            is_plain = parsed is not None and msgspec.json.encode(parsed).decode() == exact
            return said if is_plain else {**said, "hearth": {"arguments": exact}}


def written_block(part: Json, model: str) -> TextBlock | ThinkingBlock | ToolCallBlock:
    """One part of what a model wrote; a call is still named as in the file."""
    extra = extra_of(part)
    match part.get("type"):
        case "text":
            return TextBlock(str(part.get("text", "")))
        case "thinking":
            said, signature = str(part.get("thinking", "")), part.get("signature")
            if not extra and signature:
                item = {"type": "thinking", "thinking": said, "signature": signature}
                return ThinkingBlock(said, msgspec.json.encode(item).decode(), model)
            return ThinkingBlock(said, str(extra.get("native", "")), str(extra.get("model", "")))
        case "tool_call":
            exact = extra.get("arguments")
            given = msgspec.json.encode(part.get("input", {})).decode()
            arguments = exact if isinstance(exact, str) else given
            wire_id = str(part.get("id", ""))
            return ToolCallBlock(CallId(wire_id), str(part.get("name", "")), arguments, wire_id)
        case other:
            return TextBlock(NOT_TEXT.format(other or "something"))


def _signature(native: str) -> str:
    """The signature in a provider's own item, if it has one."""
    said = _parsed(native)
    signature = said.get("signature") if isinstance(said, dict) else None
    return signature if isinstance(signature, str) else ""


def _parsed(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _without_empty(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value}
