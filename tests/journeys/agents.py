"""A turn of many steps, and daemons in this process that end in it as if they were killed.

A `Life` is one daemon: a real engine on SQLite with the real performers of agents, whose model is a
pretended provider. Its interpreter lives in an `Outliving`, which the end of no daemon touches.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from tests.contracts.allowing import Allowing
from tests.contracts.hasty_clock import HastyClock
from tests.contracts.scenes import ANN
from tests.journeys.outliving import HELD, Interpreter, Outliving
from tests.providers.script import Call, Reply, Say, Script, Think
from tests.providers.server import Fake

from hearth.api import Accepted, Hearth, Settled, each, settle
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import Command, CreateSession, SessionConfig
from hearth.core.vocabulary.envelope import Draft, Envelope, Stored
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.prompting import SendMessage
from hearth.core.vocabulary.refusals import DuplicateCommand
from hearth.engine.clock import Clock
from hearth.engine.engine import Engine
from hearth.log.event_log import EventLog, Lease
from hearth.log.spool import Spool
from hearth.log.sqlite import SqliteLog
from hearth.performers.branches import Branches
from hearth.performers.language_model.keys import Keys
from hearth.performers.language_model.performer import Models
from hearth.performers.prefix.performer import Prefixes
from hearth.performers.tools.performer import Tools
from hearth.performers.tools.registry import Registry
from hearth.settings.agents import AgentSettings, ProviderSettings

S: Final = SessionId("session-agent")
MODEL: Final = "anthropic:claude-opus-4-5"
PATIENCE: Final = 30.0
STEPS: Final = 20
GO: Final = InputId("go")
ALSO: Final = InputId("also")
DO_IT: Final = "Do it all."
ALSO_SAID: Final = "And mind the gap."


# -- the turn ----------------------------------------------------------------------------------


def note(number: int) -> Call:
    """A call whose cell must not be run twice."""
    return Call("run_code", {"code": f"note({number})"})


def long_turn(*, weighs: bool = True) -> Script:
    """Twenty steps, known by their places; `weighs`: in one a tool is called beside a cell."""
    return Script(tuple(_step(step, weighs=weighs) for step in range(STEPS)), "by_step")


def _step(step: int, *, weighs: bool) -> Reply:
    match step:
        case 3 | 12:
            return Reply((Say(f"Step {step}."), note(step), note(100 + step)))
        case 5:
            return Reply((note(step), Call("check_code", {"code": f"{step} + 1"})))
        case 7 if weighs:
            return Reply((Think("Hm."), Call("weigh", {"what": "anvil"}), note(step)))
        case 15:
            return Reply((Think("So."), Say("Two."), Call("check_code", {"code": "1"}), note(step)))
        case _ if step == STEPS - 1:
            return Reply((Say("Done."),))
        case _:
            thought = (Think(f"Thought {step}."),) if step % 4 == 0 else ()
            return Reply((*thought, Say(f"Step {step}."), note(step)))


# -- a daemon in this process ----------------------------------------------------------------------


class Death(NamedTuple):
    """When a daemon ends: at the append that has this version, before it is made or after."""

    version: int
    when: Literal["before", "after"]


class MortalLog(SqliteLog):
    """A log whose process ends at an append: nobody hears of it, and nothing follows from it."""

    def __init__(self, path: Path, death: Death | None = None) -> None:
        super().__init__(path)
        self.death = death
        self.died = asyncio.Event()
        self.appends: list[tuple[int, int]] = []
        """The first and the last version of each append."""
        self.left_at = 0
        """The newest version when it ended."""

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        last = expected_version + len(drafts)
        here = self.death is not None and expected_version < self.death.version <= last
        if self.died.is_set() or (here and self.death is not None and self.death.when == "before"):
            await self._end(expected_version)
        rows = await super().append(session, expected_version, drafts, lease)
        self.appends.append((expected_version + 1, last))
        if here:
            await self._end(last)
        return rows

    async def _end(self, version: int) -> None:
        if not self.died.is_set():
            self.left_at = version
            self.died.set()
        await asyncio.Event().wait()  # until the tasks of this daemon are ended, as by a signal


class Life:
    """One daemon."""

    def __init__(
        self,
        home: Path,
        outliving: Outliving,
        url: str,
        death: Death | None = None,
        *,
        log: EventLog | None = None,
        spool: Spool | None = None,
        clock: Clock | None = None,
        agents: Callable[[str], AgentSettings] | None = None,
    ) -> None:
        home.mkdir(exist_ok=True)
        self.mortal = MortalLog(home / "hearth.db", death)
        self.log: EventLog = log or self.mortal
        settings = agents or settings_for(url)
        registry = Registry([outliving.weigh])
        keys = Keys(
            lambda directory: settings(directory).providers, {}, directory_of=lambda _: str(home)
        )
        self._others = asyncio.all_tasks()
        self.models = Models(self.log.read_session, self.fetch, keys)
        performers: list[Performer] = [
            Interpreter(outliving),
            self.models,
            Prefixes(settings, registry),
            Allowing(),
            Tools(registry, fetch=self.fetch),
            Branches(self.log.read_session),
        ]
        self.spool = spool
        self.engine = Engine(self.log, performers, spool=spool, clock=clock or HastyClock())

    async def open(self) -> None:
        """Take up what is there."""
        await self.log.open()
        await self.engine.open()

    async def fetch(self, digest: str) -> bytes:
        """A blob."""
        return await self.engine.fetch(digest)

    async def close(self) -> None:
        """As `hearth stop` does."""
        await self.engine.close()
        await self.log.close()
        if self.spool is not None:
            self.spool.close()

    async def kill(self, fake: Fake) -> None:
        """Nothing that it was about to do is done; the provider and the interpreters live on."""
        self.mortal.died.set()
        spared = {*self._others, asyncio.current_task(), *fake._open.values()}
        while left := asyncio.all_tasks() - spared - set(fake._open.values()):
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=PATIENCE)
        await self.models._requesting.close()  # a process that ends has no connections
        await self.log.close()
        if self.spool is not None:
            self.spool.close()

    async def envelopes(self, session: SessionId = S) -> list[Envelope]:
        """A session from its first event on."""
        return [envelope(row) for row in await self.log.read_session(session, 0, 100_000)]


def settings_for(url: str, **more: Any) -> Callable[[str], AgentSettings]:
    """What agents are told: this provider, and more."""
    providers = {"anthropic": ProviderSettings("anthropic", url, "sk-ant-pretended")}
    return lambda _: AgentSettings(MODEL, providers=providers, **more)


@asynccontextmanager
async def living(home: Path, outliving: Outliving, url: str, **more: Any) -> AsyncIterator[Life]:
    """A daemon that ends as it should, with the session ready."""
    life = Life(home, outliving, url, **more)
    await life.open()
    try:
        await ready(life.engine)
        yield life
    finally:
        await life.close()


async def ready(engine: Engine, session: SessionId = S) -> None:
    """The session is there, and waits for whoever asks."""
    async with asyncio.timeout(PATIENCE):
        made = await settle(engine, session, CreateSession(SessionConfig()), ANN)
    assert isinstance(made, Settled), made


# -- who asks -------------------------------------------------------------------------------------


async def ask_and_add(hearth: Hearth, let_go: Callable[[], None], session: SessionId = S) -> None:
    """Begin the turn, and while it is at work say something more; return at the end of all.

    Whoever has no answer asks again, with the same ids.
    """
    await asked(hearth, SendMessage(DO_IT), GO, session)
    following = hearth.follow(session, after=0)
    try:
        async for item in each(following):
            event = envelope(item).event if isinstance(item, Stored) else None
            match event:
                case t.ToolStarted(step=step) if step == HELD:
                    await asked(hearth, SendMessage(ALSO_SAID), ALSO, session)
                    let_go()
                case t.TurnFinished():
                    return
                case _:
                    pass
    finally:
        following.close()


async def asked(hearth: Hearth, command: Command, name: InputId, session: SessionId = S) -> None:
    """Something is accepted, now or before."""
    answer = await hearth.submit(session, command, ANN, input_id=name)
    assert isinstance(answer, Accepted | DuplicateCommand), answer


def boundaries(appends: Sequence[tuple[int, int]], after: int) -> Iterator[Death]:
    """Every point at which a daemon can end behind a version, as the appends of a run tell."""
    for _, last in appends:
        if last > after:
            yield Death(last, "before")
            yield Death(last, "after")
