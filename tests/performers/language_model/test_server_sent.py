"""Frames come out of any cut of the bytes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model import server_sent
from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.server_sent import Frame, Frames, begins_a_stream

STREAM = (
    b"\xef\xbb\xbf: hello\n\n"
    b'event: message_start\ndata: {"a":1}\n\n'
    b"event: ping\ndata: {}\n\n"
    b"id: 7\nretry: 10\ndata:first\ndata: second\ndata\n\n"
    b"event: nothing follows\n\n"
    b"data: \xc3\xa9\xe2\x80\xa8\n\n"
)
FRAMES = [
    Frame("message_start", b'{"a":1}'),
    Frame("ping", b"{}"),
    Frame("", b"first\nsecond\n"),
    # U+2028 ends lines of text, but not those of this protocol.
    Frame("", b"\xc3\xa9\xe2\x80\xa8"),
]


def read(pieces: list[bytes]) -> list[Frame]:
    frames = Frames()
    heard = [frame for piece in pieces for frame in frames.feed(piece)]
    return heard + frames.finish()


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(places), len(stream)]
    return [stream[a:b] for a, b in pairwise(edges)]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
@given(places=st.lists(st.integers(0, len(STREAM) + 20)))
def test_any_cut_gives_the_same_frames_whichever_way_lines_end(
    ending: bytes, places: list[int]
) -> None:
    stream = STREAM.replace(b"\n", ending)
    assert read(cut(stream, places)) == FRAMES
    assert read([stream[n : n + 1] for n in range(len(stream))]) == FRAMES


def test_a_frame_is_told_with_its_last_byte() -> None:
    frames = Frames()
    assert frames.feed(b"data: x\r\n") == []
    assert frames.feed(b"\r") == [Frame("", b"x")]
    assert frames.feed(b"\ndata: y\n\n") == [Frame("", b"y")]
    assert frames.finish() == []


def test_a_frame_that_the_stream_ends_in_is_told_at_the_end() -> None:
    assert read([b"event: done\ndata: [DONE]"]) == [Frame("done", b"[DONE]")]
    assert read([b"data: [DONE]\n"]) == [Frame("", b"[DONE]")]
    assert read([b"event: done\n"]) == []
    assert read([]) == []


def test_a_name_does_not_outlive_its_frame() -> None:
    assert read([b"event: a\n\ndata: x\n\n"]) == [Frame("", b"x")]


@pytest.mark.parametrize("line", [b"x" * 10, b"data: x\n", b"data: x\n: y"])
def test_a_frame_that_never_ends_is_not_kept_for_ever(
    monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    monkeypatch.setattr(server_sent, "LONGEST_FRAME", 200)
    with pytest.raises(WireTrouble) as caught:
        read([line] * 100)
    assert caught.value.trouble is Trouble.MALFORMED


def test_a_stream_may_be_longer_than_the_longest_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_sent, "LONGEST_FRAME", 200)
    assert len(read([b"data: x\n\nda", b"ta: y\n\n"] * 100)) == 200


@given(st.integers(3, len(STREAM)))
def test_a_stream_is_known_by_any_beginning_of_it(length: int) -> None:
    assert begins_a_stream(STREAM[:length])


@pytest.mark.parametrize("head", [b"{", b"<html>", b"\xef\xbb\xbf{", b"\n\ndatum", b"error: x"])
def test_what_is_no_stream_is_known_by_its_beginning(head: bytes) -> None:
    assert not begins_a_stream(head)
