"""Fake servers for tests, and what became of them."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.mcp_client.connecting import Call
from hearth.performers.mcp_client.pool import Pool, Ways
from hearth.performers.mcp_client.recorded import Recorded
from hearth.performers.mcp_client.starting import Starter
from hearth.performers.tools.tool import Scene
from hearth.settings.mcp import ServerSpec

FAKE = str(Path(__file__).with_name("fake_server.py"))
LIMIT = 60.0
ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/", "LANG": "C.UTF-8"}


class Fakes:
    """Fake servers that write into one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self.log = folder / "log"

    def spec(self, *told: str, name: str = "fake", **more: Any) -> ServerSpec:
        """A fake server, told how to be."""
        env = {"FAKE_LOG": str(self.log), **more.pop("env", {})}
        cwd = more.pop("cwd", str(self.folder))
        return ServerSpec(name, sys.executable, (FAKE, *told), env, cwd, **more)

    def starter(self, patience: float = LIMIT) -> Starter:
        return Starter(self.home, ENVIRON, Recorded(self.home), patience=patience)

    def pool(self, **ways: Any) -> Pool:
        return Pool(Ways(connect=self.starter().connect, **ways))

    def noted(self, word: str) -> list[int]:
        """The processes that wrote this word, in order."""
        if not self.log.exists():
            return []
        lines = (line.split() for line in self.log.read_text().splitlines())
        return [int(line[1]) for line in lines if len(line) > 1 and line[0] == word]

    async def until_noted(self, word: str, count: int = 1) -> list[int]:
        await until(lambda: len(self.noted(word)) >= count)
        return self.noted(word)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that no event tells of."""
    async with asyncio.timeout(LIMIT):
        while not holds():
            await asyncio.to_thread(os.sched_yield)


def call(tool: str, text: str = "", timeout: float = LIMIT) -> Call:
    return Call(tool, {"text": text} if text else {}, timeout)


def scene(root: Path | str = "", session: str = "s1", **more: Any) -> Scene:
    return Scene(SessionId(session), str(root) or "/", str(root), **more)
