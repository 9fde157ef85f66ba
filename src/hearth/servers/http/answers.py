"""What the door says: JSON with its length in one piece, and trouble in one shape.

`{"error": {"code", "message", "hint", …}}`. A refusal keeps all its fields, so that a client can
build the word again: `code` is its type, `message` its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final

import msgspec
from starlette.responses import Response

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.refusals import Refusal
from hearth.daemon.versions import VERSION

JSON: Final = b"application/json"

STATUS: Final[Mapping[str, int]] = {
    "not_now": 409,
    "not_allowed": 403,
    "session_exists": 409,
    "too_many_sessions": 409,
    "duplicate_command": 409,
    "quarantined": 409,
    "owned_elsewhere": 409,
    "ambiguous_session": 409,
    "unknown_session": 404,
    "unknown_view": 404,
    "malformed": 400,
    "too_large": 413,
    "store_unavailable": 503,
    "shutting_down": 503,
}
"""The status of every refusal, by its wire name."""

COMMON: Final = (
    (b"hearth-version", VERSION.encode()),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
"""On every answer, whatever it is."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a request was not done."""

    status: int
    code: str
    message: str
    hint: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    close: bool = False
    """The connection ends with it."""

    def hinting(self, hint: str) -> "Trouble":
        """The same, with another hint."""
        return replace(self, hint=hint)

    def body(self) -> bytes:
        """The JSON of it."""
        error = {"code": self.code, "message": self.message, "hint": self.hint, **self.more}
        return codec.encode({"error": error})


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Any word, or a structure of words, as the answer."""
    return Response(codec.encode(value), status, headers, media_type="application/json")


def troubled(trouble: Trouble) -> Response:
    """Trouble as the answer."""
    headers = {**trouble.headers, **({"connection": "close"} if trouble.close else {})}
    return Response(trouble.body(), trouble.status, headers, media_type="application/json")


def refused(refusal: Refusal) -> Response:
    """A refusal as the answer."""
    return troubled(trouble_of(refusal))


def trouble_of(refusal: Refusal) -> Trouble:
    """A refusal as trouble."""
    fields: dict[str, Any] = msgspec.to_builtins(refusal)
    code = fields.pop("type")
    message = fields.pop("why")
    headers = {"Retry-After": "1"} if STATUS[code] == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return Trouble(STATUS[code], code, message, _hint(refusal), fields, headers)


def _hint(refusal: Refusal) -> str:
    """One sentence out of what would help."""
    affordances = [one for one in refusal.remedy if one.isidentifier()]
    sentences = [one for one in refusal.remedy if not one.isidentifier()]
    if sentences:
        return sentences[0]
    return f"try {' or '.join(affordances)}" if affordances else ""


def not_found(path: str) -> Trouble:
    """There is no such place."""
    return Trouble(404, "not_found", f"there is nothing at {path}", "GET /openapi.json lists all")


def malformed(message: str, path: str = "$", hint: str = "") -> Trouble:
    """Something in the request is not as it must be; `path` says where."""
    return Trouble(400, "malformed", message, hint, {"path": path})


def unreadable(error: Exception) -> Trouble:
    """What is stored cannot be had at the moment."""
    hint = "try again when the store is back"
    return Trouble(503, "store_unavailable", f"it cannot be read now: {error}", hint)


def defect(request_id: str) -> Trouble:
    """It is our fault; the log tells more under this id."""
    return Trouble(
        500,
        "defect",
        "something went wrong inside hearth",
        f"logs/daemon.log tells what, at request {request_id}",
        {"request": request_id},
    )


def wire_bytes(trouble: Trouble) -> bytes:
    """Trouble as a whole response that ends its connection, for where there is no application."""
    body = trouble.body()
    lines = [
        f"HTTP/1.1 {trouble.status} {HTTPStatus(trouble.status).phrase}".encode(),
        *(name + b": " + value for name, value in COMMON),
        b"content-type: " + JSON,
        b"content-length: %d" % len(body),
        b"connection: close",
    ]
    return b"\r\n".join([*lines, b"", body])
