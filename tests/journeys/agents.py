"""A turn of many steps, and daemons in this process that end in it as if they were killed.

A `Life` is one daemon: a real engine on SQLite with the real performers of agents, whose model is a
pretended provider. Its interpreter lives in an `Outliving`, which the end of no daemon touches.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from tests.contracts.hasty_clock import HastyClock
from tests.contracts.scenes import ANN
from tests.providers.script import Call, Reply, Say, Script, Think
from tests.providers.server import Fake

from hearth.api import Accepted, Hearth, Settled, each, settle
from hearth.core.rules.conversation import UNKNOWN_EFFECTS
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import Command, CreateSession, SessionConfig
from hearth.core.vocabulary.envelope import Draft, Envelope, Stored
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.performing import Performer, Stage
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
from hearth.performers.tools.tool import Outcome, Scene
from hearth.settings.agents import AgentSettings, ProviderSettings

S: Final = SessionId("session-agent")
MODEL: Final = "anthropic:claude-opus-4-5"
PATIENCE: Final = 30.0
STEPS: Final = 20
HELD: Final = 9
"""The step whose cell waits until a message was queued."""
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


class Weigh:
    """A tool that is not the session's own, and counts how often it was run."""

    name = "weigh"
    description = "Weigh something."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"what": {"type": "string"}},
        "required": ["what"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self) -> None:
        self.weighed: list[str] = []
        self.never = False
        """It does not come back by itself."""
        self.begun = asyncio.Event()

    def is_offered(self, scene: Scene) -> bool:
        return bool(scene.session)

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        del scene
        self.weighed.append(arguments["what"])
        self.begun.set()
        if self.never:
            await asyncio.Event().wait()
        return Outcome(f"{arguments['what']}: heavy")


# -- what outlives a daemon ------------------------------------------------------------------------


class Outliving:
    """Interpreters, with what their cells came to; tools, with how often they were run."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        """The code of each cell that was begun."""
        self.weigh = Weigh()
        self.holds: frozenset[str] = frozenset({f"note({HELD})"})
        """Code that comes to no end before it is let go."""
        self.workers: dict[SessionId, int] = {}
        self.ended: dict[tuple[SessionId, CellId], r.CellEnded] = {}
        self.held: dict[tuple[SessionId, CellId], tuple[int, str, Stage]] = {}
        self.holding = asyncio.Event()
        """A cell is held."""

    def let_go(self) -> None:
        """Let what is held come to its end, and hold nothing more."""
        self.holds = frozenset()
        for place in tuple(self.held):
            self.end(place, r.Succeeded(_value(self.held[place][1])))

    def end(self, place: tuple[SessionId, CellId], ending: r.Ending) -> None:
        """A cell comes to its end, and whoever is there is told."""
        generation, _, stage = self.held.pop(place)
        self.ended[place] = r.CellEnded(generation, place[1], ending, 0.0)
        stage.report(self.ended[place])


class Interpreter:
    """The interpreter of one daemon. What its cells came to is known to the next daemon, too."""

    effects: frozenset[type[fx.Effect]] = fx.INTERPRETING

    def __init__(self, outliving: Outliving) -> None:
        self._all = outliving

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """As a real one does, as far as agents use it."""
        match effect:
            case fx.StartWorker() | fx.ResetWorker():
                self._all.workers[session] = effect.generation
                stage.report(r.WorkerReady(effect.generation, 0.0))
            case fx.AttachWorker():
                self._attach(session, effect, stage)
            case fx.StopWorker():
                self._all.workers.pop(session, None)
            case fx.ExecuteInWorker():
                self._execute(session, effect, stage)
            case fx.InterruptWorker():
                if (session, effect.cell) in self._all.held:
                    self._all.end((session, effect.cell), r.Stopped())
            case fx.CheckInWorker():
                stage.report(r.CodeChecked(effect.question, ()))
            case fx.ListInWorker():
                stage.report(r.VariablesFound(effect.question))
            case _:
                stage.report(r.EffectFailed(effect, "this interpreter does not do that"))

    async def close(self) -> None:
        """It goes on."""

    def _execute(self, session: SessionId, effect: fx.ExecuteInWorker, stage: Stage) -> None:
        code = str(effect.code)
        self._all.ran.append(code)
        self._all.held[session, effect.cell] = (effect.generation, code, stage)
        if code in self._all.holds:
            self._all.holding.set()
        else:
            self._all.end((session, effect.cell), r.Succeeded(_value(code)))

    def _attach(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        if self._all.workers.get(session) != effect.generation:
            lost = r.WorkerLost(effect.generation, r.Exit.VANISHED, "it never began")
            stage.report(lost)
            return
        ready = r.WorkerReady(effect.generation, 0.0, unanswered=effect.unanswered)
        stage.report(ready)
        if effect.cell is None:
            return
        place = (session, effect.cell)
        if place in self._all.ended:
            stage.report(self._all.ended[place])
        elif place in self._all.held:
            generation, code, _ = self._all.held[place]
            self._all.held[place] = (generation, code, stage)
            if code not in self._all.holds:
                self._all.end(place, r.Succeeded(_value(code)))
        else:
            missed = r.Raised(Interrupted("the interpreter never heard of this cell"))
            stage.report(r.CellEnded(effect.generation, effect.cell, missed, 0.0))


def _value(code: str) -> str:
    return code.removeprefix("note(").removesuffix(")")


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


# -- what became of it ----------------------------------------------------------------------------


class Told(NamedTuple):
    """A block without its place in the log."""

    role: Role
    kind: str
    text: str


def transcript(envelopes: Sequence[Envelope]) -> list[Told]:
    """What people and model said and got, in order; notices are left out.

    Results that stand together are in the order of their calls: whichever came first, it is so that
    a model is told of them.
    """
    told: list[Told] = []
    for one in envelopes:
        if isinstance(one.event, t.BlockSealed) and one.event.role is not Role.SYSTEM:
            told.append(_told(one.event))
            place = len(told) - 1
            while place and _is_before(told[place], told[place - 1]):
                told[place - 1 : place + 1] = told[place], told[place - 1]
                place -= 1
    return told


def _is_before(one: Told, other: Told) -> bool:
    both = one.role is other.role is Role.TOOL
    return both and int(one.kind.partition(" k")[2]) < int(other.kind.partition(" k")[2])


def _told(block: t.BlockSealed) -> Told:
    match block.content:
        case TextBlock(text=text):
            return Told(block.role, "text", str(text))
        case ThinkingBlock(text=text, native=native):
            return Told(block.role, "thinking", f"{text} {native}")
        case ToolCallBlock(call=call, name=name, arguments=arguments, wire_id=wire_id):
            return Told(block.role, f"call {call} {wire_id}", f"{name} {arguments}")
        case ToolResultBlock(call=call, result=result):
            return Told(block.role, f"result {call}", str(result))
        case other:
            raise AssertionError(other)


def is_interrupted(told: Told) -> bool:
    """A result that says that nobody knows what was done, or that no answer comes."""
    lost = (UNKNOWN_EFFECTS.capitalize(), "No answer: the daemon was restarted")
    return told.kind.startswith("result") and told.text.startswith(lost)


def assert_same_but_interrupted(clean: Sequence[Told], told: Sequence[Told]) -> list[Told]:
    """The same in the same order, but for results of calls that were cut off: these.

    The message that was queued may be delivered a step later, where its own step was cut off.
    """
    late = Told(Role.USER, "text", ALSO_SAID)
    assert clean.count(late) == told.count(late) == 1
    cut_off = []
    hers = [one for one in clean if one != late]
    its = [one for one in told if one != late]
    for one, other in zip(hers, its, strict=True):
        if one != other:
            assert (one.role, one.kind) == (other.role, other.kind)
            assert is_interrupted(other), (one, other)
            cut_off.append(other)
    if not cut_off:
        assert list(clean) == list(told)
    return cut_off


def assert_whole(envelopes: Sequence[Envelope]) -> None:
    """Each call has one result, behind it; each message was delivered once; nothing is open."""
    events = [one.event for one in envelopes]
    blocks = [one for one in events if isinstance(one, t.BlockSealed)]
    calls = [one.content.call for one in blocks if isinstance(one.content, ToolCallBlock)]
    results = [one.content.call for one in blocks if isinstance(one.content, ToolResultBlock)]
    assert Counter(calls) == Counter(results)
    assert max(Counter(calls).values(), default=1) == 1
    started = [one.call for one in events if isinstance(one, t.ToolStarted)]
    assert max(Counter(started).values(), default=1) == 1
    queued = [one.message for one in events if isinstance(one, t.MessageQueued)]
    gone = [
        one.message for one in events if isinstance(one, t.MessageDelivered | t.MessageWithdrawn)
    ]
    assert Counter(queued) == Counter(gone)
    begun = [one.turn for one in events if isinstance(one, t.TurnStarted)]
    over = [one.turn for one in events if isinstance(one, t.TurnFinished)]
    assert begun == over
    cells = [one.cell for one in events if isinstance(one, e.CellStarted)]
    assert max(Counter(cells).values(), default=1) == 1


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
