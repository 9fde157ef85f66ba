"""OpenAI's Responses, from the provider's side: what it refuses, and how it streams."""

from collections.abc import Mapping
from typing import Any, Final, assert_never

from tests.providers.pictures import check_data_url
from tests.providers.script import Call, Json, Reply, Say, Think, Tokens, bites_of, tokens_of
from tests.providers.wire import (
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

OPTIONAL: Final = frozenset(
    {
        "include",
        "instructions",
        "max_output_tokens",
        "metadata",
        "parallel_tool_calls",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_p",
        "truncation",
    }
)
EFFORTS: Final = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
LONGEST_CALL_ID: Final = 64
GRAMMAR: Final = Grammar(
    "Unknown parameter: '{}'.", "Missing required parameter: '{}'.", brackets=True
)
CODES: Final = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
TYPES: Final = {429: "requests", 500: "server_error", 503: "service_unavailable_error"}


class ResponsesWire:
    """Strict, and with a memory for what it encrypted."""

    path = "/v1/responses"
    base = "/v1"

    def __init__(self) -> None:
        self._signed = Signed()

    def admit(self, headers: Mapping[str, str], key: str | None) -> None:
        """See Wire."""
        bearer(headers, key, needed=True)

    def check(self, request: Json) -> None:
        """See Wire."""
        GRAMMAR.fields(request, "", ("model", "input", "stream", "store"), OPTIONAL)
        if request["stream"] is not True or request["store"] is not False:
            raise Refused("this provider only streams, and keeps nothing")
        if not set(request.get("include", [])) <= {"reasoning.encrypted_content"}:
            raise Refused(f"Invalid value: '{request['include']}'. Supported: encrypted content.")
        reasoning = request.get("reasoning", {})
        GRAMMAR.fields(reasoning, "reasoning", (), ("effort", "summary"))
        if reasoning.get("effort", "high") not in EFFORTS:
            raise Refused(f"Invalid value: '{reasoning['effort']}' for 'reasoning.effort'.")
        _check_tools(request.get("tools", []))
        if isinstance(request["input"], str) or not request["input"]:
            raise Refused("'input': a list of items is expected")
        _Items(request, self._signed).check()

    def stream(self, request: Json, step: int, reply: Reply, usage: Tokens) -> list[Frame]:
        """See Wire."""
        return _Writer(request, step, reply, usage, self._signed).frames()

    def error(self, status: int, kind: str, message: str, code: str = "") -> bytes:
        """See Wire."""
        return complaint(status, kind, message, code)

    def overflow(self) -> Failure:
        """See Wire."""
        said = "Your input exceeds the context window of this model."
        return Failure(400, self.error(400, "", said, "context_length_exceeded"))

    def stream_error(self, kind: str, message: str) -> bytes:
        """See Wire."""
        code = kind or "server_error"
        said = {"type": "error", "code": code, "message": message, "param": None}
        failed: Json = {"id": "resp_pretended", "object": "response", "status": "failed"}
        failed |= {"error": {"code": code, "message": message}, "output": [], "usage": None}
        return event("error", said | {"sequence_number": 98}) + event(
            "response.failed",
            {"type": "response.failed", "sequence_number": 99, "response": failed},
        )


def complaint(status: int, kind: str, message: str, code: str) -> bytes:
    """An error as OpenAI and all who speak like it write it."""
    said = {
        "message": message or "Something went wrong",
        "type": kind or TYPES.get(status, "invalid_request_error"),
        "param": None,
        "code": code or CODES.get(status),
    }
    return compact({"error": said})


def bearer(headers: Mapping[str, str], key: str | None, *, needed: bool) -> None:
    """What OpenAI and all who speak like it want of the headers."""
    given = headers.get("authorization", "")
    if (needed and not given) or (given and not given.startswith("Bearer ")):
        raise Refused("You didn't provide an API key.", status=401, code="invalid_api_key")
    if key is not None and given != f"Bearer {key}":
        raise Refused("Incorrect API key provided.", status=401, code="invalid_api_key")
    if not headers.get("content-type", "").startswith("application/json"):
        raise Refused("Unsupported media type", status=415)


def _check_tools(tools: Any) -> None:
    names = set()
    for index, tool in enumerate(tools):
        at = f"tools.{index}"
        GRAMMAR.fields(tool, at, ("type", "name", "parameters", "strict"), ("description",))
        if tool["type"] != "function" or not TOOL_NAME.fullmatch(tool["name"]):
            raise Refused(f"Invalid '{GRAMMAR.at(at)}.name': expected '^[a-zA-Z0-9_-]+$'.")
        if not is_object(tool["parameters"]) or tool["parameters"].get("type") != "object":
            raise Refused(f"Invalid schema for function '{tool['name']}': must be 'object'.")
        if tool["name"] in names:
            raise Refused(f"Duplicate function name: '{tool['name']}'.")
        names.add(tool["name"])


class _Items:
    """Walks over the input of one request."""

    def __init__(self, request: Json, signed: Signed) -> None:
        self._model: str = request["model"]
        self._items: list[Json] = request["input"]
        self._reasons = "reasoning" in request
        self._signed = signed
        self._called: set[str] = set()
        self._open: list[str] = []
        self._answering = False
        """Outputs have begun: the calls of this step are complete."""
        self._thoughts: set[str] = set()
        self._last_thought = ""

    def check(self) -> None:
        for index, item in enumerate(self._items):
            where = f"input.{index}"
            if not is_object(item):
                raise Refused(f"Invalid type for '{GRAMMAR.at(where)}': expected an object.")
            match item.get("type", "message"):
                case "message":
                    self._message(item, where)
                case "reasoning":
                    self._reasoning(item, where)
                case "function_call":
                    self._call(item, where)
                case "function_call_output":
                    self._output(item, where)
                case other:
                    raise Refused(f"Invalid value: '{other}' for '{GRAMMAR.at(where)}.type'.")
        self._nothing_open()
        self._followed()
        if self._items[-1].get("role") == "assistant":
            raise Refused("The input must not end with an assistant message.")

    def _message(self, item: Json, where: str) -> None:
        GRAMMAR.fields(item, where, ("role", "content"), ("type", "id", "status"))
        self._nothing_open()
        role, content = item["role"], item["content"]
        if role == "assistant":
            self._last_thought = ""
        else:
            self._followed()
            self._thoughts = set()
        if role not in {"user", "assistant", "system", "developer"}:
            raise Refused(f"Invalid value: '{role}' for '{GRAMMAR.at(where)}.role'.")
        parts = [{"type": "plain", "text": content}] if isinstance(content, str) else content
        if not isinstance(parts, list) or not parts:
            raise Refused(f"Invalid '{GRAMMAR.at(where)}.content': empty array.")
        allowed = {"plain"} | (
            {"output_text", "refusal"} if role == "assistant" else {"input_text"}
        )
        for place, part in enumerate(parts):
            at = f"{where}.content.{place}"
            text = "refusal" if part.get("type") == "refusal" else "text"
            GRAMMAR.fields(part, at, ("type", text), ("annotations", "logprobs"))
            if part["type"] not in allowed:
                raise Refused(f"Invalid value: '{part['type']}' for '{GRAMMAR.at(at)}.type'.")
            if not isinstance(part[text], str) or not part[text]:
                raise Refused(f"Invalid '{GRAMMAR.at(at)}.{text}': empty string.")

    def _reasoning(self, item: Json, where: str) -> None:
        optional = ("id", "content", "status")
        GRAMMAR.fields(item, where, ("type", "summary", "encrypted_content"), optional)
        self._nothing_open()
        text = "".join(part["text"] for part in item["summary"])
        if not self._signed.knows(text, item["encrypted_content"]):
            raise Refused(
                f"The encrypted content for item {item.get('id')} could not be verified.",
                code="invalid_encrypted_content",
            )
        self._last_thought = item.get("id") or where
        self._thoughts.add(item["encrypted_content"])

    def _call(self, item: Json, where: str) -> None:
        required = ("type", "call_id", "name", "arguments")
        GRAMMAR.fields(item, where, required, ("id", "status"))
        identifier = item["call_id"]
        if self._answering:
            self._nothing_open()
        if not 0 < len(identifier) <= LONGEST_CALL_ID:
            raise Refused(f"Invalid '{GRAMMAR.at(where)}.call_id': expected 1 to 64 characters.")
        if identifier in self._called:
            raise Refused(f"Duplicate call_id '{identifier}' in input.")
        if not isinstance(item["arguments"], str) or not TOOL_NAME.fullmatch(item["name"]):
            raise Refused(f"Invalid '{GRAMMAR.at(where)}': name or arguments are not right.")
        key = call_key(self._model, item["name"], item["arguments"])
        if self._reasons and not self._signed.fits(key, self._thoughts):
            raise Refused(
                f"Item '{item.get('id', identifier)}' of type 'function_call' was provided without "
                "its required 'reasoning' item."
            )
        self._called.add(identifier)
        self._open.append(identifier)
        self._answering = False
        self._last_thought = ""

    def _output(self, item: Json, where: str) -> None:
        GRAMMAR.fields(item, where, ("type", "call_id", "output"), ("id", "status"))
        self._followed()
        if item["call_id"] not in self._open:
            raise Refused(
                f"No tool call found for function call output with call_id {item['call_id']}."
            )
        _check_output(item["output"], where)
        self._open.remove(item["call_id"])
        self._answering = True
        self._thoughts = set()

    def _nothing_open(self) -> None:
        if self._open:
            raise Refused(f"No tool output found for function call {self._open[0]}.")

    def _followed(self) -> None:
        if self._last_thought:
            raise Refused(
                f"Item '{self._last_thought}' of type 'reasoning' was provided without its "
                "required following item."
            )


class _Writer:
    """Writes one stream; its events are counted."""

    def __init__(
        self, request: Json, step: int, reply: Reply, usage: Tokens, signed: Signed
    ) -> None:
        self._model: str = request["model"]
        self._step = step
        self._reply = reply
        self._usage = usage
        self._signed = signed
        self._frames: list[Frame] = []
        self._output: list[Json] = []
        self._thoughts: list[str] = []

    def frames(self) -> list[Frame]:
        for name in ("response.created", "response.in_progress"):
            self._add(name, {"response": self._response("in_progress")})
        for piece in self._reply.pieces:
            match piece:
                case Say() if self._reply.stopped == "refusal":
                    self._message(piece, {"type": "refusal", "refusal": ""})
                case Say():
                    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
                    self._message(piece, part)
                case Think():
                    self._reasoning(piece)
                case Call():
                    self._call(piece)
                case _:
                    assert_never(piece)
        status = "incomplete" if self._reply.stopped in {"length", "overflow"} else "completed"
        self._add(f"response.{status}", {"response": self._response(status)})
        return self._frames

    def _add(self, name: str, fields: Json) -> None:
        value = {"type": name, "sequence_number": len(self._frames), **fields}
        self._frames.append(Frame(event(name, value), name.endswith(".delta")))

    def _message(self, piece: Say, part: Json) -> None:
        kind = part["type"]
        text = "refusal" if kind == "refusal" else "text"
        identifier = self._identifier("msg")
        item: Json = {"id": identifier, "type": "message", "status": "in_progress", "content": []}
        item["role"] = "assistant"
        self._begin(item)
        place = {"item_id": identifier, "output_index": len(self._output), "content_index": 0}
        self._add("response.content_part.added", place | {"part": part})
        for token in tokens_of(piece.text):
            self._add(f"response.{kind}.delta", place | {"delta": token})
        self._add(f"response.{kind}.done", place | {text: piece.text})
        done = part | {text: piece.text}
        self._add("response.content_part.done", place | {"part": done})
        self._finish(item | {"status": "completed", "content": [done]})

    def _reasoning(self, piece: Think) -> None:
        identifier = self._identifier("rs")
        text = "" if piece.redacted else piece.text
        encrypted = self._signed.sign(text, piece.signature)
        self._thoughts.append(encrypted)
        item: Json = {"id": identifier, "type": "reasoning"}
        # What is encrypted is complete only when the item is.
        self._begin(item | {"encrypted_content": encrypted[:8], "summary": []})
        summary = [{"type": "summary_text", "text": text}] if text else []
        if text:
            place = {"item_id": identifier, "output_index": len(self._output), "summary_index": 0}
            name = "response.reasoning_summary"
            self._add(f"{name}_part.added", place | {"part": summary[0] | {"text": ""}})
            for token in tokens_of(text):
                self._add(f"{name}_text.delta", place | {"delta": token})
            self._add(f"{name}_text.done", place | {"text": text})
            self._add(f"{name}_part.done", place | {"part": summary[0]})
        self._finish(item | {"encrypted_content": encrypted, "summary": summary})

    def _call(self, piece: Call) -> None:
        identifier = self._identifier("fc")
        calls = sum(item["type"] == "function_call" for item in self._output)
        call = piece.id or f"call_s{self._step}c{calls}"
        self._signed.precede(call_key(self._model, piece.name, piece.text), self._thoughts)
        item: Json = {"id": identifier, "type": "function_call", "status": "in_progress"}
        item |= {"arguments": "", "call_id": call, "name": piece.name}
        self._begin(item)
        place = {"item_id": identifier, "output_index": len(self._output)}
        name = "response.function_call_arguments"
        for bite in bites_of(piece.text):
            self._add(f"{name}.delta", place | {"delta": bite})
        self._add(f"{name}.done", place | {"arguments": piece.text})
        self._finish(item | {"status": "completed", "arguments": piece.text})

    def _begin(self, item: Json) -> None:
        fields = {"output_index": len(self._output), "item": item}
        self._add("response.output_item.added", fields)

    def _finish(self, item: Json) -> None:
        self._add("response.output_item.done", {"output_index": len(self._output), "item": item})
        self._output.append(item)

    def _identifier(self, kind: str) -> str:
        return f"{kind}_0pretended{self._step}i{len(self._output)}"

    def _response(self, status: str) -> Json:
        over = status != "in_progress"
        why = {"reason": "max_output_tokens"} if status == "incomplete" else None
        return {
            "id": f"resp_0pretended{self._step}",
            "object": "response",
            "created_at": 1767268800,
            "status": status,
            "error": None,
            "incomplete_details": why,
            "model": self._model,
            "output": self._output if over else [],
            "store": False,
            "usage": _counted(self._usage) if over else None,
        }


def _counted(usage: Tokens) -> Json:
    return {
        "input_tokens": usage.taken,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.taken + usage.output,
    }


def _check_output(output: Any, where: str) -> None:
    if isinstance(output, str):
        return
    if not isinstance(output, list) or not output:
        raise Refused(f"Invalid type for '{GRAMMAR.at(where)}.output'.")
    for place, part in enumerate(output):
        at = f"{where}.output.{place}"
        if is_object(part) and part.get("type") == "input_image":
            GRAMMAR.fields(part, at, ("type", "image_url"), ("detail",))
            check_data_url(part["image_url"], GRAMMAR.at(at))
        else:
            GRAMMAR.fields(part, at, ("type", "text"))
            if part["type"] != "input_text" or not part["text"]:
                raise Refused(f"Invalid value for '{GRAMMAR.at(at)}'.")
