"""Conversations by the real rules, played in one thread: a script whose performers answer at once.

    talk = Talk().says("hello").answers("hi").says("and?").answers(call("run_code", code="1"))

What is asked of the log is answered from what was decided; what a model answers, the test says.
"""

from collections.abc import Generator, Sequence
from typing import Final, TypeVar

import msgspec
from tests.contracts.given import CONFIG, READY, SESSION, Said, Script, Spoken, in_place

from hearth.core.rules.session import SessionState
from hearth.core.views.conversation import WINDOW, Conversation
from hearth.core.views.looking_back import Page, newest
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import StopReason, Usage, WireNote
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.commands import CreateSession, ForkPoint
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.lines import Dialect, ModelChoice, Prefix, TurnLimits
from hearth.performers.branches import found_by

CHOICE: Final = ModelChoice("anthropic", "claude-sonnet-4-5", Dialect.ANTHROPIC, 200_000, 8_000)
_T = TypeVar("_T")


def text(said: str) -> m.Written:
    """A piece of an answer that is text."""
    return m.Written(said)


def thinking(said: str, native: str = "") -> m.Written:
    """A piece of an answer that is thinking."""
    return m.Written(said, thinking=True, native=native)


def call(name: str, **arguments: object) -> m.Written:
    """A piece of an answer that calls a tool."""
    written = msgspec.json.encode(arguments).decode()
    return m.Written(written, name=name, wire_id=f"wire-{name}")


class World:
    """The logs of sessions that know each other."""

    def __init__(self) -> None:
        self.talks: dict[SessionId, Talk] = {}

    def rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        """What a log answers."""
        talk = self.talks.get(session)
        return talk.rows()[max(0, after) : max(0, after) + limit] if talk is not None else ()

    def driven(self, looking: Generator[Page, Sequence[Stored], _T]) -> _T:
        """What a search comes to."""
        try:
            page = next(looking)
            while True:
                page = looking.send(self.rows(*page))
        except StopIteration as found:
            value: _T = found.value
            return value


class Talk(Script):
    """A session with an agent."""

    def __init__(
        self,
        session: SessionId = SESSION,
        world: World | None = None,
        forked_from: ForkPoint | None = None,
    ) -> None:
        super().__init__(session)
        self.world = world or World()
        self.world.talks[session] = self
        self.choice = CHOICE
        self.system = "be good"
        self._done = 0
        self._rows: list[Stored] = []
        config = msgspec.structs.replace(CONFIG, forked_from=forked_from)
        self.goes(CreateSession(config), *READY[1:])

    def goes(self, *words: Spoken | Said) -> "Talk":
        """Go on with these words, and with what performers bring back at once."""
        for word in words:
            self.happened(word)
            at = word.at if isinstance(word, Said) else None
            while self._done < len(self.effects):
                effect = self.effects[self._done]
                self._done += 1
                if (report := self._performed(effect)) is not None:
                    self.happened(Said(report, at=at))
        return self

    def says(self, said: str, model: str = "") -> "Talk":
        """A person says something."""
        return self.goes(p.SendMessage(said, model))

    def answers(
        self, *written: m.Written | str, usage: Usage | None = None, wire: WireNote | None = None
    ) -> "Talk":
        """The model answers what it was last asked."""
        pieces = tuple(text(one) if isinstance(one, str) else one for one in written)
        stop = StopReason.TOOLS if any(one.name for one in pieces) else StopReason.END
        counted = usage or Usage(10, 90, 20, 5)
        answer = m.ModelAnswered(self.asked.request, pieces, stop, counted, wire or WireNote())
        return self.goes(answer)

    def returns(self, result: str = "42", *, is_error: bool = False) -> "Talk":
        """The oldest tool that runs comes to its end."""
        runs = self.state.talk.open
        assert runs is not None
        one = next(each for each in runs.calls if each.is_started and not each.is_done)
        if one.cell is None:
            return self.goes(m.ToolReturned(one.call, result, is_error))
        ended = r.CellEnded(self.state.generation, one.cell, r.Succeeded(result, "int"), 0.1)
        return self.goes(ended)

    def sums_up(self, summary: str, keeps: str = "") -> "Talk":
        """The model answers with a summary."""
        made = m.SummaryMade(self.asked.request, summary, BlockId(keeps), Usage(output=7))
        return self.goes(made)

    @property
    def asked(self) -> m.AskModel:
        """The newest request."""
        return next(one for one in reversed(self.effects) if isinstance(one, m.AskModel))

    def rows(self) -> list[Stored]:
        """The log of this session."""
        for place in range(len(self._rows), len(self.facts)):
            data = encode(self.facts[place])
            self._rows.append(Stored(11 + place, self.state.session, place + 1, data))
        return self._rows

    def envelopes(self) -> list[Envelope]:
        """The log as a reader finds it."""
        return in_place(self.facts, self.state.session)

    def blocks(self) -> list[t.BlockSealed]:
        """All blocks in the order of the log."""
        return [one.event for one in self.facts if isinstance(one.event, t.BlockSealed)]

    def block(self, said: str) -> BlockId:
        """The newest block that says this."""
        found = (one.block for one in reversed(self.blocks()) if said in repr(one.content))
        return next(found)

    def folded(self) -> SessionFold:
        """What an engine keeps of the session."""
        return folded(self)

    def loaded(self, window: int = WINDOW) -> Conversation:
        """The conversation as it is loaded from the log."""
        talk, session = self.folded().talk, self.state.session
        found = self.world.driven(newest(session, talk.shown, self.state.version, window))
        return Conversation(
            talk,
            found.rows,
            older=found.older,
            calls=found.calls,
            compactions=found.compactions,
            version=talk.version,
        )

    def _performed(self, effect: Effect) -> r.Report | None:
        match effect:
            case m.PreparePrefix():
                digest = f"{self.system}{self.choice.name}"
                prefix = Prefix(self.system, "[]", digest=digest)
                return m.PrefixPrepared(effect.turn, self.choice, prefix, TurnLimits())
            case m.FindBranch():
                return self.world.driven(found_by(self.state.session, effect))
            case m.StopAsking():
                return m.ModelStopped(effect.request, (text("so far"),))
            case _:
                return None


def folded(script: Script) -> SessionFold:
    """What an engine keeps of a session."""
    kept = SessionFold(SessionState(script.state.session))
    for fact in script.facts:
        kept = fold(kept, fact)
    return kept
