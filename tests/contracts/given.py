"""Tests of the rules as scripts: given what happened, when something comes, then this follows.

    given(CreateSession(), WorkerReady(1, 0.2)).when(RunCell("1")).then(CellStarted(...), ...)

Time and ids are fixed: the n-th word said has the id `i<n>` and comes n seconds after NOON, unless
`at` (seconds after NOON) says otherwise. Every decision is also held to what all decisions owe.

Calls of tools need nobody's permission here and are judged at once, as part of what they follow
from; with `judging=False` a test says itself what the rules say.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias, get_args

import msgspec
from tests.contracts import facts

from hearth.core.rules.session import Decision, SessionState, decide, evolve
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import origin
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import decode_fact, encode
from hearth.core.vocabulary.commands import (
    Command,
    CreateSession,
    RunCell,
    SessionConfig,
    StopSession,
)
from hearth.core.vocabulary.effects import AnswerToolInWorker, Effect, RevertWorker
from hearth.core.vocabulary.envelope import Envelope, Fact
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import InputId, SessionId, event_id
from hearth.core.vocabulary.inputs import Asked, Input, Told
from hearth.core.vocabulary.judging import CallJudged, JudgeCall
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.core.vocabulary.reports import Report

SESSION: Final = SessionId("session-a1b2c3")
NOON: Final = facts.NOON
ANNA: Final = facts.ANNA
SYSTEM: Final = origin.SYSTEM
BOT: Final = Origin(Actor.AGENT, "bot", Door.MCP)
CONFIG: Final = SessionConfig(directory="/home/anna/loom", projects=("loom",))

Spoken: TypeAlias = Command | Report | Event


class Said(NamedTuple):
    """A word with who said it and when (seconds after NOON); None: the next second."""

    word: Spoken
    by: Origin = ANNA
    at: float | None = None
    id: str = ""


def said(word: Spoken, *, by: Origin = ANNA, at: float | None = None, id_: str = "") -> Said:
    """A word that is not anna's, or does not come in the next second, or has an id of its own."""
    return Said(word, by, at, id_)


def after(seconds: float) -> datetime:
    """The time so many seconds after NOON."""
    return NOON + timedelta(seconds=seconds)


class Script:
    """A session so far. Words are added in place; use a script in one test only."""

    def __init__(self, session: SessionId = SESSION, *, judging: bool = True) -> None:
        self._judging = judging
        self.state = SessionState(session)
        self.facts: list[Fact] = []
        self.effects: list[Effect] = []
        self._count = 0

    def happened(self, *words: Spoken | Said) -> "Script":
        """Go on with what is taken for granted: a refused command is a mistake of the test."""
        for word in words:
            one = word if isinstance(word, Said) else Said(word)
            if isinstance(one.word, get_args(Event)):
                self._store(one)
                continue
            outcome = self._say(one)
            assert isinstance(outcome.decision, Decision), f"{one.word} was {outcome.decision}"
        return self

    def when(self, word: Spoken, *, at: float | None = None, by: Origin = ANNA) -> "Outcome":
        """What follows from this command or report."""
        return self._say(Said(word, by, at))

    def envelopes(self) -> list[Envelope]:
        """The log as a reader finds it, alone in its store."""
        return in_place(self.facts, self.state.session)

    def _say(self, one: Said) -> "Outcome":
        before, cause = self.state, self._input(one)
        decision = decide(before, cause)
        if isinstance(decision, Decision):
            assert_owed(before, cause, decision)
            self.state = decision.state
            self.facts += decision.facts
            self.effects += decision.effects
            if self._judging:
                decision = self._judged(decision, cause)
        return Outcome(self, cause, decision)

    def _judged(self, decision: Decision, cause: Input) -> Decision:
        """The decision with what follows once its calls may be run, as one."""
        place = 0
        while place < len(decision.effects):
            effect = decision.effects[place]
            if not isinstance(effect, JudgeCall):
                place += 1
                continue
            told = Told(InputId(f"{cause.id}.{effect.call}"), cause.at, CallJudged(effect.call))
            before, follows = self.state, decide(self.state, told)
            assert isinstance(follows, Decision)
            assert_owed(before, told, follows)
            self.state = follows.state
            self.facts += follows.facts
            self.effects.remove(effect)
            self.effects += follows.effects
            decision = Decision(
                follows.state,
                (*decision.facts, *follows.facts),
                (*decision.effects[:place], *follows.effects, *decision.effects[place + 1 :]),
                decision.warning,
            )
        return decision

    def _store(self, one: Said) -> None:
        name, time = self._next(one)
        assert isinstance(one.word, get_args(Event))
        fact = Fact(id=event_id(name, 0), at=time, origin=one.by, cause=name, event=one.word)
        self.state = evolve(self.state, fact)
        self.facts.append(fact)

    def _input(self, one: Said) -> Input:
        name, time = self._next(one)
        if isinstance(one.word, get_args(Report)):
            return Told(name, time, one.word)
        assert isinstance(one.word, get_args(Command)), one.word
        return Asked(name, time, one.by, one.word)

    def _next(self, one: Said) -> tuple[InputId, datetime]:
        self._count += 1
        time = after(self._count if one.at is None else one.at)
        return InputId(one.id or f"i{self._count}"), time


class Outcome:
    """What one input led to, to be compared as a whole: nothing may be left over."""

    def __init__(self, script: Script, cause: Input, decision: Decision | Refusal) -> None:
        self.script = script
        self.cause = cause
        self.decision = decision

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts it led to; none for a refusal."""
        return self.decision.facts if isinstance(self.decision, Decision) else ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects it led to; none for a refusal."""
        return self.decision.effects if isinstance(self.decision, Decision) else ()

    def then(
        self, *events: Event, effects: tuple[Effect, ...] = (), warning: str = ""
    ) -> "Outcome":
        """Exactly these events in this order, these effects in this order, this warning."""
        assert isinstance(self.decision, Decision), self.decision
        assert tuple(fact.event for fact in self.facts) == events
        assert self.decision.effects == effects
        assert self.decision.warning == warning
        return self

    def ignored(self) -> "Outcome":
        """Nothing follows, and nothing changed."""
        return self.then()

    def refused(self, kind: type[Refused], **fields: object) -> Refusal:
        """A refusal of exactly this kind, with these fields among others."""
        assert type(self.decision) is kind, self.decision
        for name, value in fields.items():
            assert getattr(self.decision, name) == value, name
        assert self.decision.why
        assert self.decision.remedy
        return self.decision

    def owed_to(self, *behalves: tuple[str, Origin]) -> "Outcome":
        """On whose behalf each of the events happened: its cause and its origin."""
        assert tuple((fact.cause, fact.origin) for fact in self.facts) == behalves
        return self


def given(*words: Spoken | Said, session: SessionId = SESSION, judging: bool = True) -> Script:
    """A session to which this happened: commands and reports are decided, events are stored."""
    return Script(session, judging=judging).happened(*words)


def in_place(facts: Iterable[Fact], session: SessionId = SESSION) -> list[Envelope]:
    """Facts with their places, as if the log had nothing else in it."""
    return [
        Envelope(
            seq=10 + place,
            session=session,
            version=place,
            id=fact.id,
            at=fact.at,
            origin=fact.origin,
            cause=fact.cause,
            event=fact.event,
            fingerprint=fact.fingerprint,
        )
        for place, fact in enumerate(facts, start=1)
    ]


def assert_owed(before: SessionState, cause: Input, decision: Decision) -> None:
    """What every decision owes, whatever it is about."""
    folded = before
    for place, fact in enumerate(decision.facts):
        assert fact.id == event_id(cause.id, place)
        assert fact.at == cause.at
        assert decode_fact(encode(fact)) == fact
        folded = evolve(folded, fact)
    assert folded == decision.state
    assert decision.state.version == before.version + len(decision.facts)
    # What is to be judged, or taken back, is a function of the state: it is judged or asked for
    # again after a crash. Code that waits for an answer has heard of the crash by itself.
    passing = JudgeCall | AnswerToolInWorker | RevertWorker
    lasting = [one for one in decision.effects if not isinstance(one, passing)]
    assert decision.facts or not lasting, "an effect without an event: lost in a crash"
    turns = [place for place, f in enumerate(decision.facts) if is_turn(f)]
    if before.phase_name is decision.state.phase_name:
        assert turns == []
        return
    assert turns == [len(decision.facts) - 1]
    last = decision.facts[-1]
    author = cause.origin if isinstance(cause, Asked) else SYSTEM
    word = cause.command if isinstance(cause, Asked) else cause.report
    assert last.event == e.StateTransitioned(
        before.phase_name, decision.state.phase_name, str(word.__struct_config__.tag)
    )
    assert (last.cause, last.origin) == (cause.id, author)


def is_turn(fact: Fact) -> bool:
    """Whether it records a change of state."""
    return isinstance(fact.event, e.StateTransitioned)


def turned(before: PhaseName, to: PhaseName, reason: str) -> e.StateTransitioned:
    """The event that closes a batch in which the state changed."""
    return e.StateTransitioned(before=before, after=to, reason=reason)


CREATED: Final = (CreateSession(CONFIG),)
READY: Final = (*CREATED, r.WorkerReady(1, 0.2))
RUNNING: Final = (*READY, RunCell("x = 1"))
LOST: Final = (*READY, r.WorkerLost(1, r.Exit.CLEAN, "it left"))
"""Faulted, and nobody will restart it."""
STOPPED: Final = (*READY, StopSession())

WAYS: Final[Mapping[PhaseName, tuple[Spoken, ...]]] = {
    PhaseName.UNINITIALIZED: STOPPED,
    PhaseName.WARMING_UP: CREATED,
    PhaseName.READY: READY,
    PhaseName.EVALUATING: RUNNING,
    PhaseName.FAULTED: LOST,
}
"""A way into each of the five states; the last word is the fourth at most."""


def comes_back(value: msgspec.Struct) -> bool:
    """Whether a structure survives being written as JSON and read again."""
    return bool(msgspec.json.decode(encode(value), type=type(value)) == value)
