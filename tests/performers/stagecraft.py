"""An engine that can fork: its interpreters play from a script, and its copies are counted."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from tests.contracts.hearth_api import S, T, begin, ran

from hearth.api import Viewed
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Performer
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.performers.forking import Forking
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.performers.replaying import Replaying

SCENES = {
    "x = 1": Scene(names=("x",)),
    "y = 2": Scene(names=("y",)),
    "for ever": Scene(ends="when interrupted"),
}


@dataclass
class Copied:
    """What came of a copy."""

    obstacles: tuple[str, ...] = ()


@dataclass
class Copier:
    """Says what it was asked to copy."""

    obstacles: tuple[str, ...] = ()
    copied: list[tuple[str, str]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    meanwhile: list[c.Command] = field(default_factory=list)
    """One is carried out during each copy, as long as there are any."""
    engine: Engine | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.may_end.set()

    async def branch(self, source: SessionId, to: SessionId) -> Copied:
        self.copied.append((source, to))
        self.begun.set()
        await self.may_end.wait()
        if self.meanwhile and self.engine is not None:
            await ran(self.engine, self.meanwhile.pop(0), source)
        return Copied(self.obstacles)

    async def drop_branch(self, to: SessionId) -> None:
        self.dropped.append(to)


class Stagecraft:
    """An engine that can fork."""

    def __init__(
        self,
        copier: Copier | None = None,
        most_sessions: int = 10,
        before: "Stagecraft | None" = None,
        more: Sequence[Performer] = (),
    ) -> None:
        self.copier = copier or Copier()
        self.store: MemoryStore = before.store if before is not None else MemoryStore()
        self.log = MemoryLog(self.store)
        # Interpreters outlive their daemon.
        self.interpreter: ScriptedInterpreter = (
            before.interpreter if before is not None else ScriptedInterpreter(SCENES)
        )
        self.forking = Forking(self.copier, self.read)
        self.replaying = Replaying(self.log.blobs.get)
        performers: list[Performer] = [self.interpreter, self.replaying, self.forking, *more]
        self.engine = Engine(self.log, performers, most_sessions=most_sessions)
        self.forking.bind(self.engine)
        self.replaying.bind(self.engine)
        self.copier.engine = self.engine

    async def read(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        return await self.engine.rows(session, after, limit)

    async def __aenter__(self) -> Self:
        await self.log.open()
        await self.engine.open()
        if S not in await self.names():
            await begin(self.engine, S, "loom")
            await ran(self.engine, c.RunCell("x = 1"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.close()

    def point(self, session: SessionId = T) -> c.ForkPoint:
        config = self.engine.config_of(session)
        assert config is not None
        assert config.forked_from is not None
        return config.forked_from

    async def names(self) -> dict[str, str]:
        viewed = await self.engine.view("sessions")
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Sessions)
        return {row.session: row.name for row in viewed.value.rows}

    def given(self) -> list[str]:
        performed = self.interpreter.performed
        return [str(one.code) for one in performed if isinstance(one, fx.ExecuteInWorker)]
