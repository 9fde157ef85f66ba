"""What OpenAI's wires count, and what they reject."""

import pytest

from hearth.core.vocabulary.blocks import Usage
from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.openai_reading import counted, rejected


def tokens(usage: object) -> Usage:
    return counted(usage, sent="sent", written="written", details="details")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({"sent": 10, "written": 2}, Usage(10, 0, 0, 2)),
        ({"sent": 10, "written": 2, "details": None}, Usage(10, 0, 0, 2)),
        ({"sent": 10, "written": 2, "details": {"cached_tokens": 8}}, Usage(2, 8, 0, 2)),
        ({"sent": 10, "prompt_cache_hit_tokens": 8}, Usage(2, 8, 0, 0)),
        (
            {"sent": 10, "details": {"cached_tokens": 4, "cache_write_tokens": 5}},
            Usage(1, 4, 5, 0),
        ),
        # Counts that cannot be are never more than all there is.
        ({"sent": 10, "details": {"cached_tokens": 40, "cache_write_tokens": 5}}, Usage(0, 10)),
        ({"sent": -1, "written": "two", "details": {"cached_tokens": None}}, Usage()),
    ],
)
def test_counts_add_up_to_what_was_sent(usage: object, expected: Usage) -> None:
    assert tokens(usage) == expected


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, b'{"error":{"message":"Incorrect API key"}}', Trouble.CREDENTIALS),
        (429, b'{"error":{"message":"slow","code":"rate_limit_exceeded"}}', Trouble.RATE_LIMITED),
        (429, b'{"error":{"message":"pay","code":"insufficient_quota"}}', Trouble.CREDENTIALS),
        (400, b'{"error":{"message":"x","code":"context_length_exceeded"}}', Trouble.OVERFLOW),
        (400, b'{"error":{"message":"maximum context length is 8"}}', Trouble.OVERFLOW),
        (400, b'{"object":"error","message":"bad field"}', Trouble.REJECTED),
        (404, b'{"error":{"message":"m","code":"model_not_found"}}', Trouble.UNKNOWN_MODEL),
        (503, b"<html>busy</html>", Trouble.OVERLOADED),
        (500, b"", Trouble.SERVER),
        (302, b"<html>over there</html>", Trouble.REJECTED),
    ],
)
def test_what_a_rejection_means(status: int, body: bytes, expected: Trouble) -> None:
    trouble = rejected(status, body, 3.0)
    assert trouble.trouble is expected
    assert (trouble.status, trouble.retry_after) == (status, 3.0)
    assert trouble.message


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error":{"message":"Provider returned error","code":502}}', Trouble.SERVER),
        (b'{"error":{"message":"slow","code":429}}', Trouble.RATE_LIMITED),
        (b'{"error":"model is overloaded"}', Trouble.OVERLOADED),
        (b'{"object":"chat.completion","choices":[],"error":null}', Trouble.MALFORMED),
    ],
)
def test_a_good_status_does_not_make_an_error_good(body: bytes, expected: Trouble) -> None:
    found = rejected(200, body, 3.0)
    assert (found.trouble, found.retry_after) == (expected, 3.0)
    assert found.status in {200, 429, 502}
