"""How streams of events may end, on every wire, and what is no stream at all."""

import pytest

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import Answer, Heard, TextHeard, WireTrouble
from hearth.performers.language_model.event_reading import EventReader, complained, is_json
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
