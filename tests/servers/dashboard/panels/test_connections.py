"""Who is connected, to this session and at all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.servers.dashboard.panels.looking_at import HOSTILE, NOW, SESSION, looking, tame
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.dashboard.panels.connections import show
from hearth.servers.dashboard.panels.parts import MOST

ANN = Origin(Actor.PERSON, "ann", Door.REPL)
BOT = Origin(Actor.MCP_CLIENT, "bot", Door.MCP)


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def test_those_of_this_session_are_told_from_the_others(daemon: Served) -> None:
    attendance = daemon.around.attendance
    attendance.enter(SESSION, ANN)
    leave = attendance.enter(SessionId("session-bbbbbb"), BOT)
    read = tame(await show(looking(daemon.around), NOW))
    here, everywhere = read.all("section")
    assert "ann" in here.text
    assert "bot" not in here.text
    assert "1 terminal, 1 MCP client" in everywhere.text
    assert "2 connections" in everywhere.text
    leave()
    assert "bot" not in tame(await show(looking(daemon.around), NOW)).text


async def test_without_a_session_there_is_one_list(daemon: Served) -> None:
    read = tame(await show(looking(daemon.around, None), NOW))
    assert len(read.all("section")) == 1
    assert "Nobody is connected." in read.text


async def test_a_crowd_is_counted_and_names_are_text(daemon: Served) -> None:
    for _ in range(MOST + 5):
        daemon.around.attendance.enter(None, Origin(Actor.AGENT, HOSTILE, Door.HTTP))
    read = tame(await show(looking(daemon.around, None), NOW))
    assert "5 more connections not shown" in read.text
    assert len(read.all("tr")) == MOST + 1
