"""Who subscribed hears that something can be read anew."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.contracts.scenes import ANN
from tests.servers.http.serving import PATIENCE, served
from tests.servers.mcp.clients import LEGACY, MODERN, call, connected

from hearth.core.vocabulary.commands import RunCell, StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.follower import Follower
from hearth.servers.mcp.watching import Watching

S = SessionId("session-aaaaaa")
EVENTS = f"hearth://sessions/{S}/events"


async def test_the_log_is_followed_while_somebody_wants_it_and_no_longer(tmp_path: Path) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    async with served(tmp_path) as daemon, asyncio.timeout(PATIENCE):
        await daemon.begin()
        watching = Watching(daemon.engine, heard.put_nowait, lambda: heard.put_nowait("list"))
        assert watching._following is None
        watching.watched(EVENTS, True)  # noqa: FBT003 - as it is called
        watching.watched("hearth://sessions", True)  # noqa: FBT003 - as it is called
        await daemon.engine.submit(S, RunCell("1+1"), ANN)
        assert await heard.get() == EVENTS
        await daemon.engine.submit(S, StopSession(), ANN)
        found: set[str] = set()
        while len(found) < 3:
            found.add(await heard.get())
        assert found == {EVENTS, "list", "hearth://sessions"}
        watching.watched(EVENTS, False)  # noqa: FBT003 - as it is called
        assert watching._following is not None
        watching.watched("hearth://sessions", False)  # noqa: FBT003 - as it is called
        assert watching._following is None
        await watching.close()


async def test_what_broke_is_followed_anew_for_the_next_who_subscribes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_: Follower) -> list[object]:
        raise OSError("gone")

    heard: asyncio.Queue[str] = asyncio.Queue()
    async with served(tmp_path) as daemon, asyncio.timeout(PATIENCE):
        await daemon.begin()
        watching = Watching(daemon.engine, heard.put_nowait, lambda: None)
        with monkeypatch.context() as patched:
            patched.setattr(Follower, "batch", broken)
            watching.watched(EVENTS, True)  # noqa: FBT003 - as it is called
            assert watching._task is not None
            await watching._task
        assert watching._following is None
        watching.watched("hearth://sessions", True)  # noqa: FBT003 - as it is called
        await daemon.engine.submit(S, RunCell("1+1"), ANN)
        assert await heard.get() == EVENTS
        await watching.close()


@pytest.mark.filterwarnings("ignore:resources/subscribe")
@pytest.mark.promise("SF-MCP-25")
async def test_an_earlier_client_subscribes_and_hears(tmp_path: Path) -> None:
    heard = asyncio.Event()

    async def messages(message: Any) -> None:
        if EVENTS in str(message):
            heard.set()

    async with (
        served(tmp_path) as daemon,
        connected(daemon, LEGACY, message_handler=messages) as client,
        asyncio.timeout(PATIENCE),
    ):
        await daemon.begin()
        with pytest.raises(MCPError, match="no resource"):
            await client.session.subscribe_resource("hearth://sessions/nope/events")
        await client.session.subscribe_resource(EVENTS)
        await daemon.command({"type": "run_cell", "code": "1+1"})
        await heard.wait()


@pytest.mark.promise("SF-MCP-25")
async def test_a_client_of_today_listens_and_hears(tmp_path: Path) -> None:
    async with (
        served(tmp_path) as daemon,
        connected(daemon, MODERN) as client,
        asyncio.timeout(PATIENCE),
    ):
        await daemon.begin()
        async with client.listen(resource_subscriptions=[EVENTS]) as stream:
            await call(client, "run_code", code="1+1", session=S)
            async for event in stream:
                assert EVENTS in str(event)
                break
