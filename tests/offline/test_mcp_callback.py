import asyncio

import pytest

from hearth.offline.mcp_callback import Callback, NotLoggedIn


async def _visit(port: int, line: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"{line} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return (await reader.read()).decode()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_only_who_knows_the_word_is_believed() -> None:
    async with Callback() as callback:
        assert callback.uri == f"http://127.0.0.1:{callback.port}/callback"
        assert "400" in await _visit(callback.port, "GET /callback?code=early&state=")
        callback.state = "word"
        assert "404" in await _visit(callback.port, "GET /favicon.ico")
        assert "404" in await _visit(callback.port, "POST /callback?code=a&state=word")
        assert "400" in await _visit(callback.port, "GET /callback?code=evil&state=guess")
        assert "400" in await _visit(callback.port, "GET /callback?state=word")
        assert "logged in" in await _visit(callback.port, "GET /callback?code=c&state=word&iss=i")
        assert "already" in await _visit(callback.port, "GET /callback?code=d&state=word")
        back = await callback.wait(5)
    assert (back.code, back.state, back.iss) == ("c", "word", "i")


async def test_nobody_who_comes_is_told() -> None:
    async with Callback() as callback:
        with pytest.raises(NotLoggedIn, match="within"):
            await callback.wait(0.01)


async def test_whoever_says_nothing_or_too_much_harms_nobody() -> None:
    async with Callback() as callback:
        callback.state = "word"
        _, silent = await asyncio.open_connection("127.0.0.1", callback.port)
        silent.close()
        await silent.wait_closed()
        _, loud = await asyncio.open_connection("127.0.0.1", callback.port)
        loud.write(b"x" * 300_000)
        loud.close()
        assert "logged in" in await _visit(callback.port, "GET /callback?code=c&state=word")
        assert (await callback.wait(5)).code == "c"
