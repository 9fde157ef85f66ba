"""The HTTP door, from outside, from its opening to its end."""

import asyncio
import socket
from pathlib import Path

import pytest
from tests.contracts.hearth_api import S, until
from tests.servers.http.raw import hear, request
from tests.servers.http.serving import PATIENCE, served

from hearth.core.vocabulary import events as e


async def test_one_and_one_over_http_and_over_the_socket(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        answer = await daemon.command({"type": "run_cell", "code": "1+1"})
        assert answer.status_code == 200
        assert answer.json()["envelopes"][-1]["event"]["value"] == "2"
        over_tcp = await daemon.browser.post(
            "/sessions/session-aaaaaa/commands",
            json={"type": "run_cell", "code": "1+1"},
            headers={**daemon.bearer(), "Prefer": "wait=30"},
        )
        assert over_tcp.json()["envelopes"][-1]["event"]["value"] == "2"


async def test_an_answer_waits_for_no_acknowledgement(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
            await daemon.browser.get("/health")
            for connection in daemon.door._state.connections:
                one = connection.transport.get_extra_info("socket")
                if one.family == socket.AF_INET:
                    assert one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()


async def test_a_closed_door_is_closed(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        path, port = daemon.home / "hearth.sock", daemon.port
    assert not path.exists()
    with pytest.raises(OSError, match=r"refused|Connect"):
        await asyncio.open_connection("127.0.0.1", port)


async def test_streams_end_first_and_cleanly(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        headers = [
            ("Host", f"127.0.0.1:{daemon.port}"),
            ("Authorization", f"Bearer {daemon.tokens.person}"),
        ]
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
            writer.write(request("GET", "/events?after=0", headers))
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"text/event-stream" in head
            await reader.readuntil(b"session_ready")
            await daemon.door.close()
            rest = await reader.read()
            writer.close()
        assert rest.endswith(b"0\r\n\r\n"), "the stream ends as a stream does, not as a failure"


async def test_who_waits_for_a_cell_without_end_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async with served(tmp_path, drain=0.05) as daemon:
        await daemon.begin()
        following = daemon.engine.follow(S)
        body = b'{"type":"run_cell","code":"hang"}'
        headers = [
            ("Host", f"127.0.0.1:{daemon.port}"),
            ("Authorization", f"Bearer {daemon.tokens.person}"),
            ("Content-Type", "application/json"),
            ("Prefer", "wait=600"),
        ]
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
            writer.write(request("POST", "/sessions/session-aaaaaa/commands", headers, body))
            await until(following, e.CellStarted)
            await daemon.door.close()
            assert await reader.read() == b""
            writer.close()
        following.close()
        assert not daemon.door._state.tasks
        assert not daemon.door._state.connections


async def test_what_is_being_answered_is_finished_before_the_end(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        headers = [
            ("Host", f"127.0.0.1:{daemon.port}"),
            ("Authorization", f"Bearer {daemon.tokens.person}"),
            ("Content-Type", "application/json"),
            ("Prefer", "wait=30"),
        ]
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
            following = daemon.engine.follow(S)
            writer.write(request("POST", "/sessions", headers, b'{"id":"session-aaaaaa"}'))
            await until(following, e.SessionStarted)
            closing = asyncio.create_task(daemon.door.close())
            heard = await hear(reader)
            await closing
            writer.close()
        following.close()
        assert heard.status == 201


async def test_closing_twice_does_nothing_more(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.door.close()
        await daemon.door.close()
        assert not daemon.door._state.connections
