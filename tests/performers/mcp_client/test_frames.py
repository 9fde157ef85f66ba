import asyncio
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.performers.mcp_client.conftest import Pipe

from hearth.performers.mcp_client.frames import MOST_WAITING, Giant, LineReader, LineWriter

LIMIT = 20


async def lines(reader: LineReader, count: int) -> list[bytes | Giant | None]:
    async with asyncio.timeout(LIMIT):
        return [await reader.line() for _ in range(count)]


async def test_lines_come_whole_however_they_are_cut(pipe: Pipe) -> None:
    reader = LineReader(pipe[0])
    for piece in (b"on", b"e\ntw", b"o\n\nfour\n"):
        os.write(pipe[1], piece)
        await asyncio.sleep(0)
    assert await lines(reader, 4) == [b"one", b"two", b"", b"four"]
    os.write(pipe[1], b"cut off")
    os.close(pipe[1])
    assert await lines(reader, 2) == [None, None]
    reader.close()


@pytest.mark.parametrize(
    ("head", "tail", "answers"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "result": "', b'"}', 7),
        (b'{"id":8,"result":"', b'"}', 8),
        (b'{"result":"', b'", "id": 9, "jsonrpc": "2.0"}', 9),
        (b'{"result":"', b'"}', None),
        (b'{"method": "x", "params": {"id": 5, "x": "', b'"}}', None),
    ],
)
async def test_a_giant_is_not_kept_and_what_it_answers_is_seen(
    pipe: Pipe, head: bytes, tail: bytes, answers: int | None
) -> None:
    reader = LineReader(pipe[0], largest=10_000)
    os.set_blocking(pipe[1], True)
    whole = head + b"x" * 500_000 + tail + b"\nnext\n"
    writing = threading.Thread(target=_write, args=(pipe[1], whole))
    writing.start()
    giant, after = await lines(reader, 2)
    writing.join(LIMIT)
    assert isinstance(giant, Giant)
    assert giant.answers == answers
    assert after == b"next"
    reader.close()


async def test_who_writes_without_end_is_not_read_without_end(pipe: Pipe) -> None:
    reader = LineReader(pipe[0])
    os.write(pipe[1], b"a\n" * (MOST_WAITING + 50))
    assert await lines(reader, 1) == [b"a"]
    assert not reader._is_reading, "it takes what waits first"
    found = await lines(reader, MOST_WAITING + 49)
    assert set(found) == {b"a"}
    assert reader._is_reading
    reader.close()
    assert await lines(reader, 1) == [None]


async def test_a_line_that_nobody_waits_for_any_more_goes_out_whole(pipe: Pipe) -> None:
    writer = LineWriter(pipe[1])
    long = b"x" * 3_000_000 + b"\n"
    sending = asyncio.create_task(writer.write(long))
    await asyncio.sleep(0)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    following = asyncio.create_task(writer.write(b"next\n"))
    reader = LineReader(pipe[0])
    assert await lines(reader, 2) == [long[:-1], b"next"]
    await following
    reader.close()
    writer.close()


async def test_nobody_to_read_is_told(pipe: Pipe) -> None:
    writer = LineWriter(pipe[1])
    os.close(pipe[0])
    with pytest.raises(BrokenPipeError):
        await writer.write(b"x\n")
    with pytest.raises(BrokenPipeError):
        await writer.write(b"x\n")


async def test_a_server_that_does_not_read_does_not_fill_the_memory(pipe: Pipe) -> None:
    writer = LineWriter(pipe[1])
    first = asyncio.create_task(writer.write(b"x" * 50_000_000))
    await asyncio.sleep(0)
    with pytest.raises(BlockingIOError, match="does not read"):
        await writer.write(b"x" * 50_000_000)
    writer.close()
    with pytest.raises(BrokenPipeError):
        await first


@given(st.lists(st.binary(max_size=50).filter(lambda one: b"\n" not in one)), st.integers(1, 30))
def test_whatever_is_written_is_read(written: list[bytes], size: int) -> None:
    async def play() -> list[bytes | Giant | None]:
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        reader = LineReader(read_end)
        whole = b"".join(one + b"\n" for one in written)
        for start in range(0, len(whole), size):
            os.write(write_end, whole[start : start + size])
            await asyncio.sleep(0)
        os.close(write_end)
        found = await lines(reader, len(written) + 1)
        reader.close()
        os.close(read_end)
        return found

    assert asyncio.run(play()) == [*written, None]


def _write(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content) :]
