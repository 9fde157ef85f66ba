"""Turns of agents in an engine: side by side, unwatched, cancelled, with and without the store."""

import asyncio
import json
from pathlib import Path
from threading import Event
from typing import Any, Literal

import pytest
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hasty_clock import HastyClock
from tests.contracts.manual_clock import ManualClock
from tests.contracts.scenes import ANN
from tests.journeys.agents import (
    PATIENCE,
    Death,
    Life,
    S,
    living,
    note,
    ready,
    settings_for,
)
from tests.journeys.outliving import Outliving
from tests.journeys.transcripts import assert_whole, transcript
from tests.providers.script import (
    Call,
    Json,
    Overflow,
    Reply,
    Say,
    Silence,
    Status,
    Think,
    answers_in,
)
from tests.providers.server import Fake, provider

from hearth.api import Accepted, Following, Hearth, Shown, Viewed, each
from hearth.core.views.conversation import Conversation
from hearth.core.views.talk import TalkStatus
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeBlock, NoticeKind, Role, TextBlock, ToolResultBlock
from hearth.core.vocabulary.codec import decode_envelope, envelope
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import ApprovalId, InputId, SessionId
from hearth.core.vocabulary.progress import EventUnsaved, TextDelta
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.log.memory import MemoryStore
from hearth.log.spool import Spool
from hearth.settings.agents import AgentSettings

T = SessionId("session-other")
SOON = 5.0
"""Nothing that is cancelled takes a second; this is for machines that are very busy."""


async def seen(
    hearth: Hearth, kind: type[t.TurnEvent], times: int = 1, session: SessionId = S
) -> None:
    """Wait until this is in the log so often."""
    following, count = hearth.follow(session, after=0), 0
    try:
        async with asyncio.timeout(PATIENCE):
            async for item in each(following):
                count += isinstance(item, Stored) and isinstance(envelope(item).event, kind)
                if count >= times:
                    return
    finally:
        following.close()


async def said(hearth: Hearth, command: p.Prompt, session: SessionId = S) -> Accepted:
    answer = await hearth.submit(session, command, ANN)
    assert isinstance(answer, Accepted), answer
    return answer


async def done(hearth: Hearth, turns: int = 1, session: SessionId = S) -> None:
    await seen(hearth, t.TurnFinished, turns, session)


def ends(envelopes: list[Envelope]) -> list[t.TurnEnd]:
    return [one.event.end for one in envelopes if isinstance(one.event, t.TurnFinished)]


# -- prefix ----------------------------------------------------------------------------------------


class Talkative:
    """A model for a long conversation: falls silent, calls what never returns, and goes on."""

    def __init__(self) -> None:
        self.silent = {3}
        """Answers in which it falls silent, the first time."""

    def __call__(self, request: Json, _: int) -> Reply:
        step = answers_in(request)
        if step in self.silent:
            self.silent.discard(step)
            return Reply((Think("Hm."), Say("I was about to say this")), fault=Silence(at="about"))
        if step in {4, 11, 14, 16}:
            return Reply((Say(f"Enough, {step}."),))
        if step == 12:
            return Reply((Say("I weigh."), Call("weigh", {"what": "a feather"}), note(step)))
        return Reply((Think(f"T{step}"), Say(f"Step {step}."), note(step), note(100 + step)))


@pytest.mark.promise("DP-WIRE-02", "DP-WIRE-12", "DP-TURN-10")
async def test_each_request_begins_with_the_one_before_whatever_happens_in_between(
    tmp_path: Path,
) -> None:
    outliving, prompt = Outliving(), ["Be brief."]
    outliving.holds = frozenset({"note(7)"})
    async with provider("anthropic", Talkative()) as fake:
        usual = settings_for(fake.url)

        def agents(directory: str) -> AgentSettings:
            told = usual(directory)
            return AgentSettings(told.model, system_prompt=prompt[0], providers=told.providers)

        life = Life(tmp_path / "home", outliving, fake.url, agents=agents)
        await life.open()
        await ready(life.engine)
        await _silenced(life, fake)
        await said(life.engine, p.SendMessage("two"))
        await done(life.engine, 2)
        # A message comes while a cell runs; then the daemon is killed, and another one goes on.
        await said(life.engine, p.SendMessage("three"))
        await held(outliving)
        await said(life.engine, p.SendMessage("four"))
        await life.kill(fake)
        life = Life(tmp_path / "home", outliving, fake.url, agents=agents)
        await life.open()
        outliving.let_go()
        await done(life.engine, 3)
        await _weighing(life, outliving)
        # Other words of the person's own, and another model, begin a prefix of their own.
        prompt[0] = "Be very brief."
        await said(life.engine, p.SendMessage("six"))
        await done(life.engine, 5)
        await said(life.engine, p.SetModel("anthropic:claude-sonnet-4-5"))
        await said(life.engine, p.SendMessage("seven"))
        await done(life.engine, 6)
        envelopes = await life.envelopes()
        await life.close()
        assert fake.refusals == []
    assert_whole(envelopes)
    cancelled, finished = t.TurnEnd.CANCELLED, t.TurnEnd.DONE
    assert ends(envelopes) == [cancelled, finished, finished, cancelled, finished, finished]
    _assert_stable(fake)
    started = [one.event for one in envelopes if isinstance(one.event, t.PrefixStarted)]
    assert [(one.epoch, one.reason) for one in started] == [
        (1, "first request"),
        (2, "instructions, tools or settings changed"),
        (3, "model changed"),
    ]
    # After each step the log says so, too: nothing differs but where an epoch begins.
    notes = [one.event for one in envelopes if isinstance(one.event, t.StepFinished)]
    differing = [one for one in notes if one.wire.differs_at]
    assert [one.wire.why for one in differing] == [one.reason for one in started[1:]]


async def _silenced(life: Life, fake: Fake) -> None:
    """A turn that is cancelled while its model is silent in the middle of a sentence."""
    await said(life.engine, p.SendMessage("one"))
    async with asyncio.timeout(PATIENCE):
        await fake.until(lambda: len(fake.requests) == 4)
    await shown(life.engine, "was")
    await said(life.engine, p.CancelTurn())
    await done(life.engine)


async def _weighing(life: Life, outliving: Outliving) -> None:
    """A turn that is cancelled while a tool runs, and a cell."""
    outliving.weigh.never = True
    await said(life.engine, p.SendMessage("five"))
    async with asyncio.timeout(PATIENCE):
        await outliving.weigh.begun.wait()
    await said(life.engine, p.CancelTurn())
    await done(life.engine, 4)


def _assert_stable(fake: Fake) -> None:
    kinds = [json.dumps([one.json["model"], one.json["system"]]) for one in fake.requests]
    shares = [one.shares for one in fake.requests]
    assert len(set(kinds)) == 3
    for place in range(1, len(kinds)):
        share = shares[place]
        assert share is not None
        if kinds[place] == kinds[place - 1]:
            assert share.stability == 1.0, place


async def shown(hearth: Hearth, word: str) -> None:
    """Wait until a model was seen to write this."""
    following = hearth.follow(S)
    viewed = await hearth.view("conversation", S)
    text = str(viewed)
    try:
        async with asyncio.timeout(PATIENCE):
            while word not in text:
                for item in await following.batch():
                    if not isinstance(item, Stored) and isinstance(item.progress, TextDelta):
                        text += item.progress.text
    finally:
        following.close()


async def held(outliving: Outliving) -> None:
    """Wait until a cell is held."""
    async with asyncio.timeout(PATIENCE):
        await outliving.holding.wait()


# -- cancelling ------------------------------------------------------------------------------------


class Phase:
    """A turn that is stuck: who is its model, and what it is stuck at."""

    def __init__(self, home: Path, fake: Fake, outliving: Outliving, clock: ManualClock) -> None:
        self.home = home
        self.fake = fake
        self.outliving = outliving
        self.clock = clock
        self.reading = Event()
        self.read = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    def agents(self, directory: str) -> AgentSettings:
        """Settings that can take their time."""
        self.loop.call_soon_threadsafe(self.read.set)
        assert self.reading.wait(PATIENCE)
        return settings_for(self.fake.url)(directory)

    async def stuck(self, phase: str, life: Life) -> None:
        """Wait until the turn is at it."""
        async with asyncio.timeout(PATIENCE):
            match phase:
                case "preparing":
                    await self.read.wait()
                case "asking":
                    await shown(life.engine, "was")
                case "retrying":
                    await self.clock.someone_waits()
                case "cell":
                    await held(self.outliving)
                case "tool":
                    await self.outliving.weigh.begun.wait()
                case "waiting":
                    await seen(life.engine, t.ApprovalRequested)
                case "compacting":
                    await self.fake.until(lambda: len(self.fake.requests) == 2)
                    await seen(life.engine, t.CompactionStarted)
                case _:
                    raise AssertionError(phase)


REPLIES: dict[str, list[Reply]] = {
    "preparing": [],
    "asking": [Reply((Say("I was about to say"),), fault=Silence(at="about"))],
    "retrying": [Reply(fault=Status(529))],
    "cell": [Reply((Say("I run."), note(1), note(2)))],
    "tool": [Reply((Call("weigh", {"what": "anvil"}), Call("weigh", {"what": "lead"})))],
    "waiting": [Reply((note(3),), repeat=3)],
    "compacting": [Reply(fault=Overflow()), Reply((Say("So far"),), fault=Silence(at="far"))],
}


@pytest.mark.promise("LK-CANC-01", "DP-WIRE-12")
@pytest.mark.parametrize("phase", REPLIES)
async def test_a_turn_that_is_cancelled_ends_at_once_and_leaves_nothing_open(
    phase: str, tmp_path: Path
) -> None:
    outliving, clock = Outliving(), ManualClock()
    outliving.holds, outliving.weigh.never = frozenset({"note(1)"}), True
    replies = [*(one for reply in REPLIES[phase] for one in [reply] * reply.repeat)]
    after = [Reply((Say("Here I am again."),))]
    async with provider("anthropic", lambda _, number: (replies + after)[number]) as fake:
        stage = Phase(tmp_path, fake, outliving, clock)
        if phase != "preparing":
            stage.reading.set()
        try:
            async with living(
                tmp_path / "home", outliving, fake.url, clock=clock, agents=stage.agents
            ) as life:
                engine = life.engine
                await said(engine, p.SendMessage("do it"))
                await stage.stuck(phase, life)
                async with asyncio.timeout(SOON):
                    await said(engine, p.CancelTurn())
                    await done(engine)
                    if phase in {"asking", "compacting"}:
                        await fake.until(lambda: not fake.connections)
                stage.reading.set()
                envelopes = await life.envelopes()
                assert_whole(envelopes)
                assert ends(envelopes) == [t.TurnEnd.CANCELLED]
                _assert_told_of_the_cancel(envelopes)
                # Whatever it was at, the next turn is not disturbed by it.
                await said(engine, p.SendMessage("are you there?"))
                await done(engine, 2)
                assert ends(await life.envelopes())[1:] == [t.TurnEnd.DONE]
                assert fake.refusals == []
        finally:
            stage.reading.set()
    assert not outliving.held
    assert outliving.ran.count("note(1)") == (phase == "cell")
    assert "note(2)" not in outliving.ran


def _assert_told_of_the_cancel(envelopes: list[Envelope]) -> None:
    blocks = [one.event for one in envelopes if isinstance(one.event, t.BlockSealed)]
    notices = [one.content for one in blocks if isinstance(one.content, NoticeBlock)]
    assert [one.kind for one in notices] == [NoticeKind.CANCELLED]
    for one in blocks:
        if isinstance(one.content, ToolResultBlock) and one.step == blocks[-1].step:
            assert one.content.is_error or one.content.result
        if isinstance(one.content, TextBlock) and one.role is Role.ASSISTANT:
            assert one.partial == (str(one.content.text) == "I was")


# -- killed in every phase -------------------------------------------------------------------------


@pytest.mark.promise("DP-TURN-10", "DP-LOG-06", "DP-WIRE-12")
@pytest.mark.parametrize("phase", REPLIES)
async def test_a_turn_goes_on_from_whatever_phase_its_daemon_left_it_in(
    phase: str, tmp_path: Path
) -> None:
    outliving, clock = Outliving(), ManualClock()
    outliving.holds, outliving.weigh.never = frozenset({"note(1)"}), True
    replies = [*(one for reply in REPLIES[phase] for one in [reply] * reply.repeat)]
    after = [Reply((Say("Here I am."),))] * 3
    async with provider("anthropic", lambda _, number: (replies + after)[number]) as fake:
        stage = Phase(tmp_path, fake, outliving, clock)
        if phase != "preparing":
            stage.reading.set()
        life = Life(tmp_path / "home", outliving, fake.url, clock=clock, agents=stage.agents)
        await life.open()
        await ready(life.engine)
        await said(life.engine, p.SendMessage("do it"))
        await stage.stuck(phase, life)
        await said(life.engine, p.SendMessage("and this"))
        await life.kill(fake)
        stage.reading.set()
        outliving.weigh.never = False

        life = Life(tmp_path / "home", outliving, fake.url)
        await life.log.open()
        left = await life.envelopes()
        # Of what was being written nothing is stored; all that was sealed before is.
        assert not [one for one in transcript(left) if one.text.startswith(("I was", "So far"))]
        await life.engine.open()
        if phase == "waiting":
            viewed = await life.engine.view("conversation", S)
            assert isinstance(viewed, Viewed)
            assert isinstance(viewed.value, Conversation)
            assert viewed.value.now.status is TalkStatus.WAITING_USER
            assert [one.text for one in viewed.value.now.queue] == ["and this"]
            once = p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.ONCE)
            await said(life.engine, once)
        outliving.let_go()
        await done(life.engine)
        await _idle(life)
        envelopes = await life.envelopes()
        await life.close()
        assert fake.refusals == []
    assert_whole(envelopes)
    assert set(ends(envelopes)) == {t.TurnEnd.DONE}
    told = [one.text for one in transcript(envelopes)]
    assert (told.count("do it"), told.count("and this")) == (1, 1)
    assert told[-1] == "Here I am."
    # Calls of the step that were only waiting are run now; those that ran are not run again.
    assert outliving.weigh.weighed == (["anvil", "lead"] if phase == "tool" else [])
    assert outliving.ran.count("note(1)") == outliving.ran.count("note(2)") == (phase == "cell")


@pytest.mark.promise("DP-TURN-10", "LK-CANC-01")
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_cancel_holds_if_it_was_stored_whatever_becomes_of_its_daemon(
    when: Literal["before", "after"], tmp_path: Path
) -> None:
    outliving = Outliving()
    silent = Reply((Say("I was about to say"),), fault=Silence(at="about"))
    replies = [silent, Reply((Say("Here I am."),))]
    async with provider("anthropic", replies) as fake:
        life = Life(tmp_path / "home", outliving, fake.url)
        await life.open()
        await ready(life.engine)
        await said(life.engine, p.SendMessage("do it"))
        await shown(life.engine, "was")
        last = (await life.envelopes())[-1].version
        life.mortal.death = Death(last + 1, when)
        cancelling = asyncio.create_task(said(life.engine, p.CancelTurn()))
        async with asyncio.timeout(PATIENCE):
            await life.mortal.died.wait()
        await life.kill(fake)
        assert cancelling.cancelled(), "nobody was told that it is accepted"
        life = Life(tmp_path / "home", outliving, fake.url)
        await life.open()
        await done(life.engine)
        envelopes = await life.envelopes()
        await life.close()
        assert fake.refusals == []
        assert len(fake.requests) == (2 if when == "before" else 1)
    assert_whole(envelopes)
    assert ends(envelopes) == [t.TurnEnd.DONE if when == "before" else t.TurnEnd.CANCELLED]


# -- side by side, and unwatched -------------------------------------------------------------------


@pytest.mark.promise("LK-SESS-03")
async def test_turns_of_two_sessions_overlap_and_those_of_one_follow_each_other(
    tmp_path: Path,
) -> None:
    def reply(request: Json, _: int) -> Reply:
        first = json.dumps(request["messages"][0])
        if "hang" in first:
            return Reply((Say("I was about to say"),), fault=Silence(at="about"))
        return Reply((Say(f"answer {answers_in(request)}"),))

    outliving = Outliving()
    async with (
        provider("anthropic", reply) as fake,
        living(tmp_path / "home", outliving, fake.url) as life,
    ):
        engine = life.engine
        await ready(engine, T)
        await said(engine, p.SendMessage("hang"))
        await shown(engine, "was")
        # While one session's model writes, the turns of the other come to their ends.
        await asyncio.gather(*(said(engine, p.SendMessage(f"q{n}"), T) for n in range(5)))
        await seen(engine, t.BlockSealed, 6, T)
        await _idle(life, T)
        others = await life.envelopes(T)
        assert_whole(others)
        assert not ends(await life.envelopes())
        await said(engine, p.CancelTurn())
        await done(engine)
        assert fake.refusals == []
    texts = [one.text for one in transcript(others)]
    assert [one for one in texts if one.startswith("q")] == [f"q{n}" for n in range(5)]
    answers = [one for one in texts if one.startswith("answer")]
    assert answers == [f"answer {n}" for n in range(len(answers))]
    assert texts[-1] == answers[-1]


async def _saved(life: Life) -> None:
    """Wait until nothing waits on disk any more."""
    async with asyncio.timeout(PATIENCE):
        while (flushing := life.engine._around.saver._flushing) is not None:
            await asyncio.wait([flushing])


async def _idle(life: Life, session: SessionId = S) -> None:
    """Wait until the agent has nothing more to do."""
    following = life.engine.follow(session, after=0)
    async with asyncio.timeout(PATIENCE):
        while life.engine._loops[session].fold.state.talk.open is not None:
            await following.batch()
    following.close()


@pytest.mark.promise("DP-BG-01", "DP-TURN-01")
async def test_a_turn_goes_on_when_everyone_who_followed_it_has_left(tmp_path: Path) -> None:
    outliving = Outliving()
    replies = [Reply((Say(f"Step {step}."), note(step))) for step in range(5)]
    async with (
        provider("anthropic", [*replies, Reply((Say("Done."),))]) as fake,
        living(tmp_path / "home", outliving, fake.url) as life,
    ):
        outliving.holds = frozenset({"note(2)"})
        followers = [life.engine.follow(S, after=after) for after in (0, None)]
        await said(life.engine, p.SendMessage("go"))
        await held(outliving)
        for follower in followers:
            follower.close()
            while await follower.batch():
                pass
        outliving.let_go()
        async with asyncio.timeout(PATIENCE):
            await fake.until(lambda: len(fake.requests) == 6)
        await _idle(life)
        envelopes = await life.envelopes()
        assert fake.refusals == []
    assert_whole(envelopes)
    assert ends(envelopes) == [t.TurnEnd.DONE]
    assert transcript(envelopes)[-1].text == "Done."


# -- the store goes away ---------------------------------------------------------------------------


class Failing(FaultyLog):
    """A store that is taken away at the n-th append, in one of several ways."""

    def __init__(self, at: int, how: str) -> None:
        super().__init__()
        self.at = at
        self.how = how
        self.appends = 0

    async def append(self, *given: Any, **named: Any) -> Any:
        self.appends += 1
        if self.appends == self.at:
            match self.how:
                case "down":
                    self.down = True
                case "lost answer":
                    self.lose_answer = True
                case "lost news":
                    self.lose_news = True
                case _:
                    raise AssertionError(self.how)
        return await super().append(*given, **named)


class Repairing(HastyClock):
    """Lets no time pass; whoever has waited three times finds the store back."""

    def __init__(self, log: Failing) -> None:
        self._log = log
        self._waits = 0

    async def sleep(self, seconds: float) -> None:
        self._waits += self._log.down
        if self._waits >= 3:
            self._log.down = False
        assert seconds >= 0
        await asyncio.sleep(0)


def _short_turn() -> list[Reply]:
    return [
        Reply((Say("I run."), note(0), note(1))),
        Reply((Think("Hm."), Call("weigh", {"what": "anvil"}), Call("check_code", {"code": "1"}))),
        Reply((note(2),)),
        Reply((Say("Done."),)),
    ]


@pytest.mark.promise("DP-LOG-07", "DP-TOOL-04")
@pytest.mark.parametrize("spools", [False, True], ids=["no spool", "spool"])
@pytest.mark.parametrize("how", ["down", "lost answer", "lost news"])
async def test_a_turn_goes_on_when_the_store_is_back_and_nothing_is_doubled(
    how: str, tmp_path: Path, *, spools: bool
) -> None:
    clean: list[Any] = []
    for at in (0, *range(4, 40)):
        log, outliving = Failing(at, how), Outliving()
        spool = Spool(tmp_path / f"spool{at}") if spools else None
        async with provider(
            "anthropic", lambda request, _: _short_turn()[answers_in(request)]
        ) as fake:
            async with living(
                tmp_path / "home", outliving, fake.url, log=log, spool=spool, clock=Repairing(log)
            ) as life:
                go = InputId("go")
                async with asyncio.timeout(PATIENCE):
                    while True:
                        answer = await life.engine.submit(S, p.SendMessage("go"), ANN, input_id=go)
                        if not isinstance(answer, StoreUnavailable):
                            break
                        log.down = False
                await done(life.engine)
                await _saved(life)
                envelopes = await life.envelopes()
            assert fake.refusals == []
            assert {one.stability for one in fake.shares} == {1.0}
        assert_whole(envelopes)
        assert ends(envelopes) == [t.TurnEnd.DONE]
        assert outliving.ran == ["note(0)", "note(1)", "note(2)"]
        assert outliving.weigh.weighed == ["anvil"]
        clean = clean or transcript(envelopes)
        assert transcript(envelopes) == clean, (how, at)
        if at and log.appends < at:
            break
    assert at > 10


@pytest.mark.promise("DP-TURN-10", "DP-TOOL-04")
async def test_a_turn_goes_on_from_what_waited_on_disk_when_its_daemon_ended(
    tmp_path: Path,
) -> None:
    outliving, clock, store = Outliving(), ManualClock(), MemoryStore()
    outliving.holds = frozenset({"note(0)"})
    async with provider("anthropic", lambda request, _: _short_turn()[answers_in(request)]) as fake:
        log = FaultyLog(store)
        home, spool = tmp_path / "home", Spool(tmp_path / "spool")
        life = Life(home, outliving, fake.url, log=log, spool=spool, clock=clock)
        await life.open()
        await ready(life.engine)
        await said(life.engine, p.SendMessage("go"))
        await held(outliving)
        saved = (await life.envelopes())[-1].version
        # The store goes away while a cell runs; both cells end, and the model cannot be asked.
        log.down = True
        following = life.engine.follow(S)
        outliving.let_go()
        await _unsaved(following, t.RetryScheduled)
        await life.kill(fake)
        assert [row.version for row in store.stored(S)] == [*range(1, saved + 1)]

        log, spool = FaultyLog(store), Spool(tmp_path / "spool")
        life = Life(home, outliving, fake.url, log=log, spool=spool)
        await life.open()
        await done(life.engine)
        envelopes = await life.envelopes()
        await life.close()
        assert fake.refusals == []
        assert {one.stability for one in fake.shares} == {1.0}
    assert_whole(envelopes)
    assert ends(envelopes) == [t.TurnEnd.DONE]
    assert outliving.ran == ["note(0)", "note(1)", "note(2)"]
    results = [one.text for one in transcript(envelopes) if one.role is Role.TOOL]
    assert results == ["Out: 0", "Out: 1", "anvil: heavy", "No errors found.", "Out: 2"]


async def _unsaved(following: Following, kind: type[t.TurnEvent]) -> None:
    """Wait until this has happened, although it cannot be saved."""
    async with asyncio.timeout(PATIENCE):
        async for item in each(following):
            unsaved = item.progress if isinstance(item, Shown) else None
            if not isinstance(unsaved, EventUnsaved):
                continue
            if isinstance(decode_envelope(unsaved.json.encode()).event, kind):
                break
    following.close()
