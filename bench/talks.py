"""Long conversations to measure on: what the rules make of a session that is spoken with for days.

Everything is decided by the rules themselves; only models and tools are pretended.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from bench.agents import NOTHING
from bench.histories import ANNA, NOON, write_facts

from hearth.core.rules.session import SessionState, decide
from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.commands import Command, CreateSession, SessionConfig, SessionMode
from hearth.core.vocabulary.effects import Effect, StartWorker
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import BlockId, InputId, SessionId
from hearth.core.vocabulary.inputs import Asked, Input, Told
from hearth.core.vocabulary.judging import CallJudged, JudgeCall
from hearth.core.vocabulary.lines import Dialect, ModelChoice, Prefix, TurnLimits
from hearth.core.vocabulary.modelling import (
    AskModel,
    ModelAnswered,
    PrefixPrepared,
    PreparePrefix,
    RunTool,
    SummaryMade,
    ToolReturned,
    Written,
)
from hearth.core.vocabulary.prompting import CompactConversation, SendMessage
from hearth.core.vocabulary.refusals import Refusal
from hearth.core.vocabulary.reports import Report, WorkerReady
from hearth.core.vocabulary.turns import BlockSealed, TurnFinished

STEPS: Final = 16
"""Steps of a turn."""
PER_TURN: Final = 2 + 3 * STEPS
"""Blocks of a turn: prompt and last words, and text, call and result of each step."""
TURNS: Final = 8
"""So many turns until what was said is summed up."""
CHOICE: Final = ModelChoice("anthropic", "claude-opus-4-5", Dialect.ANTHROPIC, 200_000, 64_000)
RESULT: Final = "a result of a usual length, " * 10


class Talk:
    """One conversation, as its log has it."""

    def __init__(self, session: SessionId, directory: Path) -> None:
        self._blocks = 0
        self._state = SessionState(session)
        self._directory = directory
        self._inputs = 0
        self._called = 0
        self._left = 0
        """Steps until the turn that runs is over."""

    def facts(self, blocks: int) -> Iterator[Fact]:
        """Its events until so many blocks are said, the last turn behind a summary of all else."""
        config = SessionConfig(directory=str(self._directory), mode=SessionMode.BARE)
        yield from self._asked(CreateSession(config))
        turns = 0
        while self._blocks < blocks:
            is_last = blocks - self._blocks <= PER_TURN
            if turns and (is_last or not turns % TURNS):
                yield from self._asked(CompactConversation())
            yield from self._turn()
            turns += 1

    def _turn(self) -> Iterator[Fact]:
        self._left = STEPS
        yield from self._asked(SendMessage("Go on with the next part, please."))

    def _asked(self, command: Command) -> Iterator[Fact]:
        """All that a command leads to, once everybody has answered."""
        waiting: list[Input] = [Asked(self._fresh(), self._now(), ANNA, command)]
        while waiting:
            decision = decide(self._state, waiting.pop(0))
            if isinstance(decision, Refusal):
                raise TypeError(f"{command} was refused: {decision.why}")
            self._state = decision.state
            for fact in decision.facts:
                self._blocks += isinstance(fact.event, BlockSealed)
                if isinstance(fact.event, TurnFinished) and fact.event.end != "done":
                    raise TypeError(f"a turn ended so: {fact.event}")
                yield fact
            waiting += [
                Told(self._fresh(), self._now(), report)
                for effect in decision.effects
                if (report := self._answer(effect)) is not None
            ]

    def _answer(self, effect: Effect) -> Report | None:
        """What whoever carries it out would report."""
        match effect:
            case StartWorker(generation=generation):
                return WorkerReady(generation, 0.5)
            case PreparePrefix(turn=turn):
                prefix = Prefix("You are an agent.", "[]", digest="first")
                return PrefixPrepared(turn, CHOICE, prefix, TurnLimits(max_steps=1000))
            case AskModel():
                return self._said(effect)
            case JudgeCall(call=call, keep=keep):
                return CallJudged(call, keep=keep)
            case RunTool(call=call):
                return ToolReturned(call, RESULT)
            case _:
                return None

    def _said(self, effect: AskModel) -> Report:
        if effect.purpose == "summary":
            return SummaryMade(effect.request, "What was said so far. " * 50, BlockId(""))
        written = self._written()
        stop = StopReason.TOOLS if written[-1].name else StopReason.END
        return ModelAnswered(effect.request, written, stop, Usage(output=20))

    def _written(self) -> tuple[Written, ...]:
        if not self._left:
            return (Written("That is done."),)
        self._left -= 1
        self._called += 1
        arguments = f'{{"number":{self._called}}}'
        wire_id = f"toolu_old{self._called}"
        return Written("I look at it."), Written(arguments, name=NOTHING, wire_id=wire_id)

    def _fresh(self) -> InputId:
        self._inputs += 1
        return InputId(f"{self._state.session}-{self._inputs:08d}")

    def _now(self) -> datetime:
        return NOON + timedelta(seconds=self._inputs)


def write_talk(path: Path, session: SessionId, directory: Path, blocks: int) -> None:
    """Put a conversation of so many blocks, or a few more, into the file."""
    write_facts(path, session, Talk(session, directory).facts(blocks))
