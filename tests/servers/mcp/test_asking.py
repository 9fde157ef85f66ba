"""A request of the protocol as tools see it."""

from pathlib import Path
from typing import Any

import pytest
from mcp_types import ListRootsResult, Root
from pydantic import FileUrl
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, LEGACY, call, connected

from hearth.credentials.standing import Standing


@pytest.mark.promise("SF-RES-09")
async def test_an_earlier_client_is_asked_for_the_folder_it_works_in(tmp_path: Path) -> None:
    asked = []

    async def roots(_: Any) -> ListRootsResult:
        asked.append(1)
        return ListRootsResult(roots=[Root(uri=FileUrl(tmp_path.as_uri()))])

    async with served(tmp_path) as daemon:
        await daemon.begin()
        async with connected(daemon, LEGACY, list_roots_callback=roots) as client:
            own = await call(client, "get_status")
            assert own["directory"] == str(tmp_path)
            assert own["session"] != "session-aaaaaa"
            await call(client, "run_code", code="1+1")
        assert asked == [1]


async def test_a_client_that_does_not_say_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.servers.mcp.asking.ROOTS", 0.05)

    async def roots(_: Any) -> ListRootsResult:
        raise RuntimeError("no")

    async with served(tmp_path) as daemon:
        await daemon.begin()
        async with connected(daemon, LEGACY, list_roots_callback=roots) as client:
            assert (await call(client, "get_status"))["session"] == "session-aaaaaa"


@pytest.mark.promise("SF-MCP-23")
@pytest.mark.parametrize("era", ERAS)
async def test_what_is_done_carries_the_name_of_who_did_it(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        token = daemon.tokens.add("bot", Standing.AGENT)
        for name, own in (("cursor", None), ("claude", None), ("liar", token)):
            async with connected(daemon, era, name=name, token=own) as client:
                await call(client, "run_code", code="1+1", session="session-aaaaaa")
        rows = (await daemon.client.get("/sessions/session-aaaaaa/views/transcript")).json()
        authors = [one["author"] for one in rows["value"]["entries"] if one.get("cell")]
        assert [(one["actor"], one["name"], one["door"]) for one in authors] == [
            ("mcp_client", "cursor", "mcp"),
            ("mcp_client", "claude", "mcp"),
            ("agent", "bot", "mcp"),
        ]
