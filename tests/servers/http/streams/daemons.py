"""A daemon in this process that can be killed and started again: real sockets, a real engine.

async with daemon(tmp_path) as one:
    hearth = one.client()
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.contracts.scenes import SCENES
from tests.servers.http.serving import Configured, Overseen, Process, Trusting

from hearth.clients.remote.remote_hearth import RemoteHearth
from hearth.core.vocabulary.origin import Door
from hearth.credentials.tokens import Tokens
from hearth.daemon.discovery import Found
from hearth.daemon.versions import VERSION
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog, MemoryStore
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import Backstage, ScriptedInterpreter
from hearth.servers.http.around import Around
from hearth.servers.http.door import HttpDoor
from hearth.servers.http.sockets import Bound, bind
from hearth.servers.http.streams.attendance import Attendance


@dataclass
class Daemon:
    """One home with a door that opens and closes, over a store that stays."""

    home: Path
    scenes: Mapping[str, Scene] = field(default_factory=lambda: SCENES)
    store: MemoryStore = field(default_factory=MemoryStore)
    backstage: Backstage = field(default_factory=Backstage)
    attendance: Attendance = field(default_factory=Attendance)

    async def start(self, socket: str = "hearth.sock", *, engine: bool = True) -> None:
        """Come up, perhaps elsewhere than before."""
        if engine:
            self.log = MemoryLog(self.store)
            await self.log.open()
            performer = ScriptedInterpreter(self.scenes, backstage=self.backstage)
            self.engine = Engine(self.log, [performer])
            await self.engine.open()
        self.tokens = Tokens(self.home)
        self.tokens.open()
        self.process = Process(self.home)
        self.around = Around(
            hearth=self.engine,
            fetch=self.engine.fetch,
            rows=self.engine.rows,
            tokens=self.tokens,
            daemon=self.process,
            config=Configured(),
            trust=Trusting(),
            agents=Overseen(),
            attendance=self.attendance,
        )
        self.path = self.home / socket
        self.bound: Bound = bind("127.0.0.1", 0, 0, self.path)
        self.process.port = self.bound.port
        self.door = HttpDoor(self.around, drain=2.0)
        await self.door.open(self.bound.sockets)

    async def vanish(self) -> None:
        """Let every connection break, as a killed process does; the engine stays."""
        for server in self.door._servers:
            server.close()
        for connection in tuple(self.door._state.connections):
            connection.transport.abort()
        await self.door.close()
        self.bound.close()

    async def stop(self) -> None:
        """Go in an orderly way."""
        await self.door.close()
        self.bound.close()
        await self.engine.close()

    @property
    def found(self) -> Found:
        """What its discovery file would say."""
        return Found(
            pid=1,
            port=self.bound.port,
            socket=str(self.path),
            token=self.tokens.person,
            started_at="2026-01-01T00:00:00Z",
            version=VERSION,
        )

    def client(self, patience: float = 20.0, door: Door = Door.REPL) -> RemoteHearth:
        """A client that finds it wherever it is."""
        return RemoteHearth.at(
            self.found, door=door, name="ann", locate=lambda: self.found, patience=patience
        )


@asynccontextmanager
async def daemon(home: Path, scenes: Mapping[str, Scene] = SCENES) -> AsyncIterator[Daemon]:
    """One that is up."""
    one = Daemon(home, scenes)
    await one.start()
    try:
        yield one
    finally:
        await one.stop()
