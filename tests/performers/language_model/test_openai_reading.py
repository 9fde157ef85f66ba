"""How streams of OpenAI's wires may end, and what is no stream at all."""

import pytest

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import Answer, Heard, TextHeard, WireTrouble
from hearth.performers.language_model.openai_reading import (
    EventReader,
    complained,
    counted,
    is_json,
    rejected,
)
from hearth.performers.language_model.server_sent import Frame

ANSWER = Answer((), StopReason.END, Usage())


class Echo(EventReader):
    """Shows every frame, and is complete at `"end"`."""

    def _read(self, frame: Frame, heard: list[Heard]) -> None:
        heard.append(TextHeard(0, frame.data.decode()))
        if frame.data == b'"end"':
            self._answer = ANSWER


class Trusting(Echo):
    """Takes every end for the right one."""

    def _ended(self) -> Answer | None:
        return ANSWER


def trouble_at_the_end(data: bytes) -> WireTrouble:
    reader = Echo()
    reader.feed(data)
    with pytest.raises(WireTrouble) as raised:
        reader.finish()
    return raised.value


def test_frames_are_read_until_the_answer_is_complete() -> None:
    reader = Echo()
    assert reader.feed(b'data: 1\n\ndata: "end"\n\ndata: 2\n\n') == [
        TextHeard(0, "1"),
        TextHeard(0, '"end"'),
    ]
    assert reader.answer is ANSWER
    assert reader.finish() is ANSWER


def test_a_last_frame_without_its_end_is_read_if_it_is_whole() -> None:
    reader = Echo()
    reader.feed(b'data: "end"')
    assert reader.answer is None
    assert reader.finish() is ANSWER
    assert trouble_at_the_end(b'data: "en').trouble is Trouble.NETWORK


def test_a_reader_may_know_that_an_end_is_the_right_one() -> None:
    reader = Trusting()
    assert reader.finish() is ANSWER


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"da",
        b"data",
        b": keep-alive\n\n",
        b"\xef\xbb\xbfevent: x",
        b"\r\nid: 7",
        b"data: {}\n",
    ],
)
def test_a_stream_that_ends_early_is_a_broken_connection(data: bytes) -> None:
    trouble = trouble_at_the_end(data)
    assert (trouble.trouble, trouble.status) == (Trouble.NETWORK, None)


def test_an_error_in_place_of_a_stream_is_taken_for_what_it_is() -> None:
    trouble = trouble_at_the_end(
        b'{"error":{"code":"context_length_exceeded","message":"Too much."}}'
    )
    assert (trouble.trouble, trouble.message) == (Trouble.OVERFLOW, "Too much.")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"<html><body>Sign in\n</body></html>", "<html><body>Sign in </body></html>"),
        (b'{"choices":[],"object":"chat.completion"}', '{"choices":[],'),
    ],
)
def test_anything_else_in_place_of_a_stream_is_shown(data: bytes, shown: str) -> None:
    trouble = trouble_at_the_end(data)
    assert trouble.trouble is Trouble.MALFORMED
    assert shown in trouble.message


def test_json_that_has_come_whole() -> None:
    assert is_json(b'{"a":"\xc3\xbc"}')
    assert not is_json(b'{"a":"\xc3')
    assert not is_json(b"")


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
    ("error", "trouble", "status"),
    [
        ({"error": {"code": 503, "message": "busy"}}, Trouble.OVERLOADED, 503),
        ({"error": {"code": "429"}}, Trouble.RATE_LIMITED, 429),
        ({"error": {"code": 7, "message": "odd"}}, Trouble.SERVER, None),
        ({"error": {"code": "server_is_overloaded"}}, Trouble.OVERLOADED, None),
        ({"code": "rate_limit_exceeded", "message": "slow"}, Trouble.RATE_LIMITED, None),
        ({"error": "boom"}, Trouble.SERVER, None),
        ({}, Trouble.SERVER, None),
        ("?", Trouble.SERVER, None),
    ],
)
def test_complaints_are_known_by_code_or_status(
    error: object, trouble: Trouble, status: int | None
) -> None:
    complaint = complained(error)
    assert (complaint.trouble, complaint.status) == (trouble, status)
    assert complaint.message


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
    assert rejected(200, body, None).trouble is expected
