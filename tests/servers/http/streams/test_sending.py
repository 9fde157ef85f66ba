"""A stream ends with its source or with its client, and lets go of both."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.types import Message
from tests.servers.http.streams.played import so

from hearth.servers.http.conversation import GONE
from hearth.servers.http.streams.sending import EventStream

PATIENCE = 20.0


class Source:
    """Gives what a test puts in."""

    def __init__(self, beginning: bytes = b"begin") -> None:
        self.beginning = beginning
        self.pieces: asyncio.Queue[bytes | Exception] = asyncio.Queue()
        self.closed = 0

    async def next(self) -> bytes:
        piece = await self.pieces.get()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def close(self) -> None:
        self.closed += 1


class Client:
    """Takes what is sent, and may be gone."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.listeners: list[Callable[[], object]] = []
        self.left = 0
        self.scope: dict[str, Any] = {"type": "http", "extensions": {GONE: {"tell": self._tell}}}

    def _tell(self, listener: Callable[[], object]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    async def receive(self) -> Message:
        raise AssertionError("nobody reads here")

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    def leave(self) -> None:
        self.left += 1

    async def play(self, source: Source) -> None:
        stream = EventStream(source, self.leave)
        async with asyncio.timeout(PATIENCE):
            await stream(self.scope, self.receive, self.send)


async def test_all_of_it_is_sent_and_then_the_end() -> None:
    source, client = Source(), Client()
    for piece in (b"one", b"two", b""):
        source.pieces.put_nowait(piece)
    await client.play(source)
    start, *bodies = client.sent
    assert dict(start["headers"])[b"content-type"].startswith(b"text/event-stream")
    assert b"content-length" not in dict(start["headers"])
    assert [(body["body"], body["more_body"]) for body in bodies] == [
        (b"begin", True),
        (b"one", True),
        (b"two", True),
        (b"", False),
    ]
    assert (source.closed, client.left, client.listeners) == (1, 1, [])


async def test_a_client_that_is_gone_ends_it_at_once() -> None:
    source, client = Source(b""), Client()
    playing = asyncio.create_task(client.play(source))
    await so(lambda: client.listeners)
    client.listeners[0]()
    await playing
    assert (source.closed, client.left, client.listeners) == (1, 1, [])
    assert all(message.get("more_body", True) for message in client.sent), "no end is pretended"


async def test_a_door_that_hangs_up_ends_it_at_once() -> None:
    source, client = Source(), Client()
    playing = asyncio.create_task(client.play(source))
    await so(lambda: client.sent)
    playing.cancel()
    assert isinstance((await asyncio.gather(playing, return_exceptions=True))[0], BaseException)
    assert (source.closed, client.left) == (1, 1)


async def test_a_defect_of_the_source_is_told_and_closes_it() -> None:
    source, client = Source(), Client()
    source.pieces.put_nowait(RuntimeError("broken"))
    with pytest.raises(RuntimeError, match="broken"):
        await client.play(source)
    assert (source.closed, client.left) == (1, 1)
