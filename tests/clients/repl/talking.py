"""A conversation with a scripted engine, and a screen that remembers."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from tests.clients.repl.agenting import Part, PlayedAgent
from tests.clients.repl.copying import CopyingInterpreter
from tests.clients.repl.hosting import EngineHost
from tests.clients.repl.judged import Judge
from tests.clients.repl.telling_of import ME, text
from tests.contracts.scenes import SCENES

from hearth.app import running
from hearth.clients.repl.acting import act
from hearth.clients.repl.attached import Surroundings
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.host import Present, Question
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.engine.engine import Engine
from hearth.performers.branches import Branches
from hearth.performers.forking import Forking
from hearth.performers.interpreter.scene import Scene
from hearth.performers.returning import Returning

PATIENCE: Final = 20.0
PAUSE: Final = 0.01


class Remembering:
    """A screen that remembers what it was shown. Implements `Screen`."""

    def __init__(self) -> None:
        self.shown = ""
        self.asked: list[Question | None] = []
        self._news = asyncio.Event()

    async def show(self, pieces: Sequence[Piece]) -> None:
        await self.note(text(pieces))

    async def note(self, text: str) -> None:
        self.shown += f"{text}\n"
        self._news.set()

    def refresh(self) -> None:
        self._news.set()

    def ask(self, question: Question | None) -> None:
        self.asked.append(question)
        self._news.set()

    async def until(self, wanted: str) -> str:
        """Wait until this was shown; all that was shown so far."""
        async with asyncio.timeout(PATIENCE):
            while wanted not in self.shown:
                await self.news()
        return self.shown

    async def news(self) -> None:
        """Wait until anything happens."""
        await self._news.wait()
        self._news.clear()


class Room:
    """Everything that takes part in one conversation."""

    def __init__(
        self,
        host: EngineHost,
        interpreter: CopyingInterpreter,
        agent: PlayedAgent,
        judge: Judge,
    ) -> None:
        self.host = host
        self.judge = judge
        self.interpreter = interpreter
        self.agent = agent
        self.screen = Remembering()
        self.around = Surroundings(host, ME, self.screen, Paint())
        self.around.pause = PAUSE
        self.talk = Conversation(self.around, may_ask=True)

    async def begin(self, directory: str = "/loom") -> SessionId:
        """A session that is ready."""
        session = await self.host.begin(directory, bare=False)
        assert isinstance(session, str), session
        return session


async def said(here: Room, text: str) -> str:
    """What a command shows at once."""
    before = len(here.screen.shown)
    assert await act(here.talk, text)
    return here.screen.shown[before:]


def without_store(here: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every view refused."""

    async def refuse(*_: object) -> StoreUnavailable:
        return StoreUnavailable(why="the disk is full")

    monkeypatch.setattr(here.host, "view", refuse)


@asynccontextmanager
async def room(
    home: Path, scenes: Mapping[str, Scene] | None = None, parts: Iterable[Part] = ()
) -> AsyncIterator[Room]:
    """A conversation that is attached to a session of its own."""
    interpreter = CopyingInterpreter({**SCENES, **(scenes or {})})
    agent, judge = PlayedAgent(parts), Judge()

    async def read(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        return await engine.rows(session, after, limit)

    forking, returning = Forking(interpreter, read), Returning(read)

    def meet(engine: Engine) -> None:
        forking.bind(engine)
        returning.bind(engine)

    performers: list[Performer] = [interpreter, agent, judge, Branches(read), forking, returning]
    async with running(home, None, performers, meet=meet) as engine:
        host = EngineHost(engine, [Present("mcp", "bot", "mcp")])
        found = Room(host, interpreter, agent, judge)
        try:
            assert await found.talk.attach(await found.begin()) is None
            async with asyncio.timeout(PATIENCE):
                while found.talk.attached.now.state != "ready":
                    await found.screen.news()
            yield found
        finally:
            await found.talk.close()
