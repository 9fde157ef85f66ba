"""How a turn begins, goes from step to step, and ends."""

from typing import Final

from hearth.core.rules.compaction import is_due
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import (
    Conversation,
    OpenTurn,
    TurnPhase,
)
from hearth.core.rules.lines import is_on
from hearth.core.rules.tooling import COMPACT, Compact, parse
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    Block,
    ErrorBlock,
    NoticeBlock,
    NoticeKind,
    Role,
    TextBlock,
)
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import BlockId, InputId, MessageId, RequestId, TurnId, block_id
from hearth.core.vocabulary.lines import ModelChoice, Purpose, TurnLimits
from hearth.core.vocabulary.origin import SYSTEM, Origin

LONGEST_FOCUS: Final = 4000
"""Of what a summary should dwell on, as for whoever asks for one from outside."""
TOO_MANY_STEPS: Final = "it took {steps} steps, as many as it may; send a message to go on"


def opened(then: Consequences) -> OpenTurn:
    """The turn that runs; there must be one."""
    turn = then.state.talk.open
    if turn is None:
        raise AssertionError("no turn runs")
    return turn


def begin_turn(then: Consequences, cause: InputId, origin: Origin, *, model: str = "") -> None:
    """Open a turn on behalf of someone. What waits for the agent is part of it from the start."""
    then.happen_for(t.TurnStarted(_next_turn(then), model), cause, origin)
    deliver(then)


def begin_summary(then: Consequences, cause: InputId, origin: Origin, focus: str) -> None:
    """Open a turn that only makes the conversation shorter. What waits goes on waiting."""
    started = t.TurnStarted(_next_turn(then), purpose="summary", focus=focus)
    then.happen_for(started, cause, origin)


def _next_turn(then: Consequences) -> TurnId:
    return TurnId(f"t{then.state.talk.turns + 1}")


def wait_for_agent(then: Consequences, text: Text, model: str = "") -> None:
    """Someone says something, which the agent hears at its next step or begins a turn with."""
    message = MessageId(f"m{then.state.talk.messages + 1}")
    then.happen(t.MessageQueued(message, text, model))


def deliver(then: Consequences) -> None:
    """Give the agent what waits for it, each as a message of its own."""
    for waiting in then.state.talk.queue:
        block = seal(then, Role.USER, TextBlock(waiting.text), origin=waiting.origin)
        delivered = t.MessageDelivered(waiting.message, opened(then).turn, block)
        then.happen_for(delivered, waiting.cause, waiting.origin)


def seal(
    then: Consequences,
    role: Role,
    content: Block,
    *,
    origin: Origin | None = None,
    partial: bool = False,
) -> BlockId:
    """Add a block of the turn that runs, in the name of its agent if of nobody else."""
    talk, turn = then.state.talk, opened(then)
    block = block_id(then.state.version + 1)
    sealed = t.BlockSealed(
        block=block,
        turn=turn.turn,
        step=turn.step if role in {Role.ASSISTANT, Role.TOOL} else 0,
        role=role,
        content=content,
        parent=talk.line.leaf,
        partial=partial,
    )
    then.happen_for(sealed, turn.cause, origin or talk.agent)
    return block


def say(then: Consequences, text: Text, origin: Origin) -> None:
    """Someone says something in the turn that runs."""
    seal(then, Role.USER, TextBlock(text), origin=origin)


def notice(then: Consequences, kind: NoticeKind, text: str) -> None:
    """Tell people something, where they read along; models are not told."""
    seal(then, Role.SYSTEM, NoticeBlock(kind, text), origin=SYSTEM)


def prepare(then: Consequences) -> None:
    """Find the model, the instructions and the tools for the turn that runs."""
    then.do(preparing(then.state.talk, then.state.config or SessionConfig()))


def preparing(talk: Conversation, config: SessionConfig) -> m.PreparePrefix:
    """The effect that a turn needs before it can ask."""
    turn = talk.open
    if turn is None:
        raise AssertionError("no turn runs")
    return m.PreparePrefix(
        turn=turn.turn,
        config=config,
        model=turn.model or talk.model,
        effort=talk.effort,
        with_names=is_on(talk.line.segments, talk.summary),
    )


def go_on(then: Consequences) -> None:
    """Take the next step, if everything that it needs is there."""
    talk, turn = then.state.talk, opened(then)
    if turn.steps >= talk.limits.max_steps:
        text = TOO_MANY_STEPS.format(steps=turn.steps)
        notice(then, NoticeKind.LIMIT, text)
        finish(then, t.TurnEnd.LIMIT, text)
        return
    deliver(then)
    if _needs_prefix(talk, turn):
        prepare(then)
    else:
        ask(then)


def _needs_prefix(talk: Conversation, turn: OpenTurn) -> bool:
    """Whether the model or what stands before all messages is no longer the same."""
    if talk.renew or talk.choice is None:
        return True
    if turn.model:
        return False  # asked for, for this turn
    names = {talk.choice.name, talk.choice.model}
    other_effort = talk.effort is not None and talk.effort is not talk.choice.effort
    return (bool(talk.model) and talk.model not in names) or other_effort


def ask(then: Consequences) -> None:
    """Ask the model for the next step; make the conversation shorter first if it must be."""
    talk, turn = then.state.talk, opened(then)
    if talk.choice is None:
        raise AssertionError("no model was chosen")
    # What was said first is asked as it is, however long.
    due = talk.requests and is_due(talk.tokens, talk.fresh_chars, talk.choice, talk.limits)
    if turn.wants_shorter:
        start_compaction(then, "the agent asked for it", _focus(turn))
    elif due and turn.shorter_at != turn.steps:
        start_compaction(then, "the model's window is almost full")
    else:
        _ask(then, turn.steps, 1, "answer")


def _focus(turn: OpenTurn) -> str:
    """What the agent said that the summary should dwell on, where it asked for one."""
    for call in turn.calls:
        if call.name == COMPACT and call.is_started and isinstance(call.arguments, str):
            wanted = parse(COMPACT, call.arguments)
            return wanted.focus[:LONGEST_FOCUS] if isinstance(wanted, Compact) else ""
    return ""


def ask_again(then: Consequences) -> None:
    """The next attempt at what was asked before."""
    turn = opened(then)
    if turn.phase is TurnPhase.COMPACTING:
        _ask(then, turn.step, turn.attempt + 1, "summary")
    else:
        _ask(then, turn.step, turn.attempt + 1, "answer")


def start_compaction(then: Consequences, reason: str, focus: str = "") -> None:
    """Have a summary made; the turn goes on behind it."""
    turn = opened(then)
    happen(then, t.CompactionStarted(turn.turn, reason, focus))
    _ask(then, turn.step, 1, "summary")


def _ask(then: Consequences, step: int, attempt: int, purpose: Purpose) -> None:
    talk, turn = then.state.talk, opened(then)
    request = RequestId(f"r{talk.requests + 1}")
    happen(then, t.ModelAsked(request, turn.turn, step, attempt, purpose))
    then.do(asking(then.state.talk, then.state.version))


def asking(talk: Conversation, through: int) -> m.AskModel:
    """The effect of the request that is open."""
    turn = talk.open
    if turn is None or talk.choice is None or turn.request is None:
        raise AssertionError("nothing is asked")
    is_summary = turn.phase is TurnPhase.COMPACTING
    return m.AskModel(
        request=turn.request,
        turn=turn.turn,
        step=turn.step,
        choice=talk.choice,
        prefix=talk.prefix,
        line=talk.line,
        through=through,
        purpose="summary" if is_summary else "answer",
        keep_recent_tokens=_kept(talk.limits, talk.choice) if is_summary else 0,
        focus=turn.focus if is_summary else "",
    )


def _kept(limits: TurnLimits, choice: ModelChoice) -> int:
    """What stays as it is behind a summary; in a small window not nearly all of it."""
    return min(limits.keep_recent_tokens, choice.window // 4)


def happen(then: Consequences, event: t.TurnEvent) -> None:
    """An event of the turn that runs, in the name of its agent."""
    then.happen_for(event, opened(then).cause, then.state.talk.agent)


def fail(then: Consequences, message: str, status: int | None = None) -> None:
    """End the turn with an error; the conversation can be gone on with."""
    seal(then, Role.SYSTEM, ErrorBlock(message, status), origin=SYSTEM)
    finish(then, t.TurnEnd.FAILED, message)


def finish(then: Consequences, end: t.TurnEnd, why: str = "", *, go_on_after: bool = True) -> None:
    """End the turn. What still waits for the agent begins the next one."""
    turn = opened(then)
    finished = t.TurnFinished(turn.turn, end, turn.steps, turn.usage, why)
    then.happen_for(finished, turn.cause, turn.origin)
    if go_on_after:
        begin_with_queue(then)


def begin_with_queue(then: Consequences) -> None:
    """Begin a turn with what waits, if anything does and nothing stands in its way."""
    talk = then.state.talk
    is_free = talk.open is None and not talk.is_elsewhere and not then.state.stopped
    # What waits was said to what is being taken back: it waits for whoever speaks next.
    is_free = is_free and not then.state.undo.is_going_back
    if talk.queue and is_free:
        first = talk.queue[0]
        begin_turn(then, first.cause, first.origin, model=first.model)
        prepare(then)
