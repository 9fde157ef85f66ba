"""A session as a file, and a file as a session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers.http.serving import Served, served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.serving.archiving import SessionArchives

S = "session-aaaaaa"


def mode(path: str) -> int:
    return Path(path).stat().st_mode & 0o777


@asynccontextmanager
async def archived(home: Path) -> AsyncIterator[Served]:
    async with served(home) as daemon:
        archives = SessionArchives(home, daemon.log)
        daemon.door._mcp._around = replace(daemon.around, archives=archives)
        await daemon.begin()
        await daemon.command({"type": "run_cell", "code": "print"})
        yield daemon


@pytest.mark.promise("SF-MCP-26")
@pytest.mark.parametrize("era", ERAS)
async def test_a_session_goes_out_and_comes_in_again(tmp_path: Path, era: str) -> None:
    async with archived(tmp_path) as daemon, connected(daemon, era) as client:
        made = await call(client, "export_session", session=S)
        assert Path(made["path"]).parent == tmp_path / "exports"
        assert mode(made["path"]) == 0o600
        taken = await call(client, "import_session", file=made["file"], new_id="session-copy")
        assert (taken["imported"], taken["events"]) == ("session-copy", made["events"])
        assert taken["session"] == "session-copy"
        said = await call(client, "get_ui_state", session="session-copy")
        assert said["output"][0]["stdout"] == "one\ntwo\n"
        started = await call(client, "hard_reset_session", session="session-copy")
        assert started["state"] == "ready"
        again = await call(client, "import_session", file=made["file"], new_id="session-copy")
        assert again["error"]["type"] == "not_imported"


async def test_what_an_export_says_travels_within_the_call(tmp_path: Path) -> None:
    async with archived(tmp_path) as daemon, connected(daemon) as client:
        made = await call(client, "export_session", content=True)
        taken = await call(client, "import_session", content=made["content"])
        assert taken["events"] == made["events"]
        assert sorted(one.name for one in (tmp_path / "exports").iterdir()) == [made["file"]]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"file": "a.jsonl", "content": "x"}, {"file": "../daemon.json"}, {"file": "/etc/passwd"},
     {"file": "nothing.jsonl"}, {"content": "no archive"}, {"content": "{}\n"}],
)  # fmt: skip
async def test_nothing_else_is_read(tmp_path: Path, arguments: dict[str, str]) -> None:
    async with archived(tmp_path) as daemon, connected(daemon) as client:
        before = await daemon.events()
        said = await call(client, "import_session", **arguments)
        assert said.is_error
        assert said["error"]["type"] in {"malformed", "unknown_export", "bad_archive"}
        assert await daemon.events() == before
