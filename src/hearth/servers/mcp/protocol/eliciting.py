"""Asking the person at the client, in both eras and within tasks, in the same words.

    answer = await caller.elicit("approve", Question("May this run?", fields({"yes": ...})))

`Caller.elicit` (and `Caller.ask`, which takes any request of the protocol) answers as follows:

- earlier era: the client is asked on the stream of the request, and the call waits for it;
- 2026-07-28: the call **ends** with `AskedBack`, which the wiring turns into an `input_required`
  result; the client asks its person and sends the call again, with the answer. The tool runs again
  from its start, and the same `elicit` then returns the answer. What it must know again stands in
  `caller.notes`. Answers and notes travel in the sealed `requestState`, bound to the principal, the
  request and a time; an answer counts only for the very question that was asked;
- within a task: the task waits with `input_required`, and goes on where it was.

`CannotAsk` says why nobody can be asked: the tool then refuses, and says where to answer instead.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from mcp_types import (
    ClientCapabilities,
    CreateMessageRequest,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    Result,
)
from mcp_types.methods import parse_client_result
from mcp_types.version import LATEST_HANDSHAKE_VERSION

MOST_STATE: Final = 48 * 1024
"""Bytes of state that travel with a call that was asked back."""

Value = str | int | float | bool | list[str] | None


class CannotAsk(Exception):
    """Nobody at the client can be asked; the message says why, for people and models."""


class AskedBack(Exception):
    """The call ends here: the client is asked, and calls again. Let it pass through."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__("the client is asked and calls again")
        self.result = result


@dataclass(frozen=True)
class Question:
    """What a person is asked: a form of flat fields, or an address to go to.

    `schema` is an object schema whose properties are strings, numbers, booleans or choices; never
    ask for secrets with it. With `url`, nothing but yes or no comes back. With `foreseeable`, an
    answer counts even before it was asked for: a client that knows the tool saves a round. Never
    so where somebody approves of what they were shown.
    """

    message: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    url: str = ""
    url_id: str = ""
    foreseeable: bool = False

    def as_request(self) -> ElicitRequest:
        """The request of the protocol that asks it."""
        if self.url:
            return ElicitRequest(
                params=ElicitRequestURLParams(
                    message=self.message, url=self.url, elicitation_id=self.url_id or None
                )
            )
        schema = {"type": "object", **self.schema}
        return ElicitRequest(
            params=ElicitRequestFormParams(message=self.message, requested_schema=schema)
        )


@dataclass(frozen=True)
class Answer:
    """What the person said: yes with the fields, no, or nothing (they closed the form)."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Value] = field(default_factory=dict)

    @property
    def is_yes(self) -> bool:
        """Whether the form was sent, whatever stands in it."""
        return self.action == "accept"


def cannot(request: InputRequest, can: ClientCapabilities | None) -> str | None:
    """Why a client that declared this cannot be asked that; None if it can."""
    match request:
        case ElicitRequest(params=ElicitRequestURLParams()):
            if can is None or can.elicitation is None or can.elicitation.url is None:
                return "the client did not declare elicitation by url"
        case ElicitRequest():
            if can is None or can.elicitation is None:
                return "the client did not declare elicitation"
            # Nothing at all means forms, as it did before there was anything else.
            if can.elicitation.form is None and can.elicitation.url is not None:
                return "the client declared elicitation by url alone, not by form"
        case CreateMessageRequest():
            if can is None or can.sampling is None:
                return "the client did not declare sampling"
        case ListRootsRequest():
            if can is None or can.roots is None:
                return "the client did not declare roots"
    return None


def read(request: InputRequest, said: Any) -> Result:
    """The response to a request, as its type; ValueError if it is none or does not fit."""
    # Responses look the same in both eras; the modern table has none of them, as they are no
    # messages of their own there.
    result = parse_client_result(request.method, LATEST_HANDSHAKE_VERSION, said)
    if isinstance(result, ElicitResult) and result.action == "accept":
        params = request.params
        if isinstance(params, ElicitRequestFormParams):
            wrong = unfit(params.requested_schema, result.content or {})
            if wrong is not None:
                raise ValueError(wrong)
    return result


def unfit(schema: Mapping[str, Any], content: Mapping[str, Any]) -> str | None:
    """What is wrong with the fields of a form; None if they are as the schema wants them."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if content.get(name) is None:
            return f"{name} is missing"
    for name, value in content.items():
        if name in properties and value is not None:
            wrong = _unfit_value(properties[name], value)
            if wrong is not None:
                return f"{name} {wrong}"
    return None


def _unfit_value(schema: Mapping[str, Any], value: Any) -> str | None:
    kind = schema.get("type")
    right = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int | float)
        and not isinstance(value, bool)
        and float(value).is_integer(),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "array": isinstance(value, list),
    }.get(str(kind), True)
    if not right:
        return f"must be a {kind}"
    one = schema.get("items", {}) if isinstance(value, list) else schema
    choices = one.get("enum") or [
        each.get("const") for each in one.get("oneOf") or one.get("anyOf") or ()
    ]
    if choices and any(
        each not in choices for each in (value if isinstance(value, list) else [value])
    ):
        return f"must be one of {', '.join(map(str, choices))}"
    size = len(value) if isinstance(value, str | list) else value
    low = schema.get("minLength", schema.get("minItems", schema.get("minimum")))
    high = schema.get("maxLength", schema.get("maxItems", schema.get("maximum")))
    if (low is not None and size < low) or (high is not None and size > high):
        return "is not within its bounds"
    return None


class Rounds:
    """What was asked and answered in the rounds of one call so far (2026-07-28).

    Read from the state that the client sent back, which the SDK has unsealed and checked; a state
    that is none of ours is none.
    """

    def __init__(self, state: str | None, responses: Mapping[str, Any] | None) -> None:
        try:
            known = json.loads(state) if state else {}
        except ValueError:
            known = {}
        known = known if isinstance(known, dict) else {}
        self._asked: dict[str, str] = dict(known.get("asked", {}))
        self._given: dict[str, tuple[str, Any]] = {
            key: (one[0], one[1]) for key, one in known.get("given", {}).items()
        }
        self.notes: dict[str, str] = dict(known.get("notes", {}))
        self._responses = responses or {}

    def answered(
        self, requests: Mapping[str, InputRequest], *, foreseeable: bool = False
    ) -> dict[str, Result]:
        """The responses to these; AskedBack when one is missing. It is then asked for."""
        results: dict[str, Result] = {}
        missing: dict[str, InputRequest] = {}
        for key, request in requests.items():
            digest = _digest(request)
            said = self._said(key, digest)
            if said is None and foreseeable:
                said = self._responses.get(key)
            try:
                if said is None:
                    raise ValueError(key)  # noqa: TRY301 - not answered and answered wrongly are one
                results[key] = read(request, said)
                self._given[key] = (digest, said)
            except ValueError:
                missing[key] = request
        if missing:
            raise AskedBack(
                InputRequiredResult(input_requests=missing, request_state=self._state(missing))
            )
        return results

    def _said(self, key: str, digest: str) -> Any:
        given = self._given.get(key)
        if given is not None and given[0] == digest:
            return given[1]
        # One that was sent without having been asked for, or to another question, is no answer.
        return self._responses.get(key) if self._asked.get(key) == digest else None

    def _state(self, missing: Mapping[str, InputRequest]) -> str:
        state = {
            "asked": {key: _digest(request) for key, request in missing.items()},
            "given": self._given,
            "notes": self.notes,
        }
        text = json.dumps(state, separators=(",", ":"))
        if len(text) > MOST_STATE:
            raise CannotAsk("too much was answered already for a call to carry on")
        return text


def _digest(request: InputRequest) -> str:
    text = json.dumps(request.model_dump(mode="json", by_alias=True), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
