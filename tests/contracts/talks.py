"""Conversations as scripts: words that bring a turn from phase to phase, and what it is owed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tests.contracts.given import READY, Script, Spoken

from hearth.core.rules.conversation import Composer
from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.lines import segments_of
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Block, StopReason, Usage
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CallId, RequestId, SessionId, TurnId
from hearth.core.vocabulary.lines import Dialect, Line, ModelChoice, Prefix, TurnLimits
from hearth.core.vocabulary.messages import AssistantMessage, Called, Message, ToolMessage
from hearth.core.vocabulary.origin import Actor, Origin

CHOICE: Final = ModelChoice("anthropic", "claude-test", Dialect.ANTHROPIC, 200_000, 8_000)
AGENT: Final = Origin(Actor.AGENT, "anthropic:claude-test")
PREFIX: Final = Prefix("Be good.", "[]", ("inspect", "check_code", "look"), "d1")
LIMITS: Final = TurnLimits()
SPENT: Final = Usage(10, 20, 30, 40)

HELLO: Final = p.SendMessage("hello")


def prepared(
    turn: int = 1,
    *,
    choice: ModelChoice = CHOICE,
    prefix: Prefix = PREFIX,
    limits: TurnLimits = LIMITS,
    warnings: tuple[str, ...] = (),
) -> m.PrefixPrepared:
    """The turn knows its model."""
    return m.PrefixPrepared(TurnId(f"t{turn}"), choice, prefix, limits, warnings)


def text(said: str) -> m.Written:
    """A piece of text."""
    return m.Written(said)


def thought(said: str, native: str = "{}") -> m.Written:
    """A piece of thinking."""
    return m.Written(said, thinking=True, native=native)


def call(name: str, arguments: str = "{}", wire_id: str = "") -> m.Written:
    """A call."""
    return m.Written(arguments, name=name, wire_id=wire_id)


def code(source: str, wire_id: str = "") -> m.Written:
    """A call of run_code; the source has no quotes."""
    return call("run_code", f'{{"code":"{source}"}}', wire_id)


def answered(
    request: int, *written: m.Written, stop: StopReason = StopReason.END, usage: Usage = SPENT
) -> m.ModelAnswered:
    """The model's answer; with calls it stopped for them."""
    calls = any(one.name for one in written)
    return m.ModelAnswered(
        RequestId(f"r{request}"), written, StopReason.TOOLS if calls else stop, usage
    )


def failed(request: int, trouble: m.Trouble = m.Trouble.OVERLOADED) -> m.ModelFailed:
    """The model did not answer."""
    return m.ModelFailed(RequestId(f"r{request}"), trouble, "it failed", 529)


def due(request: int) -> m.AskDue:
    """The pause is over."""
    return m.AskDue(RequestId(f"r{request}"))


def returned(number: int, said: str = "done") -> m.ToolReturned:
    """A tool came to its end."""
    return m.ToolReturned(CallId(f"k{number}"), said)


PREPARING: Final = (*READY, HELLO)
ASKING: Final = (*PREPARING, prepared())
CALLING: Final = (*ASKING, answered(1, call("look", '{"at":1}')))
RETRYING: Final = (*ASKING, failed(1))
SAME: Final = call("look", '{"at":1}')
WAITING: Final = (
    *ASKING,
    answered(1, SAME),
    returned(1),
    answered(2, SAME),
    returned(2),
    answered(3, SAME),
)
IDLE: Final = (*ASKING, answered(1, text("hello to you")))
COMPACTING: Final = (*IDLE, p.CompactConversation(), prepared(2))
STOPPING: Final = (*ASKING, p.CancelTurn())

TALK_WAYS: Final[Mapping[TurnPhase, tuple[Spoken, ...]]] = {
    TurnPhase.IDLE: IDLE,
    TurnPhase.PREPARING: PREPARING,
    TurnPhase.ASKING: ASKING,
    TurnPhase.CALLING: CALLING,
    TurnPhase.RETRYING: RETRYING,
    TurnPhase.WAITING: WAITING,
    TurnPhase.COMPACTING: COMPACTING,
    TurnPhase.STOPPING: STOPPING,
}
"""A way into each phase of a turn."""


def events(facts: Iterable[Fact], *kinds: type[t.TurnEvent]) -> list[t.TurnEvent]:
    """The events of these kinds, in order."""
    return [fact.event for fact in facts if isinstance(fact.event, kinds)]


def sealed(facts: Iterable[Fact]) -> list[Block]:
    """What was sealed, in order."""
    return [fact.event.content for fact in facts if isinstance(fact.event, t.BlockSealed)]


def names(facts: Iterable[Fact]) -> list[str]:
    """What happened, by name."""
    return [type(fact.event).__name__ for fact in facts]


def messages_on(
    script: Script, line: Line | None = None, through: int | None = None
) -> list[Message]:
    """What a model is sent of this conversation."""
    return composed(script.facts, line or script.state.talk.line, through or script.state.version)


def composed(facts: Sequence[Fact], line: Line, through: int) -> list[Message]:
    """The messages of a line of one session's own blocks."""
    composer = Composer()
    for segment in segments_of(line, through):
        for fact in facts[segment.first - 1 : segment.last]:
            if isinstance(fact.event, t.BlockSealed | t.ConversationCompacted):
                composer.take(fact.event, SessionId(""))
    return [*composer.closed(), *composer.messages()]


def assert_acceptable(messages: Sequence[Message]) -> None:
    """What every provider asks of a conversation: each call has its result directly behind it."""
    seen: set[str] = set()
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            calls = [part.wire_id for part in message.parts if isinstance(part, Called)]
            assert len(set(calls)) == len(calls)
            assert not seen & set(calls)
            seen |= set(calls)
            after = messages[place + 1] if place + 1 < len(messages) else None
            results = (
                [one.wire_id for one in after.results] if isinstance(after, ToolMessage) else []
            )
            assert results == calls
        elif isinstance(message, ToolMessage):
            assert place > 0
            assert isinstance(messages[place - 1], AssistantMessage)
