"""A connection asks, and has the answer whole or piece by piece, or says that it is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hearth.clients.remote import connection as connections
from hearth.clients.remote.connection import Connection, Lost

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ASKS = {"Host": "hearth"}
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n" + b'{"a":1}'


@asynccontextmanager
async def answering(folder: Path, *pieces: bytes, hangs_up: bool = True) -> AsyncIterator[str]:
    """A server that reads one request after the other and answers each with these pieces."""
    path = str(folder / "s")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
                if hangs_up:
                    break
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    async with await asyncio.start_unix_server(serve, path):
        yield path


async def test_an_answer_comes_whole_however_it_is_cut(tmp_path: Path) -> None:
    cut = [WHOLE[place : place + 3] for place in range(0, len(WHOLE), 3)]
    async with answering(tmp_path, *cut, hangs_up=False) as path:
        connection = await Connection.to(path, 0)
        for _ in range(2):
            await connection.ask("GET", "/x", ASKS, None)
            answer = await connection.whole(20)
            assert (answer.status, answer.is_success, answer.json()) == (200, True, {"a": 1})
            assert connection.is_reusable
        connection.close()
        assert not connection.is_open


async def test_what_is_sent_says_how_long_it_is(tmp_path: Path) -> None:
    path, seen = str(tmp_path / "s"), asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.set_result((head, await reader.readexactly(2)))
        writer.write(WHOLE)
        writer.close()

    async with await asyncio.start_unix_server(serve, path):
        connection = await Connection.to(path, 0)
        await connection.ask("POST", "/x", {**ASKS, "A": "b"}, b"{}")
        await connection.whole(20)
        connection.close()
    head, body = await seen
    assert head == (
        b"POST /x HTTP/1.1\r\nHost: hearth\r\nA: b\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n"
    )
    assert body == b"{}"


async def test_a_stream_is_given_piece_by_piece(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
    async with answering(tmp_path, head, b"3\r\ntw", b"o\r\n", b"0\r\n\r\n") as path:
        connection = await Connection.to(path, 0)
        await connection.ask("GET", "/x", ASKS, None)
        answer, first = await connection.head(20)
        assert answer.status == 200
        rest = [piece async for piece in connection.pieces(20)]
        assert first + b"".join(rest) == b"onetwo"
        connection.close()


@pytest.mark.parametrize(
    "said",
    [(), (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",), (b"what?\r\n\r\n",)],
)
async def test_what_breaks_off_or_makes_no_sense_is_lost(
    tmp_path: Path, said: tuple[bytes, ...]
) -> None:
    async with answering(tmp_path, *said) as path:
        connection = await Connection.to(path, 0)
        await connection.ask("GET", "/x", ASKS, None)
        with pytest.raises(Lost):
            await connection.whole(20)
        connection.close()


async def test_who_says_nothing_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering(tmp_path, hangs_up=False) as path:
        for read in (Connection.whole, Connection.head):
            connection = await Connection.to(path, 0)
            await connection.ask("GET", "/x", ASKS, None)
            with pytest.raises(Lost, match=r"within 0.01 seconds"):
                await read(connection, 0.01)
            connection.close()
        connection = await Connection.to(path, 0)
        await connection.ask("GET", "/x", ASKS, None)
        with pytest.raises(Lost, match=r"nothing for 0.01 seconds"):
            async for _ in connection.pieces(0.01):
                pass
        connection.close()
    with pytest.raises(Lost):
        await Connection.to(str(tmp_path / "nobody"), 0)
    monkeypatch.setattr(connections, "CONNECT", -1.0)
    with pytest.raises(Lost, match="nobody answered"):
        await Connection.to("", 9)
