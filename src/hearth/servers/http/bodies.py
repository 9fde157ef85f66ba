"""Reading what is sent: JSON alone, so much and so long, and nothing that was not looked at."""

import asyncio
from collections.abc import Mapping
from typing import Final

from starlette.types import Message, Receive

from hearth.core.vocabulary.codec import MAX_COMMAND_BYTES
from hearth.servers.http.answers import Trouble, malformed

MOST_BYTES: Final = MAX_COMMAND_BYTES
WITHIN: Final = 30.0
SMALL: Final = 64 * 1024
"""So much of a refused body is read over; more ends the connection."""
LINGER: Final = 1.0


class ClientGone(Exception):
    """Nobody waits for an answer any more."""


def unfit(headers: Mapping[bytes, bytes]) -> Trouble | None:
    """What is wrong with a body, as far as its headers tell."""
    kind = headers.get(b"content-type")
    if (kind is not None or has_body(headers)) and not _is_json(kind):
        return Trouble(
            415,
            "not_json",
            f"a body of type {_shown(kind)} is not taken",
            "send JSON, with Content-Type: application/json",
        )
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        hint = "send it as it is"
        return Trouble(415, "not_json", "an encoded body is not taken", hint)
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        return malformed("this is not a length", "Content-Length")
    # Before it is a number: a long one costs more than it is worth.
    if len(length) > 12 or int(length) > MOST_BYTES:
        return too_large()
    return None


def has_body(headers: Mapping[bytes, bytes]) -> bool:
    """Whether something follows the headers."""
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


def is_small(headers: Mapping[bytes, bytes]) -> bool:
    """Whether reading over the body costs nothing worth mentioning."""
    length = headers.get(b"content-length", b"0")
    if b"transfer-encoding" in headers or not length.isdigit() or len(length) > 6:
        return False
    return int(length) <= SMALL


async def read(receive: Receive) -> bytes | Trouble:
    """The whole body, or why not. ClientGone."""
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(WITHIN):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                piece = message.get("body", b"")
                size += len(piece)
                if size > MOST_BYTES:
                    return too_large()
                pieces.append(piece)
                if not message.get("more_body", False):
                    return b"".join(pieces) if len(pieces) > 1 else piece
    except TimeoutError:
        why = f"the body did not come within {WITHIN:g} seconds"
        return Trouble(408, "too_slow", why, "send it in one piece", close=True)


def again(body: bytes, receive: Receive) -> Receive:
    """`receive` for an application: the body that was read, and then what is still to come."""
    given = False

    async def received() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received


async def read_over(receive: Receive) -> None:
    """Let a client send for a moment what nobody reads.

    Whoever hangs up on data takes his own answer back: the client would see an error instead.
    """
    size = 0
    try:
        async with asyncio.timeout(LINGER):
            while size <= 2 * MOST_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
                size += len(message.get("body", b""))
    except TimeoutError:
        pass  # It was given its moment.


def too_large() -> Trouble:
    """More than is taken."""
    return Trouble(
        413,
        "too_large",
        f"a body has at most {MOST_BYTES} bytes",
        "load larger code from a file",
        {"limit": MOST_BYTES},
        close=True,
    )


def _is_json(kind: bytes | None) -> bool:
    if kind is None:
        return False
    name, _, parameters = kind.lower().partition(b";")
    charset = parameters.strip()
    return name.strip() == b"application/json" and charset in {
        b"",
        b"charset=utf-8",
        b'charset="utf-8"',
    }


def _shown(kind: bytes | None) -> str:
    return "nobody says what" if kind is None else repr(kind[:60].decode("latin-1"))
