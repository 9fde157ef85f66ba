"""Chat Completions, from the provider's side: OpenAI's own, and DeepSeek's with its reasoning."""

from collections.abc import Mapping
from typing import Any, Final, assert_never

from tests.providers.pictures import check_data_url
from tests.providers.responses import EFFORTS, GRAMMAR, bearer, complaint
from tests.providers.script import (
    Call,
    Json,
    Reply,
    Say,
    Stop,
    Think,
    Tokens,
    bites_of,
    tokens_of,
)
from tests.providers.wire import (
    CALL_ID,
    TOOL_NAME,
    CallKey,
    Failure,
    Frame,
    Refused,
    call_key,
    compact,
    is_object,
)

OPTIONAL: Final = frozenset(
    {
        "max_completion_tokens",
        "max_tokens",
        "metadata",
        "parallel_tool_calls",
        "prompt_cache_key",
        "reasoning_effort",
        "response_format",
        "seed",
        "stop",
        "store",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_p",
    }
)
STOPS: Final[dict[Stop, str]] = {
    "end": "stop",
    "tools": "tool_calls",
    "length": "length",
    "refusal": "content_filter",
    "pause": "stop",
    "overflow": "length",
}


class ChatWire:
    """Strict; whoever sends it `reasoning_content` is refused."""

    path = "/v1/chat/completions"
    base = "/v1"

    def admit(self, headers: Mapping[str, str], key: str | None) -> None:
        """See Wire. Local servers want no key."""
        bearer(headers, key, needed=False)

    def check(self, request: Json) -> None:
        """See Wire."""
        GRAMMAR.fields(request, "", ("model", "messages", "stream"), self._optional())
        if request["stream"] is not True:
            raise Refused("'stream': this provider only streams")
        options = request.get("stream_options", {})
        GRAMMAR.fields(options, "stream_options", (), ("include_usage",))
        if request.get("reasoning_effort", "high") not in EFFORTS:
            raise Refused(f"Invalid value: '{request['reasoning_effort']}' for 'reasoning_effort'.")
        _check_tools(request.get("tools"))
        messages = request["messages"]
        if not isinstance(messages, list) or not messages:
            raise Refused("Invalid 'messages': empty array.")
        self._walk(request["model"], messages)

    def stream(self, request: Json, step: int, reply: Reply, usage: Tokens) -> list[Frame]:
        """See Wire."""
        head = self._head(request["model"], step)
        frames = [Frame(_chunk(head, self._first()))]
        calls = 0
        for piece in reply.pieces:
            match piece:
                case Say() if reply.stopped == "refusal":
                    deltas: list[Json] = [{"refusal": token} for token in tokens_of(piece.text)]
                case Say():
                    deltas = [{"content": token} for token in tokens_of(piece.text)]
                case Think():
                    deltas = [self._thought(token) for token in tokens_of(piece.text)]
                case Call():
                    deltas = _call(piece, piece.id or f"call_s{step}c{calls}", calls)
                    calls += 1
                case _:
                    assert_never(piece)
            frames += [Frame(_chunk(head, delta), delta=True) for delta in deltas]
        return [*frames, *self._end(head, reply, request, usage), Frame(b"data: [DONE]\n\n")]

    def error(self, status: int, kind: str, message: str, code: str = "") -> bytes:
        """See Wire."""
        return complaint(status, kind, message, code)

    def overflow(self) -> Failure:
        """See Wire."""
        said = (
            "This model's maximum context length is 128000 tokens. However, your messages resulted "
            "in 130512 tokens. Please reduce the length of the messages."
        )
        return Failure(400, self.error(400, "", said, "context_length_exceeded"))

    def stream_error(self, kind: str, message: str) -> bytes:
        """See Wire."""
        said = {"message": message, "type": kind or "server_error", "param": None, "code": None}
        return b"data: " + compact({"error": said}) + b"\n\n"

    def _optional(self) -> frozenset[str]:
        return OPTIONAL

    def _walk(self, model: str, messages: list[Json]) -> None:
        called: set[str] = set()
        waiting: list[str] = []
        for index, message in enumerate(messages):
            where = f"messages.{index}"
            if not is_object(message):
                raise Refused(f"Invalid type for '{GRAMMAR.at(where)}': expected an object.")
            role = message.get("role")
            if role == "tool":
                _result(message, where, waiting)
                continue
            _nothing_waits(waiting)
            if role == "assistant":
                waiting += self._assistant(model, messages, index, called)
            elif role in {"user", "system", "developer"}:
                GRAMMAR.fields(message, where, ("role", "content"), ("name",))
                content = message["content"]
                _check_text(_without_pictures(content, where) if role == "user" else content, where)
                if role != "user" and index:
                    raise Refused(f"'{GRAMMAR.at(where)}': {role} messages come first.")
            else:
                raise Refused(f"Invalid value: '{role}' for '{GRAMMAR.at(where)}.role'.")
        _nothing_waits(waiting)
        if messages[-1]["role"] not in {"user", "tool"}:
            raise Refused("The last message must be one of the user, or of a tool.")

    def _assistant(
        self, model: str, messages: list[Json], index: int, called: set[str]
    ) -> list[str]:
        message, where = messages[index], f"messages.{index}"
        optional = ("content", "tool_calls", "refusal", *self._own_fields())
        GRAMMAR.fields(message, where, ("role",), optional)
        calls = message.get("tool_calls")
        if calls is None or message.get("content") is not None:
            _check_text(message.get("content"), where)
        if calls is not None and not calls:
            raise Refused(f"Invalid '{GRAMMAR.at(where)}.tool_calls': empty array.")
        identifiers = []
        for place, call in enumerate(calls or []):
            identifiers.append(_check_call(call, f"{where}.tool_calls.{place}", called))
        self._check_reasoning(model, messages, index)
        return identifiers

    def _own_fields(self) -> tuple[str, ...]:
        return ()

    def _check_reasoning(self, model: str, messages: list[Json], index: int) -> None:
        """There is none here: an unknown field."""

    def _head(self, model: str, step: int) -> Json:
        return {
            "id": f"chatcmpl-pretended{step}",
            "object": "chat.completion.chunk",
            "created": 1767268800,
            "model": model,
            "service_tier": "default",
            "system_fingerprint": "fp_pretended",
        }

    def _first(self) -> Json:
        return {"role": "assistant", "content": "", "refusal": None}

    def _thought(self, token: str) -> Json:
        """OpenAI shows none; OpenRouter and vLLM call it so."""
        return {"reasoning": token}

    def _end(self, head: Json, reply: Reply, request: Json, usage: Tokens) -> list[Frame]:
        frames = [Frame(_chunk(head, {}, STOPS[reply.stopped]))]
        if request.get("stream_options", {}).get("include_usage", False):
            counted = {
                "prompt_tokens": usage.taken,
                "completion_tokens": usage.output,
                "total_tokens": usage.taken + usage.output,
                "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
            }
            frames.append(Frame(_data({**head, "choices": [], "usage": counted})))
        return frames


class DeepSeekWire(ChatWire):
    """Wants the reasoning of every turn with calls back, word for word."""

    def __init__(self) -> None:
        self._reasoned: dict[CallKey, set[str]] = {}
        """What models thought before each call."""

    def admit(self, headers: Mapping[str, str], key: str | None) -> None:
        """See Wire."""
        bearer(headers, key, needed=True)

    def stream(self, request: Json, step: int, reply: Reply, usage: Tokens) -> list[Frame]:
        """See Wire."""
        thought = "".join(piece.text for piece in reply.pieces if isinstance(piece, Think))
        for piece in reply.pieces:
            if isinstance(piece, Call):
                key = call_key(request["model"], piece.name, piece.text)
                self._reasoned.setdefault(key, set()).add(thought)
        return [Frame(b": keep-alive\n\n"), *super().stream(request, step, reply, usage)]

    def error(self, status: int, kind: str, message: str, code: str = "") -> bytes:
        """See Wire."""
        usual = {401: "authentication_error", 429: "rate_limit_reached_error"}
        kind = kind or usual.get(
            status, "invalid_request_error" if status < 500 else "unknown_error"
        )
        return super().error(status, kind, message, code or "invalid_request_error")

    def overflow(self) -> Failure:
        """See Wire."""
        said = (
            "This model's maximum context length is 131072 tokens. However, you requested 140000 "
            "tokens (131808 in the messages, 8192 in the completion)."
        )
        return Failure(400, self.error(400, "", said))

    def _optional(self) -> frozenset[str]:
        return OPTIONAL | {"thinking"}

    def _own_fields(self) -> tuple[str, ...]:
        return ("reasoning_content",)

    def _check_reasoning(self, model: str, messages: list[Json], index: int) -> None:
        message = messages[index]
        calls = message.get("tool_calls") or []
        of_a_turn_with_calls = calls or messages[index - 1]["role"] == "tool"
        given = message.get("reasoning_content")
        if of_a_turn_with_calls and not isinstance(given, str):
            raise Refused(
                f"Missing `reasoning_content` field in the assistant message at message index "
                f"{index}. The `reasoning_content` in the thinking mode must be passed back to the "
                "API."
            )
        for call in calls:
            key = call_key(model, call["function"]["name"], call["function"]["arguments"])
            if given not in self._reasoned.get(key, {given}):
                raise Refused(f"The `reasoning_content` at message index {index} was changed.")

    def _head(self, model: str, step: int) -> Json:
        head = super()._head(model, step)
        del head["service_tier"]
        return head

    def _first(self) -> Json:
        return {"role": "assistant", "content": None, "reasoning_content": ""}

    def _thought(self, token: str) -> Json:
        return {"content": None, "reasoning_content": token}

    def _end(self, head: Json, reply: Reply, request: Json, usage: Tokens) -> list[Frame]:
        del request  # this provider always says it, in the last chunk with a choice
        counted = {
            "prompt_tokens": usage.taken,
            "completion_tokens": usage.output,
            "total_tokens": usage.taken + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cache_read},
            "prompt_cache_hit_tokens": usage.cache_read,
            "prompt_cache_miss_tokens": usage.taken - usage.cache_read,
        }
        return [Frame(_chunk(head, {"content": ""}, STOPS[reply.stopped], usage=counted))]


def _check_tools(tools: Any) -> None:
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        raise Refused("Invalid 'tools': empty array.")
    names = set()
    for index, tool in enumerate(tools):
        at = f"tools.{index}"
        GRAMMAR.fields(tool, at, ("type", "function"))
        function = tool["function"]
        optional = ("description", "parameters", "strict")
        GRAMMAR.fields(function, f"{at}.function", ("name",), optional)
        if tool["type"] != "function" or not TOOL_NAME.fullmatch(function["name"]):
            raise Refused(f"Invalid '{GRAMMAR.at(at)}.function.name'.")
        if function.get("parameters", {"type": "object"}).get("type") != "object":
            raise Refused(f"Invalid schema for function '{function['name']}': must be 'object'.")
        if function["name"] in names:
            raise Refused(f"Duplicate function name: '{function['name']}'.")
        names.add(function["name"])


def _check_text(content: Any, where: str) -> None:
    if isinstance(content, list) and content:
        for place, part in enumerate(content):
            at = f"{where}.content.{place}"
            GRAMMAR.fields(part, at, ("type", "text"))
            _check_text(part["text"], at)
    elif not isinstance(content, str) or not content:
        raise Refused(f"Invalid value for '{GRAMMAR.at(where)}.content': expected a string.")


def _without_pictures(content: Any, where: str) -> Any:
    """What is left to be checked as text, of what a person may show."""
    if not isinstance(content, list):
        return content
    texts = []
    for place, part in enumerate(content):
        if not is_object(part) or part.get("type") != "image_url":
            texts.append(part)
            continue
        at = f"{where}.content.{place}"
        GRAMMAR.fields(part, at, ("type", "image_url"))
        GRAMMAR.fields(part["image_url"], f"{at}.image_url", ("url",), ("detail",))
        check_data_url(part["image_url"]["url"], GRAMMAR.at(at))
    return texts


def _check_call(call: Json, at: str, called: set[str]) -> str:
    GRAMMAR.fields(call, at, ("id", "type", "function"))
    GRAMMAR.fields(call["function"], f"{at}.function", ("name", "arguments"))
    identifier = call["id"]
    if not isinstance(identifier, str) or not CALL_ID.fullmatch(identifier):
        raise Refused(f"Invalid '{GRAMMAR.at(at)}.id': expected '^[a-zA-Z0-9_-]{{1,64}}$'.")
    if identifier in called:
        raise Refused(f"Duplicate value for 'tool_call_id' of '{identifier}'.")
    if call["type"] != "function" or not TOOL_NAME.fullmatch(call["function"]["name"]):
        raise Refused(f"Invalid '{GRAMMAR.at(at)}.function.name'.")
    if not isinstance(call["function"]["arguments"], str):
        raise Refused(f"Invalid type for '{GRAMMAR.at(at)}.function.arguments'.")
    called.add(identifier)
    return identifier


def _result(message: Json, where: str, waiting: list[str]) -> None:
    GRAMMAR.fields(message, where, ("role", "content", "tool_call_id"))
    if message["tool_call_id"] not in waiting:
        raise Refused(
            "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
        )
    if not isinstance(message["content"], str | list):
        raise Refused(f"Invalid type for '{GRAMMAR.at(where)}.content'.")
    waiting.remove(message["tool_call_id"])


def _nothing_waits(waiting: list[str]) -> None:
    if waiting:
        raise Refused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            + ", ".join(waiting)
        )


def _call(piece: Call, identifier: str, index: int) -> list[Json]:
    begun = {
        "index": index,
        "id": identifier,
        "type": "function",
        "function": {"name": piece.name, "arguments": ""},
    }
    bites = [{"index": index, "function": {"arguments": bite}} for bite in bites_of(piece.text)]
    return [{"tool_calls": [each]} for each in (begun, *bites)]


def _chunk(head: Json, delta: Json, finish: str | None = None, usage: Json | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    counted = {} if usage is None else {"usage": usage}
    return _data({**head, "choices": [choice], **counted})


def _data(value: Json) -> bytes:
    return b"data: " + compact(value) + b"\n\n"
