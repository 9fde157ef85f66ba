"""HTTP answers, cut anywhere, and things that are none."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.incoming import LONGEST_HEAD, Incoming, NotHttp

COUNTED = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Some: Thing\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\nhel\r\n2;more=here\r\nlo\r\n0\r\nTrailer: yes\r\n\r\n"
)
PRELIMINARY = b"HTTP/1.1 100 Continue\r\n\r\n" + COUNTED
EMPTY = b"HTTP/1.1 204 No Content\r\n\r\n"


def fed(raw: bytes, cuts: list[int]) -> tuple[Incoming, bytes]:
    incoming, body = Incoming(), b""
    edges = [0, *sorted(cut % (len(raw) + 1) for cut in cuts), len(raw)]
    for start, end in pairwise(edges):
        if not incoming.done:
            body += incoming.feed(raw[start:end])
    return incoming, body


@pytest.mark.parametrize(
    ("raw", "status", "body"),
    [
        (COUNTED, 200, b"hello"),
        (CHUNKED, 202, b"hello"),
        (PRELIMINARY, 200, b"hello"),
        (EMPTY, 204, b""),
        (b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, b""),
    ],
)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=8))
def test_an_answer_is_read_however_it_is_cut(
    raw: bytes, status: int, body: bytes, cuts: list[int]
) -> None:
    incoming, found = fed(raw, cuts)
    assert (incoming.done, incoming.status, found, incoming.rest) == (True, status, body, b"")


def test_an_answer_is_read_byte_by_byte() -> None:
    for raw in (COUNTED, CHUNKED, PRELIMINARY):
        incoming, body = fed(raw, list(range(len(raw))))
        assert (incoming.done, body) == (True, b"hello")


def test_headers_are_known_by_their_names_in_lower_case() -> None:
    incoming, _ = fed(COUNTED, [])
    assert incoming.headers == {"content-length": "5", "x-some": "Thing"}


def test_what_comes_behind_an_answer_is_kept_for_the_next() -> None:
    for raw in (COUNTED, CHUNKED, EMPTY):
        incoming = Incoming()
        incoming.feed(raw + COUNTED)
        assert incoming.done
        assert incoming.rest == COUNTED


def test_an_answer_without_a_length_ends_with_the_connection() -> None:
    incoming = Incoming()
    assert incoming.feed(b"HTTP/1.1 200 OK\r\n\r\nhel") == b"hel"
    assert incoming.feed(b"lo") == b"lo"
    assert not incoming.done
    incoming.ended()
    assert incoming.done


@pytest.mark.parametrize("raw", [COUNTED, CHUNKED])
def test_an_answer_that_breaks_off_is_no_answer(raw: bytes) -> None:
    for length in range(len(raw)):
        incoming = Incoming()
        incoming.feed(raw[:length])
        with pytest.raises(NotHttp, match="broke off" if length else "no answer"):
            incoming.ended()


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "begins with 'SSH-2.0"),
        (b"HTTP/1.1 abc\r\n\r\n", "begins with"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "a length of"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n", "a length of"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "has the size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", "has the size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcd", "longer than it says"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 2000, "no size"),
        (b"x" * (LONGEST_HEAD + 1), "no end"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"x" * 70_000,
            "no end",
        ),
    ],
)
def test_what_is_no_answer_is_told(raw: bytes, says: str) -> None:
    with pytest.raises(NotHttp, match=says):
        Incoming().feed(raw)


@given(raw=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200), max_size=4))
def test_no_bytes_do_anything_but_be_refused(raw: bytes, cuts: list[int]) -> None:
    try:
        incoming, _ = fed(b"HTTP/1.1 200 OK\r\n" + raw, cuts)
        if not incoming.done:
            incoming.ended()
    except NotHttp:
        return
    assert incoming.done
