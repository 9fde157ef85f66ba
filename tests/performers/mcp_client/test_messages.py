import asyncio
import os

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCResponse
from tests.performers.mcp_client.conftest import Pipe

from hearth.performers.mcp_client.frames import LineReader, LineWriter
from hearth.performers.mcp_client.messages import TOO_LARGE, Incoming, Outgoing


async def test_messages_come_in_order_and_noise_is_skipped(pipe: Pipe) -> None:
    ended = asyncio.Event()
    large = "x" * 300_000
    lines = [
        b"listening on port 5",
        b'{"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}',
        b"",
        b"{",
        b"[" * 5000,
        b'{"jsonrpc": "2.0", "method": "x"}',
    ]
    os.write(pipe[1], b"\n".join(lines) + b"\n")
    async with Incoming(LineReader(pipe[0]), ended) as incoming:
        first, second = await incoming.receive(), await incoming.receive()
        assert isinstance(first.message, JSONRPCResponse)
        assert isinstance(second.message, JSONRPCNotification)
        assert incoming.noise == 3
        os.set_blocking(pipe[1], True)
        line = f'{{"jsonrpc": "2.0", "id": 2, "result": {{"a": "{large}"}}}}\n'.encode()
        writing = asyncio.create_task(asyncio.to_thread(os.write, pipe[1], line))
        third = await anext(incoming)
        await writing
        assert isinstance(third.message, JSONRPCResponse)
        assert third.message.result == {"a": large}
        os.close(pipe[1])
        with pytest.raises(StopAsyncIteration):
            await anext(incoming)
    assert ended.is_set()


async def test_a_giant_is_an_error_of_what_it_answers_and_else_the_end(pipe: Pipe) -> None:
    ended = asyncio.Event()
    incoming = Incoming(LineReader(pipe[0], largest=100), ended)
    os.write(pipe[1], b'{"jsonrpc": "2.0", "id": 7, "result": "' + b"x" * 500 + b'"}\n')
    found = (await incoming.receive()).message
    assert isinstance(found, JSONRPCError)
    assert (found.id, found.error.code) == (7, TOO_LARGE)
    assert not ended.is_set()
    os.write(pipe[1], b"x" * 500 + b"\n")
    with pytest.raises(anyio.EndOfStream):
        await incoming.receive()
    assert ended.is_set()
    await incoming.aclose()


async def test_what_is_sent_is_one_line_and_who_is_gone_is_told(pipe: Pipe) -> None:
    outgoing = Outgoing(LineWriter(pipe[1]))
    message = SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="a\nb"))
    async with outgoing:
        await outgoing.send(message)
        assert os.read(pipe[0], 1000) == b'{"jsonrpc":"2.0","method":"a\\nb"}\n'
    with pytest.raises(anyio.BrokenResourceError):
        await outgoing.send(message)
    await outgoing.aclose()
