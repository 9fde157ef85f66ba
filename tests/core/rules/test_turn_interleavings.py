"""Whatever comes in whatever order, with crashes anywhere: nothing is lost, doubled or rewritten.

A world of two people, a model, tools and an interpreter answers the effects in any order, or never,
or twice; the daemon may end at any moment, and goes on from the log alone.
"""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.given import ANNA, BOT, READY, Script, Spoken, after
from tests.contracts.given import given as begun
from tests.contracts.talks import (
    CHOICE,
    PREFIX,
    assert_acceptable,
    call,
    code,
    composed,
    text,
    thought,
)

from hearth.core.rules.lines import before, behind, is_on, segments_of, up_to
from hearth.core.rules.session import Decision, SessionState, evolve, resume, resume_talk
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.blocks import StopReason, ToolCallBlock, ToolResultBlock, Usage
from hearth.core.vocabulary.deeds import FilesKept
from hearth.core.vocabulary.ids import ApprovalId, BlockId, CallId, MessageId, RequestId, TurnId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall, ProjectRewound, RewindProject
from hearth.core.vocabulary.lines import Line, TurnLimits
from hearth.core.vocabulary.messages import Message
from hearth.core.vocabulary.permitting import Judged, Kept, Need, Verdict
from hearth.core.vocabulary.phases import Evaluating

KEPT = Kept("/home/anna/loom", "t1")
LIMITS = TurnLimits(max_steps=6, max_retries=2)
WRITTEN = st.lists(
    st.sampled_from(
        [
            text("well"),
            text(""),
            thought("hm", "{sig}"),
            code("x"),
            code("y", "toolu_0123456789"),
            call("look", '{"at":1}'),
            call("look", '{"at":2}'),
            call("look", "[]"),
            call("write", "{}"),
            call("inspect", '{"code":"x"}'),
            call("run_code", "{"),
            call("compact_conversation"),
        ]
    ),
    max_size=4,
).map(tuple)


class World:
    """Everything outside the rules, and what is owed."""

    def __init__(self, draw: Callable[[st.SearchStrategy[object]], object]) -> None:
        self.draw = draw
        self.script: Script = begun(*READY, judging=False)
        self.open: list[fx.Effect] = []
        self.run: list[str] = []
        """The calls and cells that were carried out, to find those that were twice."""
        self.asks: dict[str, bool | None] = {}
        """What code in cells asked about tools, and what it was told; None: nothing yet."""
        self.waiting: set[str] = set()
        """Those that this daemon was asked, and that wait."""
        self.sent: list[tuple[int, list[Message]]] = []
        """What the model was sent, by epoch."""

    def say(self, word: Spoken, by: object = ANNA) -> None:
        outcome = self.script.when(word, by=by)  # type: ignore[arg-type]  # one of two people
        if isinstance(outcome.decision, Decision):
            self.take(outcome.effects)

    def take(self, effects: tuple[fx.Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, m.AskModel):
                # A summary of a branch is asked for before the branch has a prefix of its own.
                talk = self.script.state.talk
                self.sent.append((talk.epoch if not talk.renew else -1, self.messages(effect)))
            if isinstance(effect, m.RunTool):
                self.run.append(effect.call)
            if isinstance(effect, fx.ExecuteInWorker):
                self.run.append(effect.cell)
            if isinstance(effect, fx.AnswerToolInWorker):
                assert self.asks[effect.ask] is None, "code was answered twice"
                self.asks[effect.ask] = effect.allowed
                self.waiting.discard(effect.ask)
            self.open.append(effect)

    def messages(self, effect: m.AskModel) -> list[Message]:
        return composed(self.script.facts, effect.line, effect.through)

    def restart(self) -> None:
        """The daemon ends; the next one has the log and nothing else."""
        state = SessionState(self.script.state.session)
        for fact in self.script.facts:
            state = evolve(state, fact)
        assert state == self.script.state
        self.open = []
        self.waiting.clear()
        self.take((*resume(state, after(9999)), *resume_talk(state, after(9999))))

    def answer(self, effect: fx.Effect) -> Spoken | None:  # noqa: C901, PLR0911, PLR0912 - one table
        """One of the reports that may come of an effect."""
        match effect:
            case m.PreparePrefix():
                return m.PrefixPrepared(effect.turn, CHOICE, PREFIX, LIMITS)
            case m.AskModel() if effect.purpose == "summary":
                return m.SummaryMade(effect.request, "so far", self.some_block(), Usage(5))
            case m.AskModel():
                return self.of_model(effect)
            case m.StopAsking():
                return m.ModelStopped(effect.request, (text("half"),))
            case m.WaitThenAsk():
                return m.AskDue(effect.request)
            case JudgeCall():
                return self.judged(effect)
            case RewindProject():
                return ProjectRewound(effect.question, before=KEPT)
            case m.RunTool():
                return m.ToolReturned(effect.call, "done")
            case fx.ExecuteInWorker():
                return r.CellEnded(effect.generation, effect.cell, r.Succeeded("1"), 0.1)
            case fx.InterruptWorker():
                return r.CellEnded(effect.generation, effect.cell, r.Stopped(), 0.1)
            case fx.InspectInWorker():
                return r.CodeInspected(effect.question, Inspection())
            case fx.AttachWorker():
                gone = r.WorkerLost(effect.generation, r.Exit.VANISHED, "gone")
                asked = effect.unanswered
                lives = r.WorkerReady(effect.generation, 0.1, unanswered=asked)
                return gone if self.draw(st.booleans()) else lives
            case fx.WaitThenRestart():
                return r.RestartDue(effect.generation)
            case fx.StartWorker() | fx.ResetWorker():
                return r.WorkerReady(effect.generation, 0.1)
            case m.FindBranch():
                return self.found(effect)
            case _:
                return None

    def code_asks(self) -> None:
        """Code in the cell that runs calls a tool, or one that waits stops to do so."""
        phase, generation = self.script.state.phase, self.script.state.generation
        if self.waiting and self.draw(st.booleans()):
            ask = min(self.waiting)
            self.waiting.discard(ask)
            used = r.ToolUsed(generation, "mill__turn", Verdict.ASK, ask=ask)
            self.say(used)
            self.asks[ask] = self.asks[ask] or False
        elif isinstance(phase, Evaluating):
            ask = f"q{len(self.asks)}"
            self.asks[ask] = None
            self.waiting.add(ask)
            target = str(self.draw(st.sampled_from("ab")))
            judged = (Judged(Need("mcp", target, pattern=target), Verdict.ASK),)
            self.say(r.ToolAsked(generation, phase.current.cell, ask, "mill__turn", "{}", judged))

    def judged(self, effect: JudgeCall) -> Spoken:
        kind = self.draw(st.sampled_from(["allow"] * 3 + ["ask"] * 3 + ["unproven", "deny", "no"]))
        if kind == "no":
            return CallJudged(effect.call, problem="there is no such tool", keep=effect.keep)
        floor = Verdict.ASK if kind == "unproven" else Verdict.ALLOW
        need = Need("write", str(self.draw(st.sampled_from("ab"))), least=floor, pattern="a")
        verdict = {"allow": Verdict.ALLOW, "deny": Verdict.DENY}.get(str(kind), Verdict.ASK)
        kept = KEPT if effect.keep else None
        return CallJudged(effect.call, (Judged(need, verdict),), kept, keep=effect.keep)

    def of_model(self, effect: m.AskModel) -> Spoken:
        kind = self.draw(st.sampled_from(["answer"] * 4 + ["busy", "overflow", "rejected"]))
        if kind == "answer":
            written = self.draw(WRITTEN)
            return m.ModelAnswered(effect.request, written, StopReason.END, Usage(9))  # type: ignore[arg-type]  # pieces
        trouble = {
            "busy": m.Trouble.OVERLOADED,
            "overflow": m.Trouble.OVERFLOW,
            "rejected": m.Trouble.REJECTED,
        }[str(kind)]
        return m.ModelFailed(effect.request, trouble, "it failed")

    def some_block(self) -> BlockId:
        found = [
            fact.event.block for fact in self.script.facts if isinstance(fact.event, t.BlockSealed)
        ]
        return BlockId(str(self.draw(st.sampled_from(found))))

    def found(self, effect: m.FindBranch) -> Spoken:
        whole = segments_of(effect.line, effect.through)
        for fact in self.script.facts:
            old = fact.event
            if isinstance(old, t.BlockSealed) and old.block == effect.block:
                if not is_on(whole, old.block):
                    break
                prompt = effect.line.prompt
                return m.BranchFound(
                    effect.question,
                    old,
                    Line(up_to(whole, old.block), 1, old.block, prompt),
                    Line(before(whole, old.block), 1, old.parent, prompt),
                    behind(whole, old.block),
                )
        return m.BranchMissing(effect.question, "not there")


COMMANDS = (
    "send",
    "send by another",
    "withdraw",
    "cancel",
    "regenerate",
    "continue",
    "compact",
    "servers",
    "switch",
    "edit",
    "approve",
    "reject",
    "for the session",
    "rewind",
    "cell",
    "code asks",
    "code asks",
    "reset",
)


def command(world: World, kind: object) -> None:  # noqa: C901, PLR0912 - one table
    match kind:
        case "send":
            world.say(p.SendMessage("more"))
        case "send by another":
            world.say(p.SendMessage("mine"), BOT)
        case "withdraw":
            world.say(p.WithdrawMessage(MessageId(f"m{world.script.state.talk.messages}")))
        case "cancel":
            world.say(p.CancelTurn())
        case "regenerate":
            world.say(p.RegenerateTurn())
        case "continue":
            world.say(p.ContinueTurn())
        case "compact":
            world.say(p.CompactConversation())
        case "servers":
            world.say(p.SetServers(("docs",) if world.draw(st.booleans()) else None))
        case "switch" | "edit":
            if world.script.state.talk.line.leaf:
                block = world.some_block()
                rest = "keep" if world.draw(st.booleans()) else "cut"
                edit = p.EditMessage(block, "other", rest)  # type: ignore[arg-type]  # one of two
                world.say(p.SwitchBranch(block) if kind == "switch" else edit)
        case "approve" | "reject":
            asked = ApprovalId(f"a{world.script.state.talk.approvals}")
            answer = p.ApprovalAnswer.ONCE if kind == "approve" else p.ApprovalAnswer.REJECT
            world.say(p.AnswerApproval(asked, answer))
        case "for the session":
            world.say(for_session(world))
        case "rewind":
            world.say(p.RewindFiles("b8", preview=bool(world.draw(st.booleans()))))
        case "cell":
            world.say(c.RunCell("1", if_busy="queue"), BOT)
        case "code asks":
            world.code_asks()
        case _:
            world.say(c.HardResetSession())


def owed(world: World) -> None:
    """What must hold at every moment."""
    facts = world.script.facts
    events = [fact.event for fact in facts]
    running = None
    for event in events:
        if isinstance(event, t.TurnStarted):
            assert running is None, "two turns at once"
            running = event.turn
        if isinstance(event, t.TurnFinished):
            assert running == event.turn
            running = None
    calls = [
        event.content.call
        for event in events
        if isinstance(event, t.BlockSealed) and isinstance(event.content, ToolCallBlock)
    ]
    results = [
        event.content.call
        for event in events
        if isinstance(event, t.BlockSealed)
        and isinstance(event.content, ToolResultBlock)
        and event.replaces is None
    ]
    assert len(set(results)) == len(results), "two results of one call"
    assert set(results) <= set(calls)
    turn = world.script.state.talk.open
    waiting = {one.call for one in turn.calls if not one.is_done} if turn is not None else set()
    assert set(calls) - set(results) == waiting, "a call without a result, and nobody waits"
    assert len(set(world.run)) == len(world.run), "something was run twice"
    kept = {event.call for event in events if isinstance(event, FilesKept)}
    for event in events:
        if isinstance(event, t.ToolStarted) and event.name in {"write", "run_code"}:
            assert event.call in kept, "files were not kept before a change"
    for one in turn.approvals if turn is not None else ():
        if one.inside:
            assert set(one.calls) <= waiting, "a person is asked for a cell that has ended"
            assert world.asks[one.inside] is None, "a person is asked for what was answered"
    queued = [event.message for event in events if isinstance(event, t.MessageQueued)]
    gone = [
        event.message
        for event in events
        if isinstance(event, t.MessageDelivered | t.MessageWithdrawn)
    ]
    assert len(set(gone)) == len(gone), "a message came twice"
    assert set(queued) - set(gone) == {one.message for one in world.script.state.talk.queue}


def wire_owed(world: World) -> None:
    """What a provider and its cache are owed: acceptable requests, each a prefix of the next."""
    for _, messages in world.sent:
        assert messages, "nothing was asked"
        assert_acceptable(messages)
    for (epoch, earlier), (next_epoch, later) in zip(world.sent, world.sent[1:], strict=False):
        if epoch == next_epoch != -1:
            assert later[: len(earlier)] == earlier, "what was sent has changed"


@pytest.mark.promise(
    "DP-REC-01", "DP-REC-02", "DP-TURN-02", "DP-TOOL-04", "DP-WIRE-02", "DP-LOG-04"
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_nothing_is_lost_doubled_or_rewritten(data: st.DataObject) -> None:
    world = World(data.draw)
    world.say(p.SendMessage("hello"))
    go_on(world, data, (*COMMANDS, *["answer"] * 20, "again", "restart"), st.integers(5, 30))


ABOUT_CODE = (
    *["code asks"] * 4,
    *["approve", "reject", "for the session"] * 2,
    *["answer", "again", "restart"],
    *["cancel", "reset", "cell", "send"],
)


@pytest.mark.promise("DP-REC-01", "DP-TURN-02", "DP-TOOL-04")
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_code_that_asks_is_answered_once_and_never_forgotten(data: st.DataObject) -> None:
    """The same world, from the moment on at which an agent's cell runs."""
    world = World(data.draw)
    world.say(p.SendMessage("hello"))
    world.say(m.PrefixPrepared(TurnId("t1"), CHOICE, PREFIX, LIMITS))
    calls = (code("x"), call("write", "{}")) if data.draw(st.booleans()) else (code("x"),)
    world.say(m.ModelAnswered(RequestId("r1"), calls, StopReason.TOOLS, Usage(9)))
    world.open = [one for one in world.open if not isinstance(one, m.AskModel | m.PreparePrefix)]
    world.say(CallJudged(CallId("k1"), kept=KEPT))
    go_on(world, data, ABOUT_CODE, st.integers(3, 20))


def go_on(
    world: World, data: st.DataObject, kinds: tuple[str, ...], steps: st.SearchStrategy[int]
) -> None:
    """Have so many things of these kinds happen; after each of them nothing may be owed."""
    for _ in range(data.draw(steps)):
        kind = data.draw(st.sampled_from(kinds))
        if kind == "restart":
            world.restart()
        elif kind in {"answer", "again"} and world.open:
            place = data.draw(st.integers(0, len(world.open) - 1))
            effect = world.open[place] if kind == "again" else world.open.pop(place)
            report = world.answer(effect)
            if report is not None:
                world.say(report)
        else:
            command(world, kind)
        owed(world)
    wire_owed(world)
    finish(world)


def finish(world: World) -> None:
    """Left to itself, every turn comes to its end and nothing waits any more."""
    world.say(p.CancelTurn())
    for _ in range(400):
        if not world.open:
            break
        effect = world.open.pop(0)
        report = _plainly(world, effect)
        if report is not None:
            world.say(report)
        talk = world.script.state.talk
        if talk.open is not None and talk.open.approvals:
            world.say(p.AnswerApproval(talk.open.approvals[0].approval, p.ApprovalAnswer.ONCE))
        owed(world)
    assert world.script.state.talk.open is None
    assert world.script.state.talk.queue == ()
    assert not world.waiting, "code waits, and nobody will answer it"
    assert not world.script.state.talk.is_elsewhere
    wire_owed(world)


def _plainly(world: World, effect: fx.Effect) -> Spoken | None:
    """The same, but the model just answers."""
    if isinstance(effect, m.AskModel) and effect.purpose == "answer":
        return m.ModelAnswered(effect.request, (text("done"),), StopReason.END, Usage(9))
    if isinstance(effect, JudgeCall):
        return CallJudged(effect.call, kept=KEPT if effect.keep else None, keep=effect.keep)
    return world.answer(effect)


def for_session(world: World) -> p.AnswerApproval:
    """Whatever is asked last is allowed for long, if it can be."""
    turn = world.script.state.talk.open
    asked = turn.approvals[-1:] if turn is not None else ()
    name = asked[0].approval if asked else ApprovalId("a1")
    patterns = tuple(one.pattern for one in asked[0].offers) if asked else ()
    return p.AnswerApproval(name, p.ApprovalAnswer.SESSION, patterns=patterns)
