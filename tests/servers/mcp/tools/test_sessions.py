"""Tools that begin, list, choose and end sessions."""

from pathlib import Path

import pytest
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, MODERN, call, connected

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import CellStarted
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.sessions import SessionSwitched

A, B = "session-aaaaaa", "session-bbbbbb"


@pytest.mark.promise("SF-MCP-19")
async def test_a_session_is_begun_used_listed_and_stopped(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin(A)
        assert (await call(client, "get_status"))["session"] == A
        made = await call(client, "create_session", directory=str(tmp_path), name="mine")
        assert made["session"] == made["created"] != A
        assert (await call(client, "run_code", code="1+1"))["session"] == made["created"]
        rows = (await call(client, "list_sessions"))["sessions"]
        (row,) = [one for one in rows if one["id"] == made["created"]]
        assert (row["name"], row["directory"], row["state"]) == ("mine", str(tmp_path), "ready")
        assert {"started", "used"} <= set(row)
        said = await call(client, "stop_session", session=made["created"])
        assert (said["stopped"], said["state"]) == (made["created"], "uninitialized")
        rows = (await call(client, "list_sessions"))["sessions"]
        assert [one["id"] for one in rows] == [A]
        every = (await call(client, "list_sessions", stopped=True))["sessions"]
        assert {one["state"] for one in every} == {"ready", "stopped"}


@pytest.mark.promise("SF-ISO-01", "SF-ISO-03")
async def test_a_switch_moves_its_caller_and_nobody_else(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as one, connected(daemon) as other:
        await daemon.begin(A)
        for client in (one, other):
            assert (await call(client, "get_status"))["session"] == A
        await daemon.begin(B)
        said = await call(one, "switch_session", session=B)
        assert (said["switched"], said["session"]) == (True, B)
        assert (await call(one, "run_code", code="1+1"))["session"] == B
        assert (await call(other, "run_code", code="1+1"))["session"] == A


@pytest.mark.promise("SF-ISO-03")
async def test_who_follows_a_session_hears_nothing_of_a_switch(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as one, connected(daemon) as other:
        await daemon.begin(A)
        await call(other, "get_status")
        await daemon.begin(B)
        followed = [daemon.engine.follow(SessionId(name)) for name in (A, B)]
        await call(one, "switch_session", session=B)
        for client, following in zip((other, one), followed, strict=True):
            await call(client, "run_code", code="1+1")
            first, *_ = await following.batch()
            following.close()
            assert isinstance(first, Stored)
            assert isinstance(codec.envelope(first).event, CellStarted)


@pytest.mark.promise("SF-ISO-04")
async def test_a_switch_is_kept_and_new_connections_begin_with_it(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin(A)
        await daemon.begin(B)
        async with connected(daemon, name="me") as client:
            await call(client, "switch_session", session=A)
        rows = await daemon.log.read_session(DAEMON_STREAM, 0, 100)
        kept = [codec.envelope(row) for row in rows]
        (event,) = [one for one in kept if isinstance(one.event, SessionSwitched)]
        assert isinstance(event.event, SessionSwitched)
        assert (event.event.to, event.origin.name) == (A, "me")
        async with connected(daemon) as client:
            assert (await call(client, "get_status"))["session"] == A


@pytest.mark.promise("SF-ISO-05")
async def test_a_switch_to_nowhere_names_it_and_leaves_everything(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin(A)
        await call(client, "get_status")
        said = await call(client, "switch_session", session="session-zzzzzz")
        assert said["error"]["type"] == "unknown_session"
        assert "session-zzzzzz" in said["error"]["message"]
        assert said["session"] == A
        assert (await call(client, "run_code", code="1+1"))["session"] == A
        unsaid = await call(client, "switch_session")
        assert unsaid["error"]["type"] == "malformed"


async def test_who_has_no_connection_is_told_to_name_the_session(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon, MODERN) as client:
        await daemon.begin(A)
        said = await call(client, "switch_session", session=A)
        assert said["error"]["type"] == "no_connection"
        assert "session" in said["remedy"][0]
        none = await call(client, "stop_session")
        assert none["error"]["type"] == "unknown_session"


@pytest.mark.promise("SF-RES-10")
@pytest.mark.parametrize("era", ERAS)
async def test_what_cannot_be_a_directory_is_said(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        before = await daemon.events()
        said = await call(client, "create_session", directory="relative")
        assert (said["error"]["type"], said["error"]["path"]) == ("malformed", "$.directory")
        assert await daemon.events() == before
