"""The whole HTTP door on real sockets, around a real engine that plays SCENES.

    async with served(tmp_path) as daemon:
        answer = await daemon.client.get("/health")

`daemon.client` speaks over the unix socket with the person's token, `daemon.browser` over TCP with
none. Nothing of it is shared between tests.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx2
from tests.contracts.scenes import SCENES

from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.credentials.tokens import Tokens
from hearth.daemon.versions import VERSION
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.servers.http.agents.oversight import (
    Explained,
    FoundInFile,
    FoundInProject,
    FoundOne,
    GivenShown,
    GrantShown,
    GrantsListed,
    Guarded,
    McpServerShown,
    McpServersListed,
    SandboxShown,
    ServerShown,
    ServersListed,
    ToExplain,
)
from hearth.servers.http.around import Around, ConfigShown, DaemonInfo, TrustShown
from hearth.servers.http.door import HttpDoor
from hearth.servers.http.sockets import Bound, bind
from hearth.servers.http.streams.attendance import Attendance
from hearth.serving.searching import ShownSearch

PATIENCE: Final = 30.0
DIGEST: Final = "d1"
UNTRUSTED: Final = "/project"


@dataclass
class Process:
    """Stands for the daemon's process: it remembers what it was told."""

    home: Path
    port: int = 0
    stopped: list[bool] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    def info(self) -> DaemonInfo:
        return DaemonInfo(
            pid=1,
            port=self.port,
            socket=str(self.home / "hearth.sock"),
            started_at=datetime(2026, 1, 1, tzinfo=UTC),
            version=VERSION,
            home=str(self.home),
            store="a log in memory",
        )

    def rotated(self, token: str) -> None:
        self.tokens.append(token)

    def stop(self, *, end_sessions: bool) -> None:
        self.stopped.append(end_sessions)


class Configured:
    """Settings that nobody has set."""

    async def shown(self, directory: str) -> ConfigShown:
        return ConfigShown(
            directory=directory,
            values={"interpreter.memory": "4GB"},
            sources={"interpreter.memory": "default"},
        )


@dataclass
class Trusting:
    """A person who trusts what they are asked to, if it is still the same."""

    granted: list[Origin] = field(default_factory=list)

    async def look(self, directory: str) -> TrustShown:
        trusted = bool(self.granted)
        return TrustShown(root=directory, files=("init.py",), digest=DIGEST, trusted=trusted)

    async def grant(self, root: str, digest: str, by: Origin) -> TrustShown | str:
        if digest != DIGEST:
            return "the files are others by now"
        self.granted.append(by)
        return await self.look(root)


GRANT: Final = GrantShown(
    id="g1",
    permission="execute",
    pattern="make *",
    root="/project",
    at=datetime(2026, 1, 1, tzinfo=UTC),
    by="ann",
    session="session-aaaaaa",
    why="execute make build",
)


@dataclass
class Overseen:
    """What is known of agents beside the log; it remembers what it was told."""

    held: list[GrantShown] = field(default_factory=lambda: [GRANT])
    revoked: list[Origin] = field(default_factory=list)
    explained: list[ToExplain] = field(default_factory=list)
    unwritable: bool = False

    async def guarded(self) -> Guarded:
        return Guarded("ask", SandboxShown(on=False, why="no bubblewrap"), self.servers().servers)

    async def grants(self) -> GrantsListed:
        return GrantsListed(tuple(self.held), "")

    async def revoke(self, grant: str, by: Origin) -> bool:
        if self.unwritable:
            raise PermissionError(13, "Permission denied")
        kept = [one for one in self.held if one.id != grant]
        is_revoked, self.held = len(kept) < len(self.held), kept
        if is_revoked:
            self.revoked.append(by)
        return is_revoked

    async def explain(self, wanted: ToExplain) -> Explained:
        self.explained.append(wanted)
        need = Need("execute", wanted.command)
        return Explained(
            verdict=Verdict.ASK,
            judged=(Judged(need, Verdict.ASK, "usual"),),
            parts=(wanted.command,),
            parse=f"$ {wanted.command}",
            doubts=(),
            problem="",
            root=wanted.directory,
        )

    def servers(self) -> ServersListed:
        ty = ServerShown(
            root="/project",
            server="ty",
            state="ready",
            why="",
            restarts=0,
            open_files=1,
            pid=7,
            since="2026-01-01T00:00:00+00:00",
        )
        return ServersListed((ty,))

    async def mcp_servers(self, directory: str) -> McpServersListed:
        files = McpServerShown(
            name="files",
            shown=f"npx files {directory}",
            state="idle",
            why="",
            pid=8,
            users=0,
            since="2026-01-01T00:00:00+00:00",
            tools=3,
            noise=0,
            source="/home/ann/hearth.jsonc",
        )
        return McpServersListed((files,), ("one of them is wrong",))

    async def found(self, directory: str) -> FoundInProject:
        given = GivenShown(SessionId("session-aaaaaa"), "scripted:quick", "2026-01-01T00:00:00")
        one = FoundOne(
            line=3,
            column=8,
            severity=Severity.ERROR,
            message="Undefined name `b`",
            rule="F821",
            server="ruff",
            given=(given,),
            current=True,
        )
        return FoundInProject(directory, (FoundInFile("/project/a.py", 1, 0, (one,)),))


@dataclass
class Served:
    """A door that is open, and what is behind it."""

    home: Path
    engine: Engine
    log: MemoryLog
    tokens: Tokens
    process: Process
    trust: Trusting
    agents: Overseen
    around: Around
    door: HttpDoor
    bound: Bound
    client: httpx2.AsyncClient
    browser: httpx2.AsyncClient

    @property
    def port(self) -> int:
        return self.bound.port

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def bearer(self, token: str | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {token or self.tokens.person}"}

    async def events(self) -> int:
        """How many events there are."""
        return len(await self.log.read())

    async def begin(self, session: str = "session-aaaaaa") -> None:
        """A session that is ready."""
        answer = await self.client.post(
            "/sessions", json={"id": session}, headers={"Prefer": f"wait={PATIENCE:g}"}
        )
        assert answer.status_code == 201, answer.text

    async def command(self, command: Mapping[str, Any], **headers: str) -> httpx2.Response:
        """Ask the first session, and wait for the outcome."""
        return await self.client.post(
            "/sessions/session-aaaaaa/commands",
            json=command,
            headers={"Prefer": f"wait={PATIENCE:g}", **headers},
        )


@asynccontextmanager
async def served(
    home: Path,
    scenes: Mapping[str, Scene] = SCENES,
    *,
    drain: float = 2.0,
    interpreter: ScriptedInterpreter | None = None,
    performers: Callable[[MemoryLog], Sequence[Performer]] = lambda _: (),
) -> AsyncIterator[Served]:
    """A door around an engine; both are closed in the end. `performers` are those of its agents."""
    log = MemoryLog()
    await log.open()
    engine = Engine(log, [interpreter or ScriptedInterpreter(scenes), *performers(log)])
    await engine.open()
    tokens = Tokens(home)
    tokens.open()
    process, trust, agents = Process(home), Trusting(), Overseen()
    around = Around(
        hearth=engine,
        fetch=engine.fetch,
        rows=engine.rows,
        tokens=tokens,
        daemon=process,
        config=Configured(),
        trust=trust,
        agents=agents,
        attendance=Attendance(),
        search=ShownSearch(log),
    )
    path = home / "hearth.sock"
    bound = bind("127.0.0.1", 0, 0, path)
    process.port = bound.port
    door = HttpDoor(around, drain=drain)
    await door.open(bound.sockets)
    unix = httpx2.AsyncHTTPTransport(uds=str(path))
    bearer = {"Authorization": f"Bearer {tokens.person}"}
    try:
        async with (
            httpx2.AsyncClient(
                transport=unix, base_url="http://hearth", headers=bearer, timeout=PATIENCE
            ) as client,
            httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{bound.port}", timeout=PATIENCE, trust_env=False
            ) as browser,
        ):
            yield Served(
                home,
                engine,
                log,
                tokens,
                process,
                trust,
                agents,
                around,
                door,
                bound,
                client,
                browser,
            )
    finally:
        await door.close()
        bound.close()
        await engine.close()
