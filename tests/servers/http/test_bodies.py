"""Reading what is sent, within bounds."""

import asyncio
from collections.abc import Sequence

import pytest
from starlette.types import Message, Receive

from hearth.servers.http.answers import Trouble
from hearth.servers.http.bodies import (
    MOST_BYTES,
    ClientGone,
    again,
    has_body,
    is_small,
    read,
    read_over,
    unfit,
)


def sent(*pieces: bytes, then: str = "") -> Receive:
    """A client that sends these; `gone` hangs up after them, `silent` says no more."""
    messages: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": bool(then) or at < len(pieces)}
        for at, piece in enumerate(pieces, 1)
    ]

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        if then == "silent":
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return receive


async def test_a_body_comes_in_pieces() -> None:
    assert await read(sent(b"")) == b""
    assert await read(sent(b"a")) == b"a"
    assert await read(sent(b"a", b"", b"b")) == b"ab"


async def test_the_largest_body_is_taken_and_one_byte_more_is_not() -> None:
    half = b"x" * (MOST_BYTES // 2)
    assert await read(sent(half, half)) == half * 2
    trouble = await read(sent(half, half, b"x"))
    assert isinstance(trouble, Trouble)
    assert (trouble.status, trouble.code, trouble.close) == (413, "too_large", True)


async def test_a_client_that_hangs_up_is_gone() -> None:
    with pytest.raises(ClientGone):
        await read(sent(b"a", then="gone"))


async def test_a_client_that_stops_sending_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hearth.servers.http.bodies.WITHIN", 0.001)
    trouble = await read(sent(b"a", then="silent"))
    assert isinstance(trouble, Trouble)
    assert (trouble.status, trouble.code, trouble.close) == (408, "too_slow", True)


async def test_a_body_that_was_read_is_given_once_and_then_what_is_still_to_come() -> None:
    receive = again(b"a", sent(then="gone"))
    assert await receive() == {"type": "http.request", "body": b"a", "more_body": False}
    assert await receive() == {"type": "http.disconnect"}


@pytest.mark.parametrize("how", ["gone", "silent", ""])
async def test_what_is_read_over_ends(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearth.servers.http.bodies.LINGER", 0.001)
    async with asyncio.timeout(20) as limit:
        await read_over(sent(b"a" * 100, b"b", then=how))
        await read_over(sent(*[b"x" * MOST_BYTES] * 4, then="gone"))
    assert not limit.expired()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], None),
        ([("content-type", "application/json"), ("content-length", "3")], None),
        ([("content-type", "Application/JSON; charset=utf-8"), ("content-length", "3")], None),
        ([("content-length", "3")], 415),
        ([("transfer-encoding", "chunked")], 415),
        ([("content-type", "text/plain")], 415),
        ([("content-type", "application/json; charset=utf-16")], 415),
        ([("content-type", "application/json"), ("content-encoding", "gzip")], 415),
        ([("content-type", "application/json"), ("content-length", "9" * 5000)], 413),
        ([("content-type", "application/json"), ("content-length", str(MOST_BYTES + 1))], 413),
        ([("content-type", "application/json"), ("content-length", str(MOST_BYTES))], None),
        ([("content-type", "application/json"), ("content-length", "-1")], 400),
    ],
)
def test_headers_tell_what_is_wrong_before_anything_is_read(
    headers: Sequence[tuple[str, str]], status: int | None
) -> None:
    trouble = unfit({name.encode(): value.encode() for name, value in headers})
    assert (trouble.status if trouble else None) == status


def test_small_is_what_can_be_read_over_at_no_cost() -> None:
    assert is_small({})
    assert is_small({b"content-length": b"65536"})
    assert not is_small({b"content-length": b"65537"})
    assert not is_small({b"content-length": b"9999999999"})
    assert not is_small({b"content-length": b"-1"})
    assert not is_small({b"transfer-encoding": b"chunked"})
    assert has_body({b"transfer-encoding": b"chunked"})
    assert not has_body({b"content-length": b"0"})
