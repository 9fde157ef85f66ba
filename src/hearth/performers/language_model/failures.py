"""What it means when a provider does not answer: by its own code, by its words, by the status.

worth another attempt   overloaded, rate_limited, server
worth a summary         overflow
in vain                 credentials, rejected, unknown_model
"""

import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec

from hearth.core.vocabulary.modelling import Trouble

OVERLOADED_STATUS: Final = 529
"""Anthropic's own: everybody asks at once."""
LONGEST_MESSAGE: Final = 600

# Codes that only say that something went wrong over there (`api_error`, `server_error` …) are not
# among these: the words and the status beside them say more.
_CODES: Final[Mapping[str, Trouble]] = {
    "overloaded_error": Trouble.OVERLOADED,
    "overloaded": Trouble.OVERLOADED,
    "engine_overloaded": Trouble.OVERLOADED,
    "server_is_overloaded": Trouble.OVERLOADED,
    "slow_down": Trouble.OVERLOADED,
    "service_unavailable_error": Trouble.OVERLOADED,
    "rate_limit_error": Trouble.RATE_LIMITED,
    "rate_limit_exceeded": Trouble.RATE_LIMITED,
    "too_many_requests": Trouble.RATE_LIMITED,
    "context_length_exceeded": Trouble.OVERFLOW,
    "context_window_exceeded": Trouble.OVERFLOW,
    "model_context_window_exceeded": Trouble.OVERFLOW,
    "exceed_context_size_error": Trouble.OVERFLOW,
    "request_too_large": Trouble.OVERFLOW,
    "string_above_max_length": Trouble.OVERFLOW,
    "authentication_error": Trouble.CREDENTIALS,
    "permission_error": Trouble.CREDENTIALS,
    "invalid_api_key": Trouble.CREDENTIALS,
    "invalid_authentication": Trouble.CREDENTIALS,
    # No money is left with this key: waiting does not help, another key may.
    "billing_error": Trouble.CREDENTIALS,
    "insufficient_quota": Trouble.CREDENTIALS,
    "insufficient_balance": Trouble.CREDENTIALS,
    "credit_balance_exhausted": Trouble.CREDENTIALS,
    "billing_hard_limit_reached": Trouble.CREDENTIALS,
    "billing_not_active": Trouble.CREDENTIALS,
    "enforced_spend_limit_reached": Trouble.CREDENTIALS,
    "model_not_found": Trouble.UNKNOWN_MODEL,
    "invalid_model": Trouble.UNKNOWN_MODEL,
}

_TOO_LONG: Final = re.compile(
    r"prompt is too long|input is too long|maximum context length"
    r"|context (length|window|limit|size)\b.{0,40}exceed"
    r"|exceeds?\b.{0,60}\bcontext (length|window|limit|size)",
    re.IGNORECASE,
)
_NO_MONEY: Final = re.compile(
    r"credit balance is too low|insufficient (balance|quota|credits)", re.IGNORECASE
)
_NO_MODEL: Final = re.compile(r"\bmodel\b.{0,120}(not found|does not exist|unknown)", re.IGNORECASE)
_BUSY: Final = re.compile(r"\boverloaded\b", re.IGNORECASE)

_WORDS: Final = (
    (_TOO_LONG, Trouble.OVERFLOW),
    (_NO_MONEY, Trouble.CREDENTIALS),
    (_NO_MODEL, Trouble.UNKNOWN_MODEL),
    (_BUSY, Trouble.OVERLOADED),
)
"""Codes are few and messages many: what some providers say in words alone."""

_STATUSES: Final[Mapping[int, Trouble]] = {
    HTTPStatus.UNAUTHORIZED: Trouble.CREDENTIALS,
    HTTPStatus.PAYMENT_REQUIRED: Trouble.CREDENTIALS,
    HTTPStatus.FORBIDDEN: Trouble.CREDENTIALS,
    HTTPStatus.REQUEST_TIMEOUT: Trouble.SERVER,
    HTTPStatus.CONFLICT: Trouble.SERVER,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Trouble.OVERFLOW,
    HTTPStatus.TOO_EARLY: Trouble.SERVER,
    HTTPStatus.TOO_MANY_REQUESTS: Trouble.RATE_LIMITED,
    HTTPStatus.SERVICE_UNAVAILABLE: Trouble.OVERLOADED,
    OVERLOADED_STATUS: Trouble.OVERLOADED,
}
_SAYS_IT_ALL: Final = frozenset({401, 402, 403, 429, 503, 529})
"""Statuses that leave nothing to the words, but whether money is what is missing."""

_SECRET: Final = re.compile(r"\b(?:sk|pk|key|xai|gsk)-[\w*.\-]{4,}", re.IGNORECASE)


class Told(NamedTuple):
    """What a provider says went wrong: its code, if it has one, and its words."""

    code: str
    message: str


def trouble_of(status: int | None, code: str = "", message: str = "") -> Trouble:
    """What kind of trouble it is. Status None: it was told in the middle of a stream."""
    known = _CODES.get(code.lower())
    if known is not None:
        return known
    if code.lower() == "not_found_error":
        # It may be the address at which nothing was found.
        return Trouble.UNKNOWN_MODEL if "model" in message.lower() else Trouble.REJECTED
    if status in _SAYS_IT_ALL:
        return Trouble.CREDENTIALS if _NO_MONEY.search(message) else _STATUSES[status]
    for pattern, trouble in _WORDS:
        if pattern.search(message):
            return trouble
    return _by_status(status, code)


def _by_status(status: int | None, code: str) -> Trouble:
    if status is None:
        return Trouble.REJECTED if "invalid" in code.lower() else Trouble.SERVER
    if status in _STATUSES:
        return _STATUSES[status]
    return Trouble.SERVER if status >= HTTPStatus.INTERNAL_SERVER_ERROR else Trouble.REJECTED


def told(body: bytes) -> Told:
    """The code and the words of an answer that is an error, in whichever shape it came."""
    try:
        value = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        # A page of some proxy: its beginning is better than nothing.
        return Told("", readable(body[: 4 * LONGEST_MESSAGE].decode("utf-8", "replace")))
    return told_in(value)


def told_in(value: Any) -> Told:
    """The same, of JSON that is decoded already."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return Told("", readable(value) if isinstance(value, str) else "")
    error = value.get("error")
    if isinstance(error, str):
        return Told(_text(value.get("code")), readable(error))
    if not isinstance(error, dict):
        error = value
    code = _code(error.get("code")) or _code(error.get("type"))
    message = next(
        (text for name in ("message", "detail", "msg") if (text := _text(error.get(name)))), ""
    )
    return Told(code, readable(message))


def readable(text: str) -> str:
    """A message for people: one line, not too long, and without anything that looks like a key."""
    line = " ".join(_SECRET.sub("…", text).split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _code(value: Any) -> str:
    """A code that is a number repeats the status; the type beside it says more."""
    text = _text(value)
    return "" if text.isdigit() or text == "error" else text


def retry_after(headers: Mapping[str, str]) -> float | None:
    """So many seconds the provider asks us to wait; None if it does not say, or not clearly.

    It may say a date: what time it is now is taken from its own `Date`.
    """
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    exact = _number(lowered.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    said = lowered.get("retry-after")
    seconds = _number(said)
    if seconds is not None or said is None:
        return seconds
    due, sent = _moment(said), _moment(lowered.get("date"))
    return None if due is None or sent is None else max(0.0, due - sent)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (ValueError, OverflowError):
        return None
