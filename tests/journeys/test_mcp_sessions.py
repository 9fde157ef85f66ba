"""Programs of others in live sessions: a real daemon, real interpreters, the SDK's own client."""

import asyncio
import base64
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ImageContent
from rs_bpe.bpe import openai
from tests.servers.mcp.clients import ERAS, LEGACY, call
from tests.serving.processes import PATIENCE, comes_true, create, gone, place, talking

from hearth.daemon.discovery import Found, find

PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SHOWN: Final = f"""
class Picture:
    def _repr_png_(self):
        return {PNG!r}
Picture()
"""
TOKENS: Final = openai.o200k_base()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Found, Path]]:
    folder = tmp_path_factory.mktemp("mcp")
    with place(folder) as here:
        work = folder / "work"
        work.mkdir()
        yield here.start(), work


@asynccontextmanager
async def connected(
    daemon: tuple[Found, Path | None], era: str, **more: Any
) -> AsyncIterator[Client]:
    found, work = daemon
    headers = {"Authorization": f"Bearer {found.token}"}
    if work is not None:
        headers["Hearth-Directory"] = str(work)
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=PATIENCE) as http:
        over = streamable_http_client(f"http://127.0.0.1:{found.port}/mcp", http_client=http)
        async with Client(over, mode=era, **more) as client:
            yield client


@pytest.mark.promise("SF-MCP-03", "SF-MCP-14", "SF-RES-08", "SF-RES-09")
@pytest.mark.parametrize("era", ERAS)
async def test_one_and_one_in_a_session_of_the_folder(daemon: tuple[Found, Path], era: str) -> None:
    async with asyncio.timeout(PATIENCE), connected(daemon, era) as client:
        said = await call(client, "run_code", code="1+1")
        assert (said["result"], said["type"], said["state"]) == ("2", "int", "ready")
        assert len(TOKENS.encode(said.text)) <= 60
        status = await call(client, "get_status", verbose=True)
        assert status["directory"] == str(daemon[1])
        assert status["session"] == said["session"]
        brief = await call(client, "get_status", since=0)
        assert len(TOKENS.encode(brief.text)) <= 120
        projects = await call(client, "get_available_projects")
        assert projects["root"]


@pytest.mark.promise("SF-MCP-05", "SF-MCP-07", "SF-MCP-20")
@pytest.mark.parametrize("era", ERAS)
async def test_what_a_cell_defines_is_known_to_everything_else(
    daemon: tuple[Found, Path], era: str
) -> None:
    async with asyncio.timeout(PATIENCE), connected(daemon, era) as client:
        code = "class Dog:\n    def bark(self, times: int) -> str:\n        return 'woof' * times"
        await call(client, "run_code", code=code)
        clean = await call(client, "check_code", code="Dog().bark(2)", full=True)
        assert [one for one in clean["diagnostics"] if one["severity"] == "error"] == []
        wrong = await call(client, "check_code", code="Cat().meow()", full=True)
        assert any("Cat" in one["message"] for one in wrong["diagnostics"])
        explored = await call(client, "explore_type", name="Dog")
        (bark,) = [one for one in explored["members"] if one["name"] == "bark"]
        assert "times: int" in bark["signature"]
        failed = await call(client, "run_code", code="x = 41\nDog().bark(0) / 2")
        assert failed["error"]["name"] == "TypeError"
        assert failed["error"]["line"] == 2
        assert "traceback" not in failed["error"]
        assert (await call(client, "run_code", code="x + 1"))["result"] == "42"
        deep = await call(client, "run_code", code="import json\njson.loads('{')")
        assert any("json/decoder.py" in one for one in deep["error"]["frames"])
        assert len(TOKENS.encode(deep.text)) < 300


@pytest.mark.parametrize("era", ERAS)
async def test_a_picture_is_a_picture(daemon: tuple[Found, Path], era: str) -> None:
    async with asyncio.timeout(PATIENCE), connected(daemon, era) as client:
        said = await call(client, "run_code", code=SHOWN)
        (picture,) = [one for one in said.whole.content if isinstance(one, ImageContent)]
        assert (picture.mime_type, base64.b64decode(picture.data)) == ("image/png", PNG)
        assert picture.data not in said.text


@pytest.mark.promise("SF-MCP-25", "SF-MCP-10")
@pytest.mark.parametrize("era", ERAS)
async def test_a_long_cell_tells_what_it_prints_and_is_stopped(
    daemon: tuple[Found, Path], era: str
) -> None:
    heard: list[str] = []
    enough = asyncio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert progress
        assert total is None
        heard.append(message or "")
        if len(heard) >= 2 and any("working" in one for one in heard):
            enough.set()

    code = "import time\nkept = 7\nfor n in range(10000): print('working', n); time.sleep(0.05)"
    async with asyncio.timeout(PATIENCE), connected(daemon, era) as client:
        running = asyncio.create_task(
            client.call_tool("run_code", {"code": code}, progress_callback=on_progress)
        )
        await enough.wait()
        async with connected(daemon, LEGACY) as other:
            stopped = await call(other, "cancel_eval")
            assert (stopped["ended"], stopped["state"]) == ("cancelled", "ready")
        answer = await running
        assert answer.structured_content is not None
        assert answer.structured_content["cancelled"] is True
        assert (await call(client, "run_code", code="kept"))["result"] == "7"


@pytest.mark.promise("SF-MCP-26")
async def test_a_session_is_exported_imported_and_replayed(daemon: tuple[Found, Path]) -> None:
    async with asyncio.timeout(PATIENCE), connected(daemon, LEGACY) as client:
        await call(client, "run_code", code="kept_for_export = 12345")
        made = await call(client, "export_session")
        taken = await call(client, "import_session", file=made["file"])
        copy = taken["imported"]
        started = await call(client, "hard_reset_session", session=copy)
        assert started["state"] == "ready"
        await call(client, "replay_session", session=copy)
        said = await call(client, "run_code", code="kept_for_export", session=copy)
        assert said["result"] == "12345"
        await call(client, "stop_session", session=copy)


@pytest.mark.promise("SF-ISO-04")
async def test_the_session_that_was_switched_to_is_also_that_of_the_next_daemon(
    tmp_path: Path,
) -> None:
    with place(tmp_path) as here:
        found = here.start()
        with talking(found) as http:
            first, second = (create(http, tmp_path / name) for name in ("a", "b"))
        async with asyncio.timeout(PATIENCE), connected((found, None), LEGACY) as client:
            await call(client, "switch_session", session=second)
            await call(client, "switch_session", session=first)
            await call(client, "run_code", code="1+1", session=second)
        os.kill(found.pid, signal.SIGKILL)
        gone(found.pid)
        comes_true(lambda: find(str(here.home)) is None)
        found = here.start()
        async with asyncio.timeout(PATIENCE), connected((found, None), LEGACY) as client:
            assert (await call(client, "get_status"))["session"] == first
