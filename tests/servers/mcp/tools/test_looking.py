"""How a session stands."""

from pathlib import Path

import pytest
from rs_bpe.bpe import openai
from tests.contracts.scenes import SCENES
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, MODERN, call, connected

TOKENS = openai.o200k_base()


@pytest.mark.promise("SF-MCP-13", "SF-MCP-14")
async def test_a_status_is_small_and_the_second_one_smaller(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="1+1")
        first = await call(client, "get_status")
        assert first["evals"] == 1
        assert "available_actions" in first.shown
        assert len(TOKENS.encode(first.text)) <= 120
        second = await call(client, "get_status")
        assert "evals" not in second.fields
        assert len(second.text) < len(first.text)
        await call(client, "run_code", code="1/0")
        third = await call(client, "get_status")
        assert third["errors"] == 1
        assert "directory" not in third.fields


async def test_another_connection_is_told_all_of_it(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as one, connected(daemon) as other:
        await daemon.begin()
        await call(one, "get_status")
        assert "evals" in (await call(other, "get_status")).fields


async def test_a_caller_without_a_connection_says_what_it_knows(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon, MODERN) as client:
        await daemon.begin()
        first = await call(client, "get_status", session="session-aaaaaa")
        again = await call(client, "get_status", session="session-aaaaaa", since=first["cursor"])
        assert again["unchanged"] is True
        await call(client, "run_code", session="session-aaaaaa", code="1+1")
        news = await call(client, "get_status", session="session-aaaaaa", since=first["cursor"])
        assert news["evals"] == 1


@pytest.mark.promise("SF-MCP-13")
@pytest.mark.parametrize("era", ERAS)
async def test_verbose_says_how_it_was_started(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        said = await call(client, "get_status", session="session-aaaaaa", verbose=True)
        assert {"root", "projects", "python", "environment", "notices", "daemon"} <= set(
            said.fields
        )


async def test_a_running_cell_and_its_question_are_shown(tmp_path: Path) -> None:
    async with served(tmp_path, SCENES) as daemon, connected(daemon, name="me") as client:
        await daemon.begin()
        await call(client, "run_code", code="hang", wait=0)
        said = await call(client, "get_status")
        assert said["state"] == "evaluating"
        assert (said["running"]["cell"], said["running"]["by"]) == ("c1", "me")
        assert "hang" not in said.text
