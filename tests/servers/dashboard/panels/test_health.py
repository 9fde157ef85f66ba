"""How the daemon is, with what is wrong first."""

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.servers.dashboard.panels.looking_at import (
    HOSTILE,
    NOW,
    SESSION,
    Read,
    instead,
    looking,
    tame,
)
from tests.servers.http.serving import Overseen, Served, served

from hearth.core.views.status import Status
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.daemon.versions import VERSION
from hearth.servers.dashboard.panels import health
from hearth.servers.dashboard.panels.health import memory, show
from hearth.servers.http.agents.oversight import (
    Guarded,
    McpServerShown,
    McpServersListed,
    SandboxShown,
    ServerShown,
    ServersListed,
)
from hearth.servers.http.around import Around
from hearth.servers.http.seeing import seen

SERVER = ServerShown(
    root="/p",
    server="ty",
    state="crashed",
    why="no memory",
    restarts=2,
    open_files=3,
    pid=0,
    since="",
)
MCP = McpServerShown(
    name="docs",
    shown="npx docs",
    state="needs_login",
    why="log in with `hearth mcp login docs`",
    pid=0,
    users=2,
    since="",
    tools=7,
    noise=1,
    source="/p/.mcp.json",
)


class Agents(Overseen):
    """What contains agents is as a test says."""

    def __init__(
        self,
        guarded: Guarded,
        servers: tuple[ServerShown, ...] = (),
        outside: tuple[McpServerShown, ...] = (),
    ) -> None:
        super().__init__()
        self._guarded = guarded
        self._servers = servers
        self._outside = outside

    async def guarded(self) -> Guarded:
        return self._guarded

    def servers(self) -> ServersListed:
        return ServersListed(self._servers)

    async def mcp_servers(self, directory: str) -> McpServersListed:
        assert directory
        return McpServersListed(self._outside)


GOOD = Guarded("ask", SandboxShown(on=True, why=""), ())


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def shown(around: Around) -> Read:
    return tame(await show(looking(around), NOW))


async def in_project(daemon: Served, agents: Overseen, *notices: str) -> Around:
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    around = dataclasses.replace(daemon.around, agents=agents)
    return instead(around, status=replace(status, root="/p", notices=notices))


async def test_it_says_which_process_this_is_and_what_it_has(daemon: Served) -> None:
    read = await shown(daemon.around)
    assert VERSION in read.text
    assert "pid 1, up for 36 h" in read.text
    assert f"127.0.0.1:{daemon.port}" in read.text
    assert "a log in memory" in read.text
    assert "1 live of 1" in read.text
    assert "ty" in read.text


async def test_without_a_session_there_is_no_directory_to_ask_about(daemon: Served) -> None:
    read = tame(await show(looking(daemon.around, None), NOW))
    assert "MCP servers here" not in read.text
    assert "sandbox" in read.text


async def test_nothing_wrong_is_no_warning(daemon: Served) -> None:
    read = await shown(dataclasses.replace(daemon.around, agents=Agents(GOOD)))
    assert "Warnings" not in read.text
    assert "None was needed so far." in read.text


async def test_what_is_wrong_comes_first(daemon: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "SLOW", -1.0)
    agents = Agents(Guarded("auto", SandboxShown(on=False, why="no bubblewrap"), ()))
    read = await shown(await in_project(daemon, agents, "the kernel is old"))
    warnings = read.all("section")[0].text
    assert "not contained: no bubblewrap" in warnings
    assert "Nobody is asked" in warnings
    assert "everybody waits" in warnings
    assert "the kernel is old" in warnings


async def test_servers_say_their_state_what_is_wrong_and_what_would_help(daemon: Served) -> None:
    read = await shown(await in_project(daemon, Agents(GOOD, (SERVER,), (MCP,))))
    *_, language, outside = read.all("section")
    assert "ty crashed /p does not run, restarted 2 times, 3 open files no memory" in language.text
    assert "docs needs login npx docs" in outside.text
    assert "7 tools, used by 2 sessions, said in /p/.mcp.json" in outside.text
    assert "1 line that made no sense" in outside.text
    assert "hearth mcp login docs" in outside.text


async def test_a_store_that_is_down_hides_nothing_else(daemon: Served) -> None:
    around = instead(
        daemon.around, sessions=StoreUnavailable(why="no"), status=StoreUnavailable(why="no")
    )
    read = await shown(around)
    assert "sessions unknown" in read.text
    assert VERSION in read.text


async def test_hostile_names_are_text_and_many_servers_bounded(daemon: Served) -> None:
    bad = replace(SERVER, root=HOSTILE, server=HOSTILE, state=HOSTILE, why=HOSTILE)
    worse = replace(MCP, name=HOSTILE, shown=HOSTILE, state=HOSTILE, why=HOSTILE, source=HOSTILE)
    guarded = Guarded("ask", SandboxShown(on=False, why=HOSTILE), ())
    agents = Agents(guarded, (bad,) * 20, (worse,) * 250)
    read = await shown(await in_project(daemon, agents, HOSTILE))
    assert "<script>" in read.text
    assert "50 more servers not shown" in read.text


def test_memory_is_what_this_process_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    now = memory()
    assert 1_000_000 < now < 100_000_000_000
    monkeypatch.setattr(health, "_LIFE", tmp_path / "none")
    assert 1_000_000 < memory() < 100_000_000_000
