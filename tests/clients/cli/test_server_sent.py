"""Server-sent events, cut anywhere."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.cli.server_sent import LARGEST, Sent, ServerSent, TooMuch

STREAM = (
    b":\n\n"
    b'id: 7\ndata: {"a":1}\n\n'
    b"event: progress\r\ndata: one\r\ndata: two\r\n\r\n"
    b": alive\n\n"
    b"retry: 5\n\n"
    b"id: 8\ndata: \xe2\x82\xac\n\n"
)
EXPECTED = [("", '{"a":1}', "7"), ("progress", "one\ntwo", ""), ("", "€", "8")]


def plain(events: list[Sent]) -> list[tuple[str, str, str]]:
    return [(one.kind, one.data, one.id) for one in events]


@given(cuts=st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_events_are_read_however_they_are_cut(cuts: list[int]) -> None:
    parser, found = ServerSent(), []
    edges = [0, *sorted(cuts), len(STREAM)]
    for start, end in pairwise(edges):
        found += parser.feed(STREAM[start:end])
    assert plain(found) == EXPECTED


def test_events_are_read_byte_by_byte() -> None:
    parser = ServerSent()
    found = [one for place in range(len(STREAM)) for one in parser.feed(STREAM[place : place + 1])]
    assert plain(found) == EXPECTED


def test_an_event_is_told_only_when_it_is_whole() -> None:
    parser = ServerSent()
    assert parser.feed(b"id: 1\ndata: half") == []
    assert plain(parser.feed(b" and half\n\n")) == [("", "half and half", "1")]


def test_an_id_belongs_to_its_own_event_alone() -> None:
    parser = ServerSent()
    assert plain(parser.feed(b"id: 1\ndata: a\n\ndata: b\n\n"))[1] == ("", "b", "")


def test_an_event_without_an_end_is_refused() -> None:
    parser = ServerSent()
    piece = b"x" * (1024 * 1024)
    for _ in range(LARGEST // len(piece) - 1):
        assert parser.feed(b"data: " + piece + b"\n") == []
    with pytest.raises(TooMuch):
        parser.feed(b"data: " + 2 * piece + b"\n")
    patient = ServerSent()
    for _ in range(3 * LARGEST // len(piece)):
        assert len(patient.feed(b"data: " + piece + b"\n\n")) == 1
