"""Requests reach exactly who they are for, and what comes back is handed on as it comes."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.requesting import MOST_REFUSAL, Requesting

PATIENCE = 30.0
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[str]:
    """A server that does with each connection what it is told."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left, as some of these tests want it
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/messages"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def head_of(reader: asyncio.StreamReader) -> str:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = next(
        int(line.partition(":")[2])
        for line in head.lower().splitlines()
        if line.startswith("content-length:")
    )
    await reader.readexactly(length)
    return head


def answering(answer: bytes, heads: list[str]) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            heads.append(await head_of(reader))
            writer.write(answer)
            await writer.drain()

    return serve


@asynccontextmanager
async def asking(idle: float = PATIENCE) -> AsyncIterator[Requesting]:
    requesting = Requesting(idle=idle, connecting=PATIENCE)
    try:
        async with asyncio.timeout(PATIENCE):
            yield requesting
    finally:
        await requesting.close()


async def test_headers_are_those_that_were_given_and_two_of_ours() -> None:
    heads: list[str] = []
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a=b\r\nX-Odd: Yes\r\n\r\nok"
    async with listening(answering(answer, heads)) as url, asking() as requesting:
        for _ in range(2):
            async with requesting.post(url, {"x-api-key": "k"}, b"{}") as reply:
                assert reply.status == 200
                assert reply.headers["x-odd"] == "Yes"
                assert await reply.content() == b"ok"
    for head in heads:
        first, *lines = head.strip().split("\r\n")
        assert first == "POST /v1/messages HTTP/1.1"
        names = sorted(line.partition(":")[0].lower() for line in lines)
        assert names == ["accept-encoding", "content-length", "host", "user-agent", "x-api-key"]
        assert "identity" in head


async def test_a_connection_is_kept_and_used_again_without_delay() -> None:
    heads: list[str] = []
    ports: set[int] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ports.add(writer.get_extra_info("peername")[1])
        await answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", heads)(reader, writer)

    async with listening(serve) as url, asking() as requesting:
        for _ in range(3):
            async with requesting.post(url, {}, b"{}") as reply:
                await reply.content()
        (client,) = requesting._clients.values()
        (held,) = client._transport._pool.connections  # type: ignore[attr-defined] # inside
        stream = held._connection._network_stream.get_extra_info("socket")
        assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert len(ports) == 1
    assert len(heads) == 3


async def test_chunks_are_handed_on_as_they_come() -> None:
    more = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        await more.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")

    async with (
        listening(serve) as url,
        asking() as requesting,
        requesting.post(url, {}, b"{}") as reply,
    ):
        chunks = []
        async for chunk in reply.chunks:
            chunks.append(chunk)
            more.set()
    assert chunks == [b"one", b"two"]


async def test_nobody_is_followed_anywhere_else() -> None:
    heads: list[str] = []
    answer = b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    async with (
        listening(answering(answer, heads)) as url,
        asking() as requesting,
        requesting.post(url, {"x-api-key": "k"}, b"{}") as reply,
    ):
        assert reply.status == 307
    assert len(heads) == 1


async def test_silence_before_and_within_an_answer_is_told() -> None:
    begun = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
    for said in (b"", begun):
        async with listening(answering(said, [])) as url, asking(idle=0.1) as requesting:
            with pytest.raises(WireTrouble, match="said nothing for too long") as caught:
                async with requesting.post(url, {}, b"{}") as reply:
                    await reply.content()
            assert caught.value.trouble is Trouble.SILENT


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"no http at all\r\n\r\n",
    ],
)
async def test_a_connection_that_breaks_is_a_matter_of_the_network(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(answer)

    async with listening(serve) as url, asking() as requesting:
        with pytest.raises(WireTrouble) as caught:
            async with requesting.post(url, {}, b"{}") as reply:
                await reply.content()
    assert caught.value.trouble is Trouble.NETWORK


async def test_who_cannot_be_reached_is_named() -> None:
    async with asking() as requesting:
        with pytest.raises(WireTrouble, match=r"127\.0\.0\.1:9 cannot be reached") as caught:
            async with requesting.post("http://me:secret@127.0.0.1:9/", {}, b"{}"):
                pass
    assert caught.value.trouble is Trouble.NETWORK
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "headers"),
    [("http://127.0.0.1:9/", {"x-api-key": "bad\nkey"}), ("ftp://127.0.0.1/", {"x": "bad\nkey"})],
)
async def test_what_cannot_be_sent_is_told_without_repeating_it(
    url: str, headers: dict[str, str]
) -> None:
    async with listening(answering(b"", [])) as good, asking() as requesting:
        where = good if url.startswith("http") else url
        with pytest.raises(WireTrouble) as caught:
            async with requesting.post(where, headers, b"{}"):
                pass
    assert caught.value.trouble is Trouble.REJECTED
    assert "bad" not in caught.value.message


async def test_a_long_refusal_is_cut() -> None:
    body = b"x" * (MOST_REFUSAL * 3)
    answer = b"HTTP/1.1 500 Oh\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    async with (
        listening(answering(answer, [])) as url,
        asking() as requesting,
        requesting.post(url, {}, b"{}") as reply,
    ):
        assert len(await reply.content()) == MOST_REFUSAL


async def test_an_address_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    async with listening(answering(answer, [])) as url, asking() as requesting:
        await requesting.warm()
        async with requesting.post(f"{url}?key=secret", {}, b"{}"):
            pass
    assert "secret" not in caplog.text


async def test_all_connections_trust_the_same_certificates_read_once() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    async with (
        listening(answering(answer, [])) as one,
        listening(answering(answer, [])) as other,
        asking() as requesting,
    ):
        await requesting.warm()
        trusted = requesting._trusted
        for url in (one, other):
            async with requesting.post(url, {}, b"{}"):
                pass
        assert len(requesting._clients) == 2
        assert requesting._trusted is trusted is not None
        assert trusted.check_hostname
