"""Daemons that browsers look at: one in this process whose model is steered, and a real one.

async with steered(tmp_path) as daemon:
    await daemon.ask("say something")
    daemon.model.write("a piece of it")     # shown as it comes
    daemon.model.end()                      # sealed, and the turn is over
"""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.contracts.quick_agent import QuickAgent
from tests.contracts.scenes import SCENES
from tests.journeys.homes import Caller, Home, a_home
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall, StoreGrant
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.daemon.discovery import Found
from hearth.performers.interpreter.scene import Scene

A: Final = "session-aaaaaa"
B: Final = "session-bbbbbb"
PATIENCE: Final = 30.0
NEED: Final = Need("execute", "make build", pattern="make build", why="it runs what it likes")


@dataclass
class Answering:
    """One request of a session, and what was answered by now."""

    asked: m.AskModel
    stage: Stage
    texts: list[list[str]] = field(default_factory=list)
    thinking: set[int] = field(default_factory=set)


class Puppet(QuickAgent):
    """A model that says what a test tells it to, piece by piece; its tools end when they may."""

    effects = QuickAgent.effects | {StoreGrant}

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.asks = False
        """Whether people are asked about its calls."""
        self.holds = False
        """Whether its tools wait for `returns`."""
        self.results: dict[str, str] = {}
        """What tools return, by their names."""
        self.running: list[tuple[m.RunTool, Stage]] = []
        self._answering: dict[str, Answering] = {}
        self._moved = asyncio.Event()

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        match effect:
            case m.AskModel(purpose="summary"):
                made = m.SummaryMade(effect.request, "a summary", effect.line.prompt)
                stage.report(made)
            case m.AskModel():
                self._answering[session] = Answering(effect, stage)
            case JudgeCall() if self.asks:
                stage.report(CallJudged(effect.call, (Judged(NEED, Verdict.ASK, "usual"),)))
            case StoreGrant():
                pass
            case m.StopAsking():
                stage.report(m.ModelStopped(effect.request, self._written(session)))
                self._answering.pop(session, None)
            case m.RunTool() if self.holds:
                self.running.append((effect, stage))
            case m.RunTool():
                result = self.results.get(effect.name, "done")
                stage.report(m.ToolReturned(effect.call, result))
            case _:
                await super().perform(session, effect, stage)
        self._moved.set()

    async def asked(self, session: str = A) -> None:
        """Wait until it is asked something that it has not answered."""
        async with asyncio.timeout(PATIENCE):
            while session not in self._answering:
                self._moved.clear()
                await self._moved.wait()

    async def runs(self, count: int = 1) -> None:
        """Wait until so many tools were begun that are held."""
        async with asyncio.timeout(PATIENCE):
            while len(self.running) < count:
                self._moved.clear()
                await self._moved.wait()

    def write(self, text: str, session: str = A, *, new: bool = False) -> None:
        """Write more; `new`: as a block of its own."""
        self._say(p.TextDelta, text, session, new=new)

    def think(self, text: str, session: str = A, *, new: bool = False) -> None:
        """Think more."""
        now = self._answering[session]
        self._say(p.ThinkingDelta, text, session, new=new)
        now.thinking.add(len(now.texts) - 1)

    def end(self, session: str = A, calls: Sequence[m.Written] = ()) -> None:
        """Seal what was said; without calls the turn is over."""
        now = self._answering.pop(session)
        self.stages.append((now.asked, now.stage))
        self.answer(*_pieces(now), *calls)

    def fail(self, message: str, session: str = A, *, status: int = 400) -> None:
        """Have the provider say that it will not."""
        now = self._answering.pop(session)
        report = m.ModelFailed(now.asked.request, m.Trouble.REJECTED, message, status)
        now.stage.report(report)

    def returns(self, result: str = "done", *, is_error: bool = False) -> None:
        """Let the oldest tool that is held come to its end."""
        effect, stage = self.running.pop(0)
        stage.report(m.ToolReturned(effect.call, result, is_error=is_error))

    def prints(self, text: str) -> None:
        """The newest tool that is held writes something."""
        effect, stage = self.running[-1]
        stage.show(p.ToolOutput(effect.call, text))

    def _say(
        self,
        kind: type[p.TextDelta] | type[p.ThinkingDelta],
        text: str,
        session: str,
        *,
        new: bool,
    ) -> None:
        now = self._answering[session]
        if new or not now.texts:
            now.texts.append([])
        said = now.texts[-1]
        place, offset = len(now.texts) - 1, sum(map(len, said))
        said.append(text)
        now.stage.show(kind(now.asked.turn, now.asked.step, place, offset, text))

    def _written(self, session: str) -> tuple[m.Written, ...]:
        return _pieces(self._answering[session]) if session in self._answering else ()


def _pieces(now: Answering) -> tuple[m.Written, ...]:
    return tuple(
        m.Written("".join(said), thinking=place in now.thinking)
        for place, said in enumerate(now.texts)
    )


def call(name: str = "run_shell", number: int = 1, **arguments: Any) -> m.Written:
    """A call as a model writes it."""
    said = arguments or {"command": "make build"}
    return m.Written(json.dumps(said), name=name, wire_id=f"w{number}")


@dataclass
class Steered:
    """A daemon in this process, and its model."""

    served: Served
    model: Puppet
    _known: dict[str, tuple[int, int]] = field(default_factory=dict)
    """How many events of a session were seen, and how many turns they left open."""

    @property
    def address(self) -> str:
        return self.served.address

    async def code(self) -> str:
        return self.served.tokens.code()

    async def begin(self, session: str = A, **more: Any) -> None:
        """A session that is ready."""
        answer = await self.served.client.post(
            "/sessions", json={"id": session, **more}, headers={"Prefer": f"wait={PATIENCE:g}"}
        )
        assert answer.status_code == 201, answer.text

    async def command(self, kind: str, session: str = A, *, wait: bool = True, **said: Any) -> None:
        """Ask a session for something that it does; `wait`: and has done."""
        headers = {"Prefer": f"wait={PATIENCE:g}"} if wait else {}
        answer = await self.served.client.post(
            f"/sessions/{session}/commands", json={"type": kind, **said}, headers=headers
        )
        assert answer.status_code in {200, 202}, answer.text

    async def run(self, code: str, session: str = A) -> None:
        """Run a cell to its end, however that is."""
        await self.command("run_cell", session, code=code)

    async def ask(self, text: str, session: str = A) -> None:
        """Begin a turn; its model waits to be told what to say."""
        await self.command("send_message", session, wait=False, text=text)
        await self.model.asked(session)

    async def turn(self, said: str, answer: str, session: str = A) -> None:
        """A whole turn."""
        await self.ask(said, session)
        self.model.write(answer, session)
        self.model.end(session)
        await self.ended(session)

    async def ended(self, session: str = A) -> None:
        """Wait until no turn is on."""
        following = self.served.engine.follow(SessionId(session))
        try:
            async with asyncio.timeout(PATIENCE):
                while not await self._rests(session):
                    await following.batch()
        finally:
            following.close()

    async def _rests(self, session: str) -> bool:
        """Whether every turn that began is over; only what is new is read."""
        known = self._known.get(session, (0, 0))
        rows = await self.served.log.read_session(SessionId(session), known[0], 1_000_000)
        new = [envelope(row).event for row in rows]
        begun = sum(isinstance(one, t.TurnStarted) for one in new)
        over = sum(isinstance(one, t.TurnFinished) for one in new)
        self._known[session] = (known[0] + len(new), known[1] + begun - over)
        return self._known[session][1] == 0

    async def events(self, session: str = A) -> list[Envelope]:
        """A session from its first event on."""
        rows = await self.served.log.read_session(SessionId(session), 0, 1_000_000)
        return [envelope(row) for row in rows]

    @property
    def browsers(self) -> int:
        """How many tabs are attended to."""
        return self.served.around.attendance.counts()["browser"]

    async def attended(self, count: int) -> None:
        """Wait until so many tabs are attended to."""
        moved = asyncio.Event()
        leave = self.served.around.attendance.watch(moved.set)
        try:
            async with asyncio.timeout(PATIENCE):
                while self.browsers != count:
                    moved.clear()
                    await moved.wait()
        finally:
            leave()

    @property
    def lines(self) -> int:
        """How many streams there are."""
        answering = self.served.door._dashboard._answering
        return 0 if answering is None else answering._lines.count


@asynccontextmanager
async def steered(
    home: Path, scenes: Mapping[str, Scene] = SCENES, *, sessions: Sequence[str] = (A,)
) -> AsyncIterator[Steered]:
    """A daemon in this process, with sessions that are ready."""
    model = Puppet()
    async with served(home, scenes, performers=lambda _: (model,), drain=0.2) as opened:
        daemon = Steered(opened, model)
        for session in sessions:
            await daemon.begin(session)
        yield daemon


# -- a real one ----------------------------------------------------------------------------------


class Real:
    """A daemon in a process of its own, with real interpreters, always at the same port."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.port = _free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self._found: Found | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - this very hearth
            [sys.executable, "-m", "hearth", "--server", "--port", str(self.port)],
            env=self.home.environment,
            cwd=self.home.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._found = self.home.found(self.process)

    async def kill(self) -> None:
        """Without a warning."""
        assert self.process is not None
        self.process.kill()
        await asyncio.to_thread(self.process.wait, PATIENCE)

    async def stop(self) -> None:
        """With its sessions, as `hearth stop` does."""
        await asyncio.to_thread(self.home.hearth, "stop")
        if self.process is not None:
            await asyncio.to_thread(self.process.wait, PATIENCE)

    async def say(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """What it answers."""

        def said() -> Any:
            assert self._found is not None
            caller = Caller(self._found)
            try:
                return caller.ask(method, path, body, **headers)
            finally:
                caller.close()

        return await asyncio.to_thread(said)

    async def code(self) -> str:
        code: str = (await self.say("POST", "/codes", {}))["code"]
        return code

    async def begin(self, session: str = A, **more: Any) -> None:
        """A session that is ready."""
        wait = {"Prefer": f"wait={PATIENCE:g}"}
        wanted = {"id": session, "directory": str(self.home.project), **more}
        await self.say("POST", "/sessions", wanted, **wait)

    async def command(self, kind: str, session: str = A, *, wait: bool = True, **said: Any) -> Any:
        """Ask a session for something."""
        headers = {"Prefer": f"wait={PATIENCE:g}"} if wait else {}
        return await self.say(
            "POST", f"/sessions/{session}/commands", {"type": kind, **said}, **headers
        )


@asynccontextmanager
async def real(folder: Path) -> AsyncIterator[Real]:
    """A daemon that listens; in the end it and all that it started are gone."""
    with a_home(folder) as home:
        daemon = Real(home)
        try:
            await daemon.start()
            yield daemon
        finally:
            await daemon.stop()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
