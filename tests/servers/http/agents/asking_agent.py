"""An agent whose calls a person is asked about, around a whole door.

async with asking(tmp_path) as opened:
    await opened.ask()       # one question waits: a1 of session-aaaaaa
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from tests.contracts.quick_agent import QuickAgent
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import (
    CallJudged,
    JudgeCall,
    ProjectRewound,
    RewindProject,
    StoreGrant,
)
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.permitting import Judged, Kept, Need, Verdict
from hearth.log.memory import MemoryLog

SESSION = "session-aaaaaa"
MAKE = Need("execute", "make build", pattern="make build", why="it runs what the project says")
CHANGES = (PathChange("a.py", ChangeKind.CHANGED, 1, 2),)


def call(number: int = 1) -> m.Written:
    arguments = '{"command": "make build"}' if number == 1 else f'{{"command": "make {number}"}}'
    return m.Written(arguments, name="run_shell", wire_id=f"w{number}")


class Asking(QuickAgent):
    """Calls a tool, and has people asked about it; after the result it says yes."""

    effects = QuickAgent.effects | {StoreGrant, RewindProject}

    def __init__(self) -> None:
        super().__init__(self._calls)
        self.calls = 1
        self.judged: tuple[Judged, ...] = (Judged(MAKE, Verdict.ASK, "usual"),)
        self.ran: list[m.RunTool] = []
        self.stored: list[StoreGrant] = []
        self.rewinds: list[RewindProject] = []
        self.trouble = ""

    def _calls(self, asked: m.AskModel) -> tuple[m.Written, ...]:
        if asked.step > 0:
            return (m.Written("yes"),)
        return tuple(call(number + 1) for number in range(self.calls))

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        match effect:
            case JudgeCall():
                stage.report(CallJudged(effect.call, self.judged))
            case m.RunTool():
                self.ran.append(effect)
                await super().perform(session, effect, stage)
            case StoreGrant():
                self.stored.append(effect)
            case RewindProject():
                self.rewinds.append(effect)
                stage.report(
                    ProjectRewound(
                        effect.question,
                        CHANGES,
                        Kept("/p", "t1"),
                        Kept("/p", "t2"),
                        problem=self.trouble,
                    )
                )
            case _:
                await super().perform(session, effect, stage)


@dataclass
class Opened:
    """A door, and the agents behind it."""

    daemon: Served
    agent: Asking = field(default_factory=Asking)

    @property
    def client(self) -> httpx2.AsyncClient:
        return self.daemon.client

    async def ask(self, session: str = SESSION) -> None:
        """Have the agent of a session ask for something."""
        answer = await self.client.post(
            f"/sessions/{session}/commands", json={"type": "send_message", "text": "build it"}
        )
        assert answer.status_code == 202, answer.text
        await self.until(lambda rows: any(row["session"] == session for row in rows))

    async def until(self, holds: Callable[[list[dict[str, Any]]], bool]) -> None:
        """Wait until what is asked is like this."""

        async def is_so() -> bool:
            return holds(await self.rows())

        await self._until(is_so)

    async def rest(self, session: str = SESSION) -> None:
        """Wait until nothing is asked and the agent is done."""

        async def is_so() -> bool:
            viewed = await self.client.get(f"/sessions/{session}/views/conversation")
            return "turn" not in viewed.json()["value"]["now"]

        await self._until(is_so)
        assert await self.rows() == []

    async def _until(self, is_so: Callable[[], Awaitable[bool]]) -> None:
        following = self.daemon.engine.follow()
        try:
            async with asyncio.timeout(PATIENCE):
                while not await is_so():
                    await following.batch()
        finally:
            following.close()

    async def rows(self) -> list[dict[str, Any]]:
        """What is asked everywhere."""
        answer = await self.client.get("/approvals?limit=1000")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["rows"]
        return found

    async def answer(
        self, answer: str, approval: str = "a1", session: str = SESSION, **more: Any
    ) -> httpx2.Response:
        """Decide as the person."""
        headers = more.pop("headers", {})
        return await self.client.post(
            f"/sessions/{session}/approvals/{approval}",
            json={"answer": answer, **more},
            headers=headers,
        )


@asynccontextmanager
async def asking(home: Path) -> AsyncIterator[Opened]:
    """A door whose one session has an agent that asks."""
    agent = Asking()

    def performers(_: MemoryLog) -> tuple[Asking]:
        return (agent,)

    async with served(home, performers=performers) as daemon:
        await daemon.begin()
        yield Opened(daemon, agent)
