"""A whole door with the routes of the sidebar on it, around a real engine.

async with mounted(tmp_path) as opened:
    html = await opened.get("/dashboard/new")
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
from tests.contracts.quick_agent import QuickAgent
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Performer
from hearth.credentials.standing import Standing
from hearth.log.memory import MemoryLog
from hearth.servers.dashboard.sidebar.desks import Desk, Desks
from hearth.servers.dashboard.sidebar.endpoints import Sidebar
from hearth.servers.dashboard.sidebar.operations import OPERATIONS
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.http.around import Around
from hearth.servers.http.routing import app_of

A = SessionId("session-aaaaaa")
B = SessionId("session-bbbbbb")
C = SessionId("session-cccccc")


async def at_once(_: float) -> None:
    """Time that does not pass: others get their turn."""
    await asyncio.sleep(0)


@dataclass
class Opened:
    """A door with a sidebar."""

    daemon: Served
    around: Around
    desks: Desks
    overview: Overview

    @property
    def person(self) -> str:
        credential = self.daemon.tokens.who(self.daemon.tokens.person)
        assert credential is not None
        return credential.name

    @property
    def desk(self) -> Desk:
        return self.desks.of(self.person)

    async def get(self, path: str, **query: str) -> str:
        answer = await self.daemon.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/html")
        return answer.text

    async def post(self, path: str, **fields: Any) -> httpx2.Response:
        return await self.daemon.client.post(path, json=fields)

    async def posted(self, path: str, **fields: Any) -> str:
        answer = await self.post(path, **fields)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def sidebar(self) -> str:
        return await self.overview.shown(self.person)

    async def begin(self, *sessions: SessionId) -> None:
        for session in sessions:
            await self.daemon.begin(session)

    async def ask(self, session: SessionId, command: dict[str, Any], **headers: str) -> None:
        wait = {"Prefer": f"wait={PATIENCE:g}", **headers}
        answer = await self.daemon.client.post(
            f"/sessions/{session}/commands", json=command, headers=wait
        )
        assert answer.status_code == 200, answer.text

    async def until(self, holds: Callable[[str], bool]) -> str:
        """Watch the sidebar until it looks like this."""
        news = asyncio.Event()
        unwatch = self.overview.watch(news.set)
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds(shown := await self.sidebar()):
                    await news.wait()
                    news.clear()
                return shown
        finally:
            unwatch()

    def token(self, standing: Standing, name: str = "bot") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.daemon.tokens.add(name, standing)}"}


@asynccontextmanager
async def mounted(
    home: Path,
    *,
    agent: QuickAgent | None = None,
    performers: Callable[[MemoryLog], Sequence[Performer]] | None = None,
    **more: Any,
) -> AsyncIterator[Opened]:
    """`more` are parts of what is around the door, instead of the usual ones."""
    agents = [agent] if agent is not None else []
    async with served(home, performers=performers or (lambda _: agents)) as daemon:
        around = replace(daemon.around, **more)
        desks = Desks(home)
        overview = Overview(around, desks, pause=at_once)
        endpoints = Sidebar(around, desks, overview).endpoints()
        for one in OPERATIONS:
            daemon.door.routing._add(one, app_of(endpoints[one.method, one.path]))
        try:
            yield Opened(daemon, around, desks, overview)
        finally:
            await overview.close()
            await desks.close()
