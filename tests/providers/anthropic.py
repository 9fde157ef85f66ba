"""Anthropic's Messages, from the provider's side: what it refuses, and how it streams."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, assert_never

from tests.providers.pictures import check_picture
from tests.providers.script import Call, Json, Reply, Say, Stop, Think, Tokens, bites_of, tokens_of
from tests.providers.wire import (
    CALL_ID,
    TOOL_NAME,
    Failure,
    Frame,
    Grammar,
    Refused,
    Signed,
    call_key,
    compact,
    event,
    is_object,
)

VERSION: Final = "2023-06-01"
MOST_MARKS: Final = 4
SMALLEST_BUDGET: Final = 1024

OPTIONAL: Final = frozenset(
    {
        "metadata",
        "output_config",
        "service_tier",
        "stop_sequences",
        "system",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
    }
)
EFFORTS: Final = frozenset({"low", "medium", "high", "xhigh", "max"})
KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    529: "overloaded_error",
}
STOPS: Final[dict[Stop, str]] = {
    "end": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
    "pause": "pause_turn",
    "overflow": "model_context_window_exceeded",
}
GRAMMAR: Final = Grammar("{}: Extra inputs are not permitted", "{}: Field required")
THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})


class AnthropicWire:
    """Strict, and with a memory for what it signed."""

    path = "/v1/messages"
    base = ""

    def __init__(self) -> None:
        self._signed = Signed()
        self._redacted: set[str] = set()
        self._paused = False

    def admit(self, headers: Mapping[str, str], key: str | None) -> None:
        """See Wire."""
        given = headers.get("x-api-key", "")
        if not given or (key is not None and given != key):
            raise Refused("invalid x-api-key", status=401)
        if headers.get("anthropic-version") != VERSION:
            raise Refused(f"anthropic-version: {VERSION} is required")
        if not headers.get("content-type", "").startswith("application/json"):
            raise Refused("content-type: application/json is required", status=415)

    def check(self, request: Json) -> None:
        """See Wire."""
        GRAMMAR.fields(request, "", ("model", "max_tokens", "messages", "stream"), OPTIONAL)
        if request["stream"] is not True:
            raise Refused("stream: this provider only streams")
        if not isinstance(request["max_tokens"], int) or request["max_tokens"] < 1:
            raise Refused("max_tokens: Input should be greater than or equal to 1")
        _check_thinking(request)
        _check_tools(request.get("tools", []))
        _check_system(request.get("system", "system"))
        _Messages(request, self._signed, self._redacted).check(last_may_be_answer=self._paused)
        marks = sum(1 for _ in _marks(request))
        if marks > MOST_MARKS:
            raise Refused(
                f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."
            )

    def stream(self, request: Json, step: int, reply: Reply, usage: Tokens) -> list[Frame]:
        """See Wire."""
        self._paused = reply.stopped == "pause"
        model = request["model"]
        frames = [Frame(_start(step, model, usage)), Frame(event("ping", {"type": "ping"}))]
        thoughts: list[str] = []
        calls = 0
        for index, piece in enumerate(reply.pieces):
            match piece:
                case Say():
                    frames += _text(index, piece)
                case Think(redacted=True):
                    data = self._signed.sign(piece.text, piece.signature)
                    self._redacted.add(data)
                    thoughts.append(data)
                    frames += _block(index, {"type": "redacted_thinking", "data": data})
                case Think():
                    signature = self._signed.sign(piece.text, piece.signature)
                    thoughts.append(signature)
                    frames += _thinking(index, piece, signature)
                case Call():
                    identifier = piece.id or f"toolu_01s{step}c{calls}"
                    calls += 1
                    self._signed.precede(call_key(model, piece.name, piece.text), thoughts)
                    frames += _call(index, piece, identifier)
                case _:
                    assert_never(piece)
        delta = {"stop_reason": STOPS[reply.stopped], "stop_sequence": None}
        counted = {**_input(usage), "output_tokens": usage.output}
        ended = {"type": "message_delta", "delta": delta, "usage": counted}
        return [
            *frames,
            Frame(event("message_delta", ended)),
            Frame(event("message_stop", {"type": "message_stop"})),
        ]

    def error(self, status: int, kind: str, message: str, code: str = "") -> bytes:
        """See Wire."""
        del code  # this provider has none
        kind = kind or KINDS.get(status, "api_error")
        said = {"type": kind, "message": message or "Something went wrong"}
        return compact({"type": "error", "error": said, "request_id": "req_011pretended"})

    def overflow(self) -> Failure:
        """See Wire."""
        return Failure(
            400, self.error(400, "", "prompt is too long: 208310 tokens > 200000 maximum")
        )

    def stream_error(self, kind: str, message: str) -> bytes:
        """See Wire."""
        said = {"type": kind or "overloaded_error", "message": message}
        return event("error", {"type": "error", "error": said})


class _Messages:
    """Walks over the messages of one request."""

    def __init__(self, request: Json, signed: Signed, redacted: set[str]) -> None:
        self._request = request
        self._signed = signed
        self._redacted = redacted
        self._ids: set[str] = set()
        self._open: list[str] = []
        """Calls of the message before."""
        self._thoughts: set[str] = set()
        """Of the answer that is being walked over; its messages touch."""

    def check(self, *, last_may_be_answer: bool) -> None:
        messages = self._request["messages"]
        if not isinstance(messages, list) or not messages:
            raise Refused("messages: at least one message is required")
        role = ""
        for index, message in enumerate(messages):
            where = f"messages.{index}"
            GRAMMAR.fields(message, where, ("role", "content"))
            role = message["role"]
            blocks = _blocks(message["content"], f"{where}.content")
            if role == "user":
                self._user(blocks, where)
            elif role == "assistant" and index:
                self._assistant(blocks, where)
            elif role == "assistant":
                raise Refused("messages: first message must use the user role")
            else:
                raise Refused(f"{where}.role: Input should be 'user' or 'assistant'")
        self._nothing_open(f"messages.{len(messages) - 1}")
        if role == "assistant" and not last_may_be_answer:
            raise Refused(
                "This model does not support assistant message prefill. "
                "The conversation must end with a user message."
            )

    def _user(self, blocks: list[Json], where: str) -> None:
        self._thoughts = set()
        results: list[str] = []
        for place, block in enumerate(blocks):
            at = f"{where}.content.{place}"
            if block.get("type") == "tool_result":
                if len(results) != place:
                    raise Refused(f"{at}: `tool_result` blocks must come first in the content")
                results.append(_result(block, at))
            elif block.get("type") == "text":
                _said(block, at)
            else:
                raise Refused(f"{at}.type: {block.get('type')!r} is not allowed for users")
        for identifier in results:
            if identifier not in self._open:
                raise Refused(
                    f"{where}.content: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{identifier}. Each `tool_result` block must have a corresponding `tool_use` "
                    "block in the previous message."
                )
        if len(results) != len(set(results)):
            raise Refused(f"{where}.content: each tool_use must have a single result")
        self._open = [one for one in self._open if one not in results]
        self._nothing_open(f"{where.rpartition('.')[0]}.{int(where.rpartition('.')[2]) - 1}")

    def _assistant(self, blocks: list[Json], where: str) -> None:
        self._nothing_open(f"{where.rpartition('.')[0]}.{int(where.rpartition('.')[2]) - 1}")
        before = ""
        for place, block in enumerate(blocks):
            at = f"{where}.content.{place}"
            kind = block.get("type", "")
            if kind in THOUGHTS:
                if before and before not in THOUGHTS:
                    raise Refused(f"{at}: Expected {before}, found `{kind}`: thinking comes first")
                self._thought(block, at)
            elif kind == "text":
                if before == "tool_use":
                    raise Refused(f"{at}: `tool_use` blocks must be the last of a message")
                _said(block, at)
            elif kind == "tool_use":
                self._call(block, at)
            else:
                raise Refused(f"{at}.type: {kind!r} is not allowed for assistants")
            before = kind

    def _call(self, block: Json, at: str) -> None:
        GRAMMAR.fields(block, at, ("type", "id", "name", "input"), ("cache_control",))
        identifier = block["id"]
        if not isinstance(identifier, str) or not CALL_ID.fullmatch(identifier):
            raise Refused(f"{at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if identifier in self._ids:
            raise Refused(f"{at}: `tool_use` ids must be unique")
        if not TOOL_NAME.fullmatch(block["name"]):
            raise Refused(f"{at}.name: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if not is_object(block["input"]):
            raise Refused(f"{at}.input: Input should be a valid dictionary")
        thinks = self._request.get("thinking", {}).get("type", "disabled") != "disabled"
        key = call_key(self._request["model"], block["name"], block["input"])
        if thinks and not self._signed.fits(key, self._thoughts):
            raise Refused(
                f"{at}: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "
                "`thinking` is enabled, an `assistant` message must start with its thinking block"
            )
        self._ids.add(identifier)
        self._open.append(identifier)

    def _thought(self, block: Json, at: str) -> None:
        if block["type"] == "redacted_thinking":
            GRAMMAR.fields(block, at, ("type", "data"))
            if block["data"] not in self._redacted:
                raise Refused(f"{at}: Invalid `data` in `redacted_thinking` block")
            self._thoughts.add(block["data"])
            return
        GRAMMAR.fields(block, at, ("type", "thinking", "signature"))
        if not self._signed.knows(block["thinking"], block["signature"]):
            raise Refused(
                f"{at}: Invalid `signature` in `thinking` block: `thinking` or `redacted_thinking` "
                "blocks must remain as they were in the original response"
            )
        self._thoughts.add(block["signature"])

    def _nothing_open(self, where: str) -> None:
        if self._open:
            raise Refused(
                f"{where}: `tool_use` ids were found without `tool_result` blocks immediately "
                f"after: {', '.join(self._open)}. Each `tool_use` block must have a corresponding "
                "`tool_result` block in the next message."
            )


def _check_thinking(request: Json) -> None:
    thinking = request.get("thinking", {"type": "disabled"})
    match thinking:
        case {"type": "enabled", "budget_tokens": int(budget)}:
            GRAMMAR.fields(thinking, "thinking", ("type", "budget_tokens"), ("display",))
            if not SMALLEST_BUDGET <= budget < request["max_tokens"]:
                raise Refused("thinking.budget_tokens: must be ≥ 1024 and less than max_tokens")
        case {"type": "adaptive" | "disabled"}:
            GRAMMAR.fields(thinking, "thinking", ("type",), ("display",))
        case _:
            raise Refused("thinking: Input tag should be 'enabled', 'disabled' or 'adaptive'")
    output = request.get("output_config", {})
    GRAMMAR.fields(output, "output_config", (), ("effort", "format"))
    if output.get("effort", "high") not in EFFORTS:
        raise Refused(f"output_config.effort: Input should be one of {', '.join(sorted(EFFORTS))}")


def _check_tools(tools: Any) -> None:
    if not isinstance(tools, list):
        raise Refused("tools: Input should be a valid list")
    names = set()
    for index, tool in enumerate(tools):
        at = f"tools.{index}"
        optional = ("description", "type", "cache_control", "strict")
        GRAMMAR.fields(tool, at, ("name", "input_schema"), optional)
        if not TOOL_NAME.fullmatch(tool["name"]):
            raise Refused(f"{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if not is_object(tool["input_schema"]) or tool["input_schema"].get("type") != "object":
            raise Refused(f"{at}.input_schema.type: Input should be 'object'")
        if {"oneOf", "allOf", "anyOf"} & tool["input_schema"].keys():
            raise Refused(f"{at}.input_schema: oneOf, allOf and anyOf are not supported at the top")
        if tool["name"] in names:
            raise Refused("tools: Tool names must be unique.")
        names.add(tool["name"])
        _check_mark(tool, at)


def _check_system(system: Any) -> None:
    if isinstance(system, str):
        return
    for index, block in enumerate(_blocks(system, "system")):
        if block.get("type") != "text":
            raise Refused(f"system.{index}.type: Input should be 'text'")
        _said(block, f"system.{index}")


def _blocks(content: Any, where: str) -> list[Json]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise Refused(f"{where}: all messages must have non-empty content")
    if not all(is_object(block) for block in content):
        raise Refused(f"{where}: Input should be a list of objects")
    return content


def _said(block: Json, at: str) -> None:
    GRAMMAR.fields(block, at, ("type", "text"), ("cache_control",))
    if not isinstance(block["text"], str) or not block["text"].strip():
        raise Refused(f"{at}: text content blocks must contain non-whitespace text")
    _check_mark(block, at)


def _result(block: Json, at: str) -> str:
    GRAMMAR.fields(block, at, ("type", "tool_use_id"), ("content", "is_error", "cache_control"))
    content = block.get("content", "")
    if isinstance(content, list):
        for place, part in enumerate(content):
            _check_part(part, f"{at}.content.{place}", is_error=block.get("is_error", False))
    elif not isinstance(content, str):
        raise Refused(f"{at}.content: Input should be a string or a list")
    if block.get("is_error", False) and not content:
        raise Refused(f"{at}: content cannot be empty if `is_error` is true")
    _check_mark(block, at)
    identifier = block["tool_use_id"]
    if not isinstance(identifier, str):
        raise Refused(f"{at}.tool_use_id: Input should be a valid string")
    return identifier


def _check_part(part: Json, at: str, *, is_error: bool) -> None:
    match part.get("type"):
        case "text":
            _said(part, at)
        case "image" if not is_error:
            GRAMMAR.fields(part, at, ("type", "source"), ("cache_control",))
            source = part["source"]
            GRAMMAR.fields(source, f"{at}.source", ("type", "media_type", "data"))
            check_picture(source["media_type"], source["data"], f"{at}.image.source.base64")
        case other:
            raise Refused(f"{at}: {other} is not taken; of an error, all must be text")


def _check_mark(block: Json, at: str) -> None:
    mark = block.get("cache_control", {"type": "ephemeral"})
    GRAMMAR.fields(mark, f"{at}.cache_control", ("type",), ("ttl",))
    if mark["type"] != "ephemeral" or mark.get("ttl", "5m") not in {"5m", "1h"}:
        raise Refused(f"{at}.cache_control: Input should be ephemeral, for '5m' or '1h'")


def _marks(value: Any) -> Iterator[Any]:
    """Every mark of a request; what tools and models wrote is not searched."""
    match value:
        case list():
            for one in value:
                yield from _marks(one)
        case dict():
            if "cache_control" in value:
                yield value["cache_control"]
            for name in ("tools", "system", "messages", "content"):
                yield from _marks(value.get(name))
        case _:
            pass


def _start(step: int, model: str, usage: Tokens) -> bytes:
    written = {"ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0}
    message: Json = {
        "model": model,
        "id": f"msg_01pretended{step}",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            **_input(usage),
            "cache_creation": written,
            "output_tokens": 1,
            "service_tier": "standard",
        },
    }
    return event("message_start", {"type": "message_start", "message": message})


def _input(usage: Tokens) -> Json:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
    }


def _block(index: int, content: Json, *deltas: Json) -> list[Frame]:
    opened = {"type": "content_block_start", "index": index, "content_block": content}
    closed = {"type": "content_block_stop", "index": index}
    between = [
        Frame(
            event(
                "content_block_delta",
                {"type": "content_block_delta", "index": index, "delta": delta},
            ),
            delta=True,
        )
        for delta in deltas
    ]
    return [
        Frame(event("content_block_start", opened)),
        *between,
        Frame(event("content_block_stop", closed)),
    ]


def _text(index: int, piece: Say) -> list[Frame]:
    deltas = [{"type": "text_delta", "text": token} for token in tokens_of(piece.text)]
    return _block(index, {"type": "text", "text": ""}, *deltas)


def _thinking(index: int, piece: Think, signature: str) -> list[Frame]:
    deltas = [{"type": "thinking_delta", "thinking": token} for token in tokens_of(piece.text)]
    signed = {"type": "signature_delta", "signature": signature}
    return _block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def _call(index: int, piece: Call, identifier: str) -> list[Frame]:
    bites = ["", *bites_of(piece.text)]
    deltas = [{"type": "input_json_delta", "partial_json": bite} for bite in bites]
    opened = {"type": "tool_use", "id": identifier, "name": piece.name, "input": {}}
    return _block(index, opened, *deltas)
