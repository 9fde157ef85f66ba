"""Programs of others try things in live interpreters: a real daemon, and real copies."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.servers.mcp.clients import LEGACY, call
from tests.serving.processes import PATIENCE, place

from hearth.daemon.discovery import Found

THREAD = """
import threading
held = threading.Event()
pump = threading.Thread(target=held.wait, name="pump", daemon=True)
pump.start()
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    with place(tmp_path_factory.mktemp("mcp")) as here:
        yield here.start()


@asynccontextmanager
async def connected(found: Found, folder: Path) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {found.token}", "Hearth-Directory": str(folder)}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=PATIENCE) as http:
        over = streamable_http_client(f"http://127.0.0.1:{found.port}/mcp", http_client=http)
        async with Client(over, mode=LEGACY) as client:
            yield client


async def test_what_was_run_is_taken_back_and_brought_back(daemon: Found, tmp_path: Path) -> None:
    async with connected(daemon, tmp_path) as client:
        await call(client, "run_code", code="xs = [1]")
        await call(client, "run_code", code="xs.append(2); y = 3")
        undone = await call(client, "undo_code")
        assert not undone.is_error, undone.text
        assert undone["undone"] == ["c2"]
        listed = (await call(client, "list_variables"))["variables"]
        assert [(one["name"], one["length"]) for one in listed] == [("xs", 1)]
        redone = await call(client, "redo_code")
        assert redone["redone"] == ["c2"]
        assert (await call(client, "run_code", code="xs, y"))["result"] == "([1, 2], 3)"


async def test_half_a_cell_leaves_nothing_behind(daemon: Found, tmp_path: Path) -> None:
    async with connected(daemon, tmp_path) as client:
        await call(client, "run_code", code="xs = [1]")
        failed = await call(client, "run_code", code="xs.append(2)\nz = 1\n1/0", on_error="undo")
        assert failed.is_error
        assert failed["undone"] is True
        after = await call(client, "run_code", code="xs, 'z' in globals()")
        assert after["result"] == "([1], False)"


async def test_three_ways_are_tried_and_the_second_is_kept(daemon: Found, tmp_path: Path) -> None:
    async with connected(daemon, tmp_path) as client:
        await call(client, "run_code", code="xs = [3, 1, 2]")
        ways = ["xs.append(0); len(xs)", "xs.sort(); print('sorted'); xs", "xs.missing()"]
        tried = await call(client, "try_code", variants=ways)
        assert not tried.is_error, tried.text
        assert [one["outcome"] for one in tried["variants"]] == ["finished", "finished", "failed"]
        assert tried["variants"][1]["result"] == "[1, 2, 3]"
        assert tried["variants"][1]["stdout"] == "sorted\n"
        assert tried["variants"][2]["error"]["name"] == "AttributeError"
        assert (await call(client, "list_variables", prefix="xs"))["variables"][0]["length"] == 3
        kept = await call(client, "keep_variant", variant=2)
        assert (kept["kept"], kept["state"]) == (2, "ready")
        assert (await call(client, "run_code", code="xs"))["result"] == "[1, 2, 3]"


async def test_a_fork_is_another_session_and_a_thread_is_in_its_way(
    daemon: Found, tmp_path: Path
) -> None:
    async with connected(daemon, tmp_path) as client:
        await call(client, "run_code", code="xs = [1]")
        forked = await call(client, "fork_session", name="beside")
        assert not forked.is_error, forked.text
        assert forked["interpreter"] == "copied"
        there = forked["forked"]
        await call(client, "run_code", code="xs.append(2)", session=there)
        compared = await call(client, "compare_sessions", other=there)
        assert [one["name"] for one in compared["differing"]] == ["xs"]
        assert compared["differing"][0]["here"]["preview"] == "[1]"
        await call(client, "run_code", code=THREAD)
        blocked = await call(client, "fork_session")
        assert blocked.is_error
        assert any("pump" in one for one in blocked["error"]["obstacles"])
        assert any("how=replay" in one for one in blocked["remedy"])
        untried = await call(client, "try_code", variants=["1", "2"])
        assert untried["error"]["type"] == "not_tried"
        assert "pump" in untried["error"]["message"]
        await call(client, "run_code", code="held.set(); pump.join()")
        again = await call(client, "fork_session")
        assert again["interpreter"] == "copied"
