"""Whatever people, model, tools and daemon do in any order: whoever follows sees what is stored.

Clients join at any time and in any way, fold what they get, and come back after a daemon's end. At
every moment of rest each of them sees what a client sees that loads everything anew.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hasty_clock import HastyClock
from tests.contracts.quick_agent import CHOICE
from tests.contracts.scenes import ANN, BOT
from tests.journeys.agents import PATIENCE, S, ready
from tests.journeys.outliving import Interpreter, Outliving
from tests.journeys.transcripts import assert_whole

from hearth.api import Accepted, Following, Viewed
from hearth.core.views.conversation import Conversation, carry_on, hear
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, StopReason, TextBlock, Usage
from hearth.core.vocabulary.codec import decode_envelope, envelope
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Draft, Envelope, Stored
from hearth.core.vocabulary.ids import CallId, InputId, SessionId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall
from hearth.core.vocabulary.lines import Prefix, TurnLimits
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import EventUnsaved, TextDelta
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.engine.engine import Engine
from hearth.log.event_log import Lease
from hearth.log.listeners import Listeners
from hearth.log.memory import MemoryStore
from hearth.log.spool import Spool

Deed: TypeAlias = Literal[
    "send",
    "send as the other",
    "withdraw",
    "cancel",
    "write",
    "write late",
    "answer",
    "call a tool",
    "call two",
    "fail",
    "tool returns",
    "restart",
    "lose the store",
    "find the store",
    "leave",
    "join from the start",
    "join at the view",
]
DEEDS: Final[tuple[Deed, ...]] = Deed.__args__  # type: ignore[attr-defined]  # of a Literal
OFTEN: Final = (*DEEDS, *("send", "write", "write", "write", "fail", "call a tool"))


class Outside:
    """The model and the tools: they do what the test says, when it says so."""

    effects: frozenset[type[Effect]] = frozenset(
        {
            m.PreparePrefix,
            m.AskModel,
            m.StopAsking,
            JudgeCall,
            m.RunTool,
            m.StopTool,
            m.SpillResult,
        }
    )

    def __init__(self) -> None:
        self.asked: tuple[m.AskModel, Stage] | None = None
        self.before: tuple[m.AskModel, Stage] | None = None
        self.written = ""
        """By the request that is open."""
        self.tools: dict[str, Stage] = {}
        self.ran: list[str] = []
        self.calls = 0

    async def perform(self, _: SessionId, effect: Effect, stage: Stage) -> None:
        match effect:
            case m.PreparePrefix():
                prefix = Prefix("be good", "[]", digest="d")
                limits = TurnLimits(max_retries=1000)
                stage.report(m.PrefixPrepared(effect.turn, CHOICE, prefix, limits))
            case m.AskModel():
                self.before, self.asked, self.written = self.asked, (effect, stage), ""
            case m.StopAsking(request=request):
                written = (m.Written(self.written),) if self._asks(request) else ()
                self.asked = None if self._asks(request) else self.asked
                stage.report(m.ModelStopped(request, written))
            case JudgeCall():
                stage.report(CallJudged(effect.call))
            case m.RunTool(call=call):
                self.ran.append(call)
                self.tools[call] = stage
            case m.StopTool(call=call):
                self.tools.pop(call, None)
            case _:
                pass

    def _asks(self, request: str) -> bool:
        return self.asked is not None and self.asked[0].request == request

    def write(self) -> None:
        """One more word of the answer."""
        if self.asked is not None:
            ask, stage = self.asked
            word = f"{ask.request} "  # no two attempts write the same
            stage.show(TextDelta(ask.turn, ask.step, 0, len(self.written), word))
            self.written += word

    def write_late(self) -> None:
        """A word of a step that is over."""
        now = self.asked[0] if self.asked is not None else None
        if self.before is not None and (now is None or now.step != self.before[0].step):
            ask, stage = self.before
            stage.show(TextDelta(ask.turn, ask.step, 0, 0, "too late"))

    def answer(self, calls: int = 0) -> None:
        """The answer is complete, and calls so many tools."""
        if self.asked is None:
            return
        ask, stage = self.asked
        self.before, self.asked = self.asked, None
        written = [m.Written(self.written)] if self.written or not calls else []
        for _ in range(calls):
            self.calls += 1
            written.append(m.Written(f'{{"n":{self.calls}}}', name="look", wire_id="w"))
        stop = StopReason.TOOLS if calls else StopReason.END
        stage.report(m.ModelAnswered(ask.request, tuple(written), stop, Usage(1, 2, 3, 4)))

    def fail(self, trouble: m.Trouble = m.Trouble.OVERLOADED) -> None:
        """There is no answer this time."""
        if self.asked is not None:
            (ask, stage), self.asked = self.asked, None
            stage.report(m.ModelFailed(ask.request, trouble, "too much"))

    def tool_returns(self) -> None:
        """The tool that was called last comes to its end."""
        if self.tools:
            call, stage = self.tools.popitem()
            stage.report(m.ToolReturned(CallId(call), f"{call} saw it"))

    def forget(self) -> None:
        """The daemon is gone, and with it whoever waited for an answer."""
        self.asked = self.before = None
        self.tools.clear()

    async def close(self) -> None:
        """It goes on."""


class Client:
    """Folds what it follows; shows what it sends before it is stored."""

    def __init__(self) -> None:
        self.view = Conversation()
        self.cursor = 0
        self.optimistic: dict[InputId, str] = {}
        self.seen: set[str] = set()
        """All that was ever being written before its eyes."""
        self._last = 0
        """The newest version of the session that it knows; 0: it knows only a view."""
        self.moved = asyncio.Event()
        self._following: Following | None = None
        self._pump: asyncio.Task[None] | None = None

    async def join(self, engine: Engine, how: str = "") -> None:
        """Come, or come back."""
        if how == "join at the view":
            await self._load(engine)
        following = engine.follow(S, after=self.cursor)
        self._following = following
        self._pump = asyncio.create_task(self._fold(following))

    async def _load(self, engine: Engine) -> None:
        viewed = await engine.view("conversation", S)
        if isinstance(viewed, Viewed):
            assert isinstance(viewed.value, Conversation)
            self.view, self.cursor = viewed.value, viewed.seq
        else:  # it cannot be read now, and nobody has asked for it before
            assert isinstance(viewed, StoreUnavailable), viewed

    def leave(self) -> None:
        """Go without a word."""
        if self._following is not None:
            self._following.close()

    async def _fold(self, following: Following) -> None:
        while items := await following.batch():
            for item in items:
                if isinstance(item, Stored):
                    self._take(envelope(item))
                elif isinstance(item.progress, EventUnsaved):
                    self._take_unsaved(decode_envelope(item.progress.json.encode()))
                else:
                    self.view = hear(self.view, item.progress)
            assert max(self.shown().values(), default=1) == 1, "something is shown twice"
            self.seen |= {one.text for one in self.view.open}
            self.moved.set()

    def _take(self, one: Envelope) -> None:
        if one.seq <= self.cursor:
            return
        self.cursor = one.seq
        self._last = max(self._last, one.version)
        self._see(one)

    def _take_unsaved(self, one: Envelope) -> None:
        # Whoever still reads what was stored before hears of it too early, and once more later.
        if one.version == self._last + 1:
            self._last = one.version
            self._see(one)

    def _see(self, one: Envelope) -> None:
        self.view = carry_on(self.view, one)
        self.optimistic.pop(one.cause, None)

    def shown(self) -> Counter[str]:
        """How often each message is shown, as sent, as waiting or as said."""
        said = [
            str(row.content.text)
            for row in self.view.rows
            if row.role is Role.USER and isinstance(row.content, TextBlock)
        ]
        waiting = [str(one.text) for one in self.view.now.queue]
        return Counter([*self.optimistic.values(), *waiting, *said])

    async def reach(self, seq: int) -> None:
        """Wait until it has seen so much."""
        while self.cursor < seq:
            self.moved.clear()
            assert self._pump is not None
            if self._pump.done():
                self._pump.result()
                raise AssertionError("it does not follow any more")
            await self.moved.wait()


class Lagging(FaultyLog):
    """A log whose followers hear of an append some turns of the loop before the appender does."""

    def __init__(self, store: MemoryStore, lag: int) -> None:
        super().__init__(store)
        self.lag = lag

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        rows = await super().append(session, expected_version, drafts, lease)
        for _ in range(self.lag):
            await asyncio.sleep(0)
        return rows

    async def read(
        self,
        after: int = 0,
        *,
        limit: int = 1000,
        session: SessionId | None = None,
        types: Sequence[str] = (),
    ) -> Sequence[Stored]:
        for _ in range(self.lag):  # what is read is what is there when the store comes to it
            await asyncio.sleep(0)
        return await super().read(after, limit=limit, session=session, types=types)

    async def read_session(
        self, session: SessionId, after_version: int = 0, limit: int = 1000
    ) -> Sequence[Stored]:
        rows = await super().read_session(session, after_version, limit)
        for _ in range(self.lag):
            await asyncio.sleep(0)
        return rows


class World:
    """A session, who follows it, and all that was sent to it."""

    def __init__(self, lag: int, folder: Path) -> None:
        self.lag = lag
        self.folder = folder
        self.store = MemoryStore()
        self.outside = Outside()
        self.outliving = Outliving()
        self.clients: list[Client] = []
        self.sent: dict[InputId, str] = {}
        """What was accepted."""
        self.number = 0

    async def start(self) -> None:
        """A daemon is started, and those who were there come back."""
        self.log = Lagging(self.store, self.lag)
        await self.log.open()
        performers: list[Performer] = [self.outside, Interpreter(self.outliving)]
        self.spool = Spool(self.folder)
        self.engine = Engine(self.log, performers, spool=self.spool, clock=HastyClock())
        await self.engine.open()
        for client in self.clients:
            await client.join(self.engine)

    async def restart(self) -> None:
        """All that the daemon was about to do is not done; the store keeps what it had."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self.log._listeners = Listeners()
        await self.log.close()
        self.spool.close()
        self.outside.forget()
        await self.start()

    async def do(self, deed: Deed) -> None:
        """One thing happens."""
        outside = self.outside
        written: dict[Deed, Callable[[], None]] = {
            "write": outside.write,
            "write late": outside.write_late,
            "answer": outside.answer,
            "call a tool": lambda: outside.answer(1),
            "call two": lambda: outside.answer(2),
            "fail": outside.fail,
            "tool returns": outside.tool_returns,
            "leave": self._leave,
            "lose the store": self._lose_store,
        }
        asked: dict[Deed, Callable[[], Awaitable[object]]] = {
            "send": lambda: self._send(ANN),
            "send as the other": lambda: self._send(BOT),
            "withdraw": self._withdraw,
            "cancel": lambda: self.engine.submit(S, p.CancelTurn(), ANN),
            "restart": self.restart,
            "find the store": self._find_store,
        }
        if deed in written:
            written[deed]()
        elif deed in asked:
            await asked[deed]()
        else:
            client = Client()
            await client.join(self.engine, deed)
            self.clients.append(client)

    def _lose_store(self) -> None:
        self.log.down = True

    async def _find_store(self) -> None:
        self.log.down = False
        if (flushing := self.engine._around.saver._flushing) is not None:
            await asyncio.wait([flushing])

    def _leave(self) -> None:
        if len(self.clients) > 1:
            self.clients.pop().leave()

    async def _withdraw(self) -> None:
        queue = self.clients[0].view.now.queue
        if queue:
            await self.engine.submit(S, p.WithdrawMessage(queue[-1].message), ANN)

    async def _send(self, author: Origin) -> None:
        self.number += 1
        name, text = InputId(f"said-{self.number}"), f"message {self.number}"
        first = self.clients[0]
        first.optimistic[name] = text
        answer = await self.engine.submit(S, p.SendMessage(text), author, input_id=name)
        assert isinstance(answer, Accepted), answer
        self.sent[name] = text

    async def rest(self) -> None:
        """Nothing goes on that nobody waits for; everyone has seen everything."""
        still = 0
        while still < 40:
            await asyncio.sleep(0)
            deciding = self.engine._loops[S]._task
            still = 0 if deciding is not None else still + 1
            if deciding is not None:
                await asyncio.wait([deciding])
        if not self.log.down:
            await self._find_store()  # what waited is saved now
            head = await self.log.head()
            for client in self.clients:
                await client.reach(head)

    async def check(self) -> None:
        """Everyone sees what is stored, and what is being written."""
        if self.log.down:
            return  # what was loaded before is shown, and says how old it is
        loaded = await self.look()
        assert all(self.is_true(one.text, one.start) for one in loaded.open), loaded.open
        back = taken_back(self.envelopes())
        for client in self.clients:
            view = client.view
            for name in ("now", "rows", "older", "cut", "calls", "compactions", "version"):
                assert getattr(view, name) == getattr(loaded, name), name
            assert all(self.is_true(one.text, one.start) for one in view.open), view.open
            shown = client.shown()
            for text in self.sent.values():
                assert shown[text] == (text not in back), text

    async def look(self) -> Conversation:
        """What one sees who loads everything anew."""
        viewed = await self.engine.view("conversation", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Conversation)
        return viewed.value

    def envelopes(self) -> list[Envelope]:
        """All that is stored."""
        return [envelope(row) for row in self.store.stored(S)]

    def is_true(self, text: str, start: int) -> bool:
        """Whether a model is writing this."""
        return self.outside.asked is not None and self.outside.written[start:] == text

    async def finish(self) -> None:
        """Let everything come to its end."""
        async with asyncio.timeout(PATIENCE):
            await self._find_store()
            while self.engine._loops[S].fold.state.talk.open is not None:
                self.outside.tool_returns()
                self.outside.answer()
                await asyncio.sleep(0)


async def play(deeds: Sequence[tuple[Deed, int]], lag: int) -> World:
    """Have it all happen, with so many turns of the loop behind each; 0: until all is at rest."""
    with TemporaryDirectory() as folder:
        return await _play(World(lag, Path(folder)), deeds)


async def _play(world: World, deeds: Sequence[tuple[Deed, int]]) -> World:
    await world.start()
    await ready(world.engine)
    await world.do("join from the start")
    for deed, turns in deeds:
        async with asyncio.timeout(PATIENCE):
            await world.do(deed)
            for _ in range(turns):
                await asyncio.sleep(0)
            if not turns:
                await world.rest()
                await world.check()
    await world.finish()
    await world.rest()
    await world.check()
    for client in world.clients:
        assert client.view.open == ()
        assert client.view.outputs == ()
        assert client.optimistic == {}
        client.leave()
    await world.engine.close()
    world.spool.close()
    return world


@pytest.mark.promise(
    "DP-REC-01",
    "DP-REC-02",
    "DP-REC-03",
    "DP-REC-04",
    "DP-REC-05",
    "DP-REC-06",
    "DP-REC-07",
    "DP-REC-08",
    "DP-BG-05",
)
@given(
    st.lists(st.tuples(st.sampled_from(OFTEN), st.integers(0, 9)), min_size=4, max_size=30),
    st.integers(0, 8),
)
@example([("send", 0), ("write", 0), ("write", 0), ("send", 0), ("call two", 0), ("restart", 0)], 3)
@example([("send", 0), ("send", 0), ("withdraw", 0), ("write", 0), ("cancel", 0), ("send", 0)], 0)
async def test_whoever_follows_in_whatever_way_sees_what_is_stored(
    deeds: list[tuple[Deed, int]], lag: int
) -> None:
    world = await play(deeds, lag)
    envelopes = world.envelopes()
    assert_whole(envelopes)
    assert max(Counter(world.outside.ran).values(), default=1) == 1
    _assert_each_is_somewhere(world, envelopes)


@pytest.mark.promise("DP-REC-03", "DP-BG-05")
@pytest.mark.parametrize("lag", range(0, 9, 2))
@pytest.mark.parametrize("deed", ["fail", "answer", "call a tool", "cancel", "restart"])
async def test_whoever_joins_while_an_attempt_ends_sees_nothing_of_it_in_the_next(
    deed: Deed, lag: int
) -> None:
    next_one: list[tuple[Deed, int]] = [("write", 0)] * 3
    for turns in range(1, 8):
        begun: list[tuple[Deed, int]] = [("send", 0), ("write", 0), (deed, turns)]
        worlds = [
            await play([*begun, (join, 1), *next_one], lag)
            for join in ("join at the view", "join from the start")
        ]
        # Or has joined just before, and has not read all of the log yet.
        begun = [("send", 0), ("write", 0), ("join from the start", turns), ("write", 1)]
        worlds.append(await play([*begun, (deed, turns), *next_one], lag))
        for world in worlds:
            first, *_ = world.clients
            assert "r1 " in first.seen
            assert ("r2 " in first.seen) == (deed in {"fail", "restart"}), first.seen
            for client in world.clients:
                mixed = [text for text in client.seen if len(set(text.split())) != 1]
                assert mixed == [], "an attempt goes on in the words of another"


async def test_an_attempt_that_became_too_long_is_not_shown_while_all_is_summed_up(
    tmp_path: Path,
) -> None:
    world = World(0, tmp_path)
    await world.start()
    await ready(world.engine)
    begun: list[Deed] = ["join from the start", "send", "write"]
    for deed in begun:
        await world.do(deed)
        await world.rest()
    assert [one.text for one in (await world.look()).open] == ["r1 "]
    world.outside.fail(m.Trouble.OVERFLOW)
    await world.rest()
    given_up = await world.look()
    assert given_up.now.compacting
    assert given_up.open == ()
    await world.engine.close()
    world.spool.close()


def taken_back(envelopes: Sequence[Envelope]) -> list[str]:
    """The messages that somebody did not want to be given any more."""
    events = [one.event for one in envelopes]
    queued = {one.message: str(one.text) for one in events if isinstance(one, t.MessageQueued)}
    return [queued[one.message] for one in events if isinstance(one, t.MessageWithdrawn)]


def _assert_each_is_somewhere(world: World, envelopes: Sequence[Envelope]) -> None:
    """What was accepted was said once, in its order, or was taken back."""
    said = [
        str(one.event.content.text)
        for one in envelopes
        if isinstance(one.event, t.BlockSealed)
        and one.event.role is Role.USER
        and isinstance(one.event.content, TextBlock)
    ]
    back = taken_back(envelopes)
    assert said == [text for text in world.sent.values() if text not in back]
    begun = [one for one in envelopes if isinstance(one.event, t.TurnStarted)]
    causes = [one.cause for one in begun]
    assert len(causes) == len(set(causes)), "each turn is begun by one message"
