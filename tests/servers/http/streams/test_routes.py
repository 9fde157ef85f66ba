"""The log over HTTP: from a cursor, live, and only for as long as somebody listens."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.contracts.hearth_api import PATIENCE, S, T, begin, ran
from tests.servers.http.editors.watched import http
from tests.servers.http.streams.daemons import Daemon, daemon
from tests.servers.http.streams.played import ids_in, so, texts_in

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.codec import envelope_json
from hearth.core.vocabulary.ids import DAEMON_STREAM
from hearth.core.vocabulary.origin import Door


class Opened:
    """A stream, and what was read of it."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.read = b""
        self._pieces = response.aiter_raw()

    async def rows(self, number: int) -> list[int]:
        """Read until so many rows came."""
        async with asyncio.timeout(PATIENCE):
            while len(ids_in(self.read)) < number:
                self.read += await anext(self._pieces)
        return ids_in(self.read)

    async def until(self, text: bytes) -> None:
        async with asyncio.timeout(PATIENCE):
            while text not in self.read:
                self.read += await anext(self._pieces)

    async def end(self) -> None:
        async with asyncio.timeout(PATIENCE):
            async for piece in self._pieces:
                self.read += piece


@asynccontextmanager
async def opened(client: httpx2.AsyncClient, path: str, **headers: str) -> AsyncIterator[Opened]:
    async with client.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        yield Opened(response)


@pytest.mark.promise("SF-HTTP-02")
async def test_a_stream_is_the_logs_own_json_with_its_cursors(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        rows = await one.log.read()
        async with opened(client, f"/sessions/{S}/events?after=0") as stream:
            assert stream.response.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert stream.response.headers["cache-control"] == "no-store"
            assert "content-length" not in stream.response.headers
            assert await stream.rows(len(rows)) == [row.seq for row in rows]
            begins, *frames = stream.read.split(b"\n\n")[:-1]
            assert begins == b"id: 0"
            assert frames == [b"id: %d\ndata: %b" % (row.seq, envelope_json(row)) for row in rows]


async def test_what_is_going_on_is_shown_without_a_cursor(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with opened(client, f"/sessions/{S}/events") as stream:
            await ran(one.engine, c.RunCell("print"))
            await stream.until(b'"cell_finished"')
            shown = [one for one in stream.read.split(b"\n\n") if one.startswith(b"event:")]
            assert shown
            assert all(b"\nid:" not in frame for frame in shown)
            assert json.loads(shown[0].split(b"data: ")[1])["session"] == S
            assert "".join(texts_in(b"".join(shown))).startswith("one")


async def test_a_cursor_that_came_with_the_last_event_beats_the_address(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        await begin(one.engine, T)
        head = len(await one.log.read())
        again = {"Last-Event-ID": str(head - 1)}
        async with opened(client, "/events?after=0", **again) as stream:
            assert await stream.rows(1) == [head]
        async with opened(client, "/events", **{"Last-Event-ID": ""}) as stream:
            await ran(one.engine, c.RenameSession("now"))
            assert await stream.rows(1) == [head + 1], "an empty one says nothing"


@pytest.mark.parametrize(
    ("path", "headers", "where"),
    [
        ("/events?after=-1", {}, "query.after"),
        ("/events?after=x", {}, "query.after"),
        ("/events?after=9999999999999999", {}, "query.after"),
        ("/events", {"Last-Event-ID": "1.5"}, "Last-Event-ID"),
        ("/events", {"Last-Event-ID": "0x10"}, "Last-Event-ID"),
        (f"/sessions/{S}/events?expect=old", {}, "query.expect"),
    ],
)
async def test_a_cursor_that_is_none_is_refused(
    tmp_path: Path, path: str, headers: dict[str, str], where: str
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        answer = await client.get(path, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["error"]["path"] == where
        assert not any(one.attendance.counts().values())


async def test_a_session_is_known_by_its_name_and_an_unknown_one_is_refused(
    tmp_path: Path,
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine, S, "mine")
        for said in ("mine", "aaaa", S):
            async with opened(client, f"/sessions/{said}/events?after=0") as stream:
                assert (await stream.rows(1))[0] == 1
        for path in (
            "/sessions/nothing/events",
            "/sessions/nothing/who",
            "/events?session=nothing",
        ):
            answer = await client.get(path)
            assert answer.status_code == 404
            assert answer.json()["error"]["code"] == "unknown_session"
        async with opened(client, f"/sessions/{DAEMON_STREAM}/events") as stream:
            await one.engine.submit(DAEMON_STREAM, c.SwitchSession(S), one.client().me)
            assert len(await stream.rows(1)) == 1


async def test_a_session_that_is_expected_is_followed_from_its_first_event(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine, T)
        head = len(await one.log.read())
        path = f"/sessions/{S}/events?expect=new"
        async with opened(client, path) as stream, opened(client, f"{path}&after=0") as other:
            await begin(one.engine, S)
            for each in (stream, other):
                assert (await each.rows(3))[0] == head + 1


@pytest.mark.promise("SF-HTTP-16")
async def test_connections_are_counted_by_kind_and_listed(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        doors = (Door.MCP, Door.REPL, Door.DASHBOARD, Door.HTTP)
        headers = [
            {"Hearth-Origin": json.dumps({"actor": "person", "name": "ann", "door": door})}
            for door in doors
        ]
        async with (
            opened(client, f"/sessions/{S}/events", **headers[0]),
            opened(client, f"/sessions/{S}/events", **headers[1]),
            opened(client, f"/sessions/{S}/events", **headers[2]),
            opened(client, f"/sessions/{S}/events", **headers[3]),
        ):
            seen = (await client.get(f"/sessions/{S}")).json()
            assert seen["connections"] == {"terminal": 1, "browser": 1, "program": 1, "mcp": 1}
            who: list[dict[str, Any]] = (await client.get(f"/sessions/{S}/who")).json()
            assert [each["door"] for each in who] == list(doors)
            assert set(who[0]) == {"kind", "door", "name", "since"}
        await nobody_left(one)
        assert (await client.get(f"/sessions/{S}/who")).json() == []


async def nobody_left(one: Daemon) -> None:
    """Wait until the daemon knows that all have left."""
    left = asyncio.Event()
    forget = one.attendance.watch(left.set)
    async with asyncio.timeout(PATIENCE):
        while any(one.attendance.counts().values()):
            left.clear()
            await left.wait()
    forget()


@pytest.mark.promise("SF-HTTP-13")
async def test_one_that_does_not_read_holds_nobody_up_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        tasks = len(asyncio.all_tasks())
        followers = one.engine._around.subscribers.count
        deaf = socket.create_connection(("127.0.0.1", one.bound.port))
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(
            b"GET /sessions/%b/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
            b"Authorization: Bearer %b\r\n\r\n"
            % (S.encode(), one.bound.port, one.tokens.person.encode())
        )
        async with opened(client, f"/sessions/{S}/events") as quick:
            for _ in range(60):
                await ran(one.engine, c.RunCell(f"# {'x' * 40_000}"))
            rows = await one.log.read(limit=10_000)
            assert sum(len(row.data) for row in rows) > 2_000_000
            seen = await quick.rows(240)
            assert seen == list(range(seen[0], seen[0] + 240))
        deaf.close()
        await nobody_left(one)
        await so(lambda: one.engine._around.subscribers.count == followers)
        await client.aclose()
        await so(lambda: len(asyncio.all_tasks()) <= tasks)


async def test_the_end_of_the_daemon_is_a_clean_end(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with opened(client, "/events?after=0") as stream:
            await stream.rows(1)
            async with asyncio.timeout(PATIENCE):
                await one.door.close()
            await stream.end()
        assert stream.read.endswith(b"\n\n")
