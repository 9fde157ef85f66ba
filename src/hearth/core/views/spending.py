"""What is counted of a session's requests: sums, and the newest steps one by one.

It does not grow with the conversation: sums are numbers, and of steps, turns and models the newest
few are kept.
"""

from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from hearth.core.rules.pricing import cost
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Usage as Tokens
from hearth.core.vocabulary.blocks import WireNote
from hearth.core.vocabulary.envelope import Envelope, Fact
from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.wire import Part

MOST_STEPS: Final = 50
MOST_TURNS: Final = 30
MOST_MODELS: Final = 16
EXPIRY: Final = timedelta(minutes=5)
"""So long providers keep what they cached after it was last read."""
LEAST_CACHED: Final = 1024
GRAIN: Final = 128
"""Where writing the cache is not counted, it happens in pieces of so many tokens, from 1024 on."""


class Spent(Part, frozen=True):
    """The sums of some requests."""

    requests: int = 0
    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cost: float = 0.0
    """In US dollars, of the requests whose price is known."""
    unpriced: int = 0
    """Requests to models whose price is not known."""


class Miss(Part, frozen=True):
    """A request that read less from the provider's cache than the one before it left there."""

    turn: TurnId
    step: int
    expected: int
    """Tokens."""
    read: int
    differs_at: str
    """What was sent otherwise: `tools`, `system`, the id of a block; empty: nothing."""
    why: str


class StepSpent(Part, frozen=True):
    """One request that was answered."""

    turn: TurnId
    step: int
    at: datetime
    model: str
    tokens: Tokens
    cost: float | None
    wire: WireNote = WireNote()
    miss: Miss | None = None


class TurnSpent(Part, frozen=True):
    """The sums of one turn."""

    turn: TurnId
    at: datetime
    spent: Spent = Spent()
    end: t.TurnEnd | None = None


class ModelSpent(Part, frozen=True):
    """The sums of one model."""

    model: str
    spent: Spent = Spent()


class Left(Part, frozen=True):
    """What the newest request left in the provider's cache."""

    tokens: int
    at: datetime
    epoch: int


class Spending(Part, frozen=True):
    """All that is kept."""

    version: int = 0
    """Of the newest event of a conversation that it knows."""
    spent: Spent = Spent()
    models: tuple[ModelSpent, ...] = ()
    """The most recently used last."""
    turns: tuple[TurnSpent, ...] = ()
    steps: tuple[StepSpent, ...] = ()
    missed: int = 0
    """How many requests read less than they could have, in all."""
    left: Left | None = None
    epoch: int = 0
    epoch_reason: str = ""
    asked_at: datetime | None = None
    """When the request that is under way was made."""


def spend(spending: Spending, version: int, fact: Fact | Envelope) -> Spending:
    """What was spent after one more event; one that is known already changes nothing."""
    event = fact.event
    if version <= spending.version:
        return spending
    match event:
        case t.StepFinished():
            return _stepped(replace(spending, version=version), event, fact.at)
        case t.ConversationCompacted():
            model = spending.models[-1].model if spending.models else ""
            spending = replace(spending, version=version)
            return _added(spending, event.turn, model, event.usage, fact.at)
        case t.ModelAsked():
            return replace(spending, version=version, asked_at=fact.at)
        case t.PrefixStarted():
            epoch, why = event.epoch, event.reason
            return replace(spending, version=version, epoch=epoch, epoch_reason=why)
        case t.TurnFinished():
            turns = tuple(
                replace(one, end=event.end) if one.turn == event.turn else one
                for one in spending.turns
            )
            return replace(spending, version=version, turns=turns)
        case _:
            return spending


def add(spent: Spent, tokens: Tokens, price: float | None) -> Spent:
    """The sums with one request more."""
    return Spent(
        spent.requests + 1,
        spent.fresh + tokens.fresh,
        spent.cache_read + tokens.cache_read,
        spent.cache_write + tokens.cache_write,
        spent.output + tokens.output,
        spent.cost + (price or 0.0),
        spent.unpriced + (price is None),
    )


def _stepped(spending: Spending, event: t.StepFinished, at: datetime) -> Spending:
    miss = _miss(spending, event, at)
    price = cost(event.model, event.usage)
    step = StepSpent(event.turn, event.step, at, event.model, event.usage, price, event.wire, miss)
    spending = _added(spending, event.turn, event.model, event.usage, at)
    return replace(
        spending,
        steps=(*spending.steps, step)[-MOST_STEPS:],
        missed=spending.missed + (miss is not None),
        left=Left(_readable(event.usage), at, spending.epoch),
    )


def _added(spending: Spending, turn: TurnId, model: str, tokens: Tokens, at: datetime) -> Spending:
    price = cost(model, tokens)
    mine = next((one for one in spending.models if one.model == model), ModelSpent(model))
    others = tuple(one for one in spending.models if one.model != model)
    turns = spending.turns
    if not turns or turns[-1].turn != turn:
        turns = (*turns, TurnSpent(turn, at))[-MOST_TURNS:]
    last = replace(turns[-1], spent=add(turns[-1].spent, tokens, price))
    return replace(
        spending,
        spent=add(spending.spent, tokens, price),
        models=(*others, replace(mine, spent=add(mine.spent, tokens, price)))[-MOST_MODELS:],
        turns=(*turns[:-1], last),
    )


def _readable(tokens: Tokens) -> int:
    """What a request leaves in the cache for the next one."""
    if tokens.cache_write:
        return tokens.cache_read + tokens.cache_write
    whole = tokens.input // GRAIN * GRAIN
    # What was read is there for sure; whether the rest was kept is the provider's affair.
    return max(tokens.cache_read, whole - GRAIN if whole >= LEAST_CACHED + GRAIN else 0)


def _miss(spending: Spending, event: t.StepFinished, at: datetime) -> Miss | None:
    left = spending.left
    if left is None or event.usage.cache_read >= left.tokens or not event.usage.input:
        return None
    pause = (spending.asked_at or at) - left.at
    wire = event.wire
    if left.epoch != spending.epoch:
        why = spending.epoch_reason or "the prefix changed"
    elif wire.differs_at:
        why = wire.why or f"{wire.differs_at} was sent otherwise than before"
    elif pause > EXPIRY:
        minutes = int(pause.total_seconds() // 60)
        why = f"expired: {minutes} min since the last request"
    else:
        why = "the provider did not keep it"
    read = event.usage.cache_read
    return Miss(event.turn, event.step, left.tokens, read, wire.differs_at, why)
