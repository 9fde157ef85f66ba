"""What providers say when they do not answer, and what it means."""

import pytest

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.failures import (
    LONGEST_MESSAGE,
    Told,
    retry_after,
    told,
    trouble_of,
)


@pytest.mark.parametrize(
    ("status", "code", "message", "trouble"),
    [
        (529, "overloaded_error", "Overloaded", Trouble.OVERLOADED),
        (None, "overloaded_error", "Overloaded", Trouble.OVERLOADED),
        (503, "", "Service Unavailable", Trouble.OVERLOADED),
        (503, "api_error", "Not ready yet", Trouble.OVERLOADED),
        (None, "server_error", "The server is overloaded", Trouble.OVERLOADED),
        (500, "", "The engine is currently overloaded", Trouble.OVERLOADED),
        (429, "rate_limit_error", "Number of request tokens", Trouble.RATE_LIMITED),
        (429, "", "", Trouble.RATE_LIMITED),
        (429, "insufficient_quota", "You exceeded your current quota", Trouble.CREDENTIALS),
        (429, "", "Insufficient Balance", Trouble.CREDENTIALS),
        (402, "", "Insufficient Balance", Trouble.CREDENTIALS),
        (400, "invalid_request_error", "Your credit balance is too low", Trouble.CREDENTIALS),
        (500, "api_error", "Internal server error", Trouble.SERVER),
        (502, "", "<html>Bad Gateway</html>", Trouble.SERVER),
        (504, "timeout_error", "", Trouble.SERVER),
        (408, "", "", Trouble.SERVER),
        (None, "server_error", "", Trouble.SERVER),
        (None, "something_new", "", Trouble.SERVER),
        (None, "invalid_request_error", "", Trouble.REJECTED),
        (401, "authentication_error", "invalid x-api-key", Trouble.CREDENTIALS),
        (403, "", "", Trouble.CREDENTIALS),
        (404, "not_found_error", "model: claude-nothing", Trouble.UNKNOWN_MODEL),
        (404, "model_not_found", "The model `x` does not exist", Trouble.UNKNOWN_MODEL),
        (404, "", "model 'llama9' not found, try pulling it first", Trouble.UNKNOWN_MODEL),
        (404, "", "404 page not found", Trouble.REJECTED),
        (404, "not_found_error", "Not Found", Trouble.REJECTED),
        (400, "invalid_request_error", "messages: at least one", Trouble.REJECTED),
        (422, "", "", Trouble.REJECTED),
        (301, "", "", Trouble.REJECTED),
    ],
)
def test_a_failure_is_named_for_what_can_be_done_about_it(
    status: int | None, code: str, message: str, trouble: Trouble
) -> None:
    assert trouble_of(status, code, message) is trouble


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 19"),
        (400, "context_length_exceeded", ""),
        (400, "", "This model's maximum context length is 128000 tokens."),
        (None, "context_length_exceeded", "Your input exceeds the context window of this model."),
        (500, "", "the request exceeds the available context size, try increasing it"),
        (413, "request_too_large", "Request exceeds the maximum size"),
        (413, "", ""),
    ],
)
def test_a_conversation_that_is_too_long_is_no_other_failure(
    status: int | None, code: str, message: str
) -> None:
    assert trouble_of(status, code, message) is Trouble.OVERFLOW


def test_a_limit_of_tokens_a_minute_is_no_overflow() -> None:
    message = "Request too large: it exceeds the context limit of 30000 tokens per minute"
    assert trouble_of(429, "", message) is Trouble.RATE_LIMITED


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
            Told("overloaded_error", "Overloaded"),
        ),
        (
            b'{"error":{"message":"No","type":"tokens","param":null,"code":"rate_limit_exceeded"}}',
            Told("rate_limit_exceeded", "No"),
        ),
        (b'{"error":{"message":"No","code":429,"type":"x"}}', Told("x", "No")),
        (b'{"error":{"message":"No","code":"429"}}', Told("", "No")),
        (b'{"error":"model not found"}', Told("", "model not found")),
        (b'{"detail":"Not Found"}', Told("", "Not Found")),
        (b'[{"error":{"type":"x","message":"y"}}]', Told("x", "y")),
        (
            b'{"object":"error","message":"m","type":"BadRequestError"}',
            Told("BadRequestError", "m"),
        ),
        (b'"no"', Told("", "no")),
        (b"17", Told("", "")),
        (b"<html>\n  Bad   Gateway\xff</html>", Told("", "<html> Bad Gateway\ufffd</html>")),
        (b"", Told("", "")),
        (b"[" * 5000, Told("", "[" * (LONGEST_MESSAGE - 1) + "…")),
    ],
)
def test_the_words_are_found_in_every_shape_of_error(body: bytes, expected: Told) -> None:
    assert told(body) == expected


def test_words_for_people_hold_no_key_and_come_to_an_end() -> None:
    said = told(b'{"error":{"message":"Incorrect API key provided: sk-proj-abc****xyz9. See"}}')
    assert said.message == "Incorrect API key provided: … See"
    assert len(told(b"x" * 100_000).message) == LONGEST_MESSAGE


SENT = "Wed, 21 Oct 2026 07:28:00 GMT"
LATER = "Wed, 21 Oct 2026 07:29:30 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"Retry-After": " 0.5 "}, 0.5),
        ({"Retry-After-Ms": "250", "retry-after": "12"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "12"}, 12.0),
        ({"retry-after": LATER, "date": SENT}, 90.0),
        ({"retry-after": SENT, "date": LATER}, 0.0),
        ({"retry-after": LATER}, None),
        ({"retry-after": "soon", "date": SENT}, None),
        ({"retry-after": "-3", "date": SENT}, None),
        ({"retry-after": "nan", "date": SENT}, None),
        ({"retry-after": "inf", "date": SENT}, None),
    ],
)
def test_the_wait_is_read_in_seconds_milliseconds_and_dates(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds
