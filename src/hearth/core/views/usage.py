"""What a session's agent used: tokens by kind, what they cost, and where a cache was missed."""

from datetime import datetime

from hearth.core.views.spending import Miss, Spending, Spent, add
from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.turns import TurnEnd
from hearth.core.vocabulary.wire import Part


class Sums(Part, frozen=True, kw_only=True):
    """What some requests used, in all."""

    requests: int = 0
    input: int = 0
    """All that was sent: fresh, read and written."""
    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cached: float = 0.0
    """Which share of the input was read from the provider's cache."""
    cost: float | None = None
    """In US dollars; None if the price of none of the models is known."""
    unpriced: int = 0
    """Requests that are not part of `cost`, because their price is not known."""


class UsedByTurn(Part, frozen=True, kw_only=True):
    """What one turn used."""

    turn: TurnId
    at: datetime
    sums: Sums
    end: TurnEnd | None = None
    """None while it runs."""


class UsedByModel(Part, frozen=True, kw_only=True):
    """What one model used: `provider:model`."""

    model: str
    sums: Sums


class UsedByStep(Part, frozen=True, kw_only=True):
    """What one request used."""

    turn: TurnId
    step: int
    at: datetime
    model: str
    sums: Sums


class Usage(Part, frozen=True, kw_only=True):
    """All of a session in numbers; of turns, steps and misses the newest."""

    total: Sums = Sums()
    last: Sums = Sums()
    """Of the newest request alone."""
    models: tuple[UsedByModel, ...] = ()
    turns: tuple[UsedByTurn, ...] = ()
    steps: tuple[UsedByStep, ...] = ()
    missed: int = 0
    """How many requests read less from the cache than they could have."""
    misses: tuple[Miss, ...] = ()
    epoch: int = 0
    epoch_reason: str = ""


def usage(spending: Spending) -> Usage:
    """The usage of a session, from what was counted."""
    steps = tuple(
        UsedByStep(
            turn=one.turn,
            step=one.step,
            at=one.at,
            model=one.model,
            sums=sums(add(Spent(), one.tokens, one.cost)),
        )
        for one in spending.steps
    )
    return Usage(
        total=sums(spending.spent),
        last=steps[-1].sums if steps else Sums(),
        models=tuple(UsedByModel(model=one.model, sums=sums(one.spent)) for one in spending.models),
        turns=tuple(
            UsedByTurn(turn=one.turn, at=one.at, sums=sums(one.spent), end=one.end)
            for one in spending.turns
        ),
        steps=steps,
        missed=spending.missed,
        misses=tuple(one.miss for one in spending.steps if one.miss is not None),
        epoch=spending.epoch,
        epoch_reason=spending.epoch_reason,
    )


def sums(spent: Spent) -> Sums:
    """What was spent, with what follows from it."""
    sent = spent.fresh + spent.cache_read + spent.cache_write
    is_priced = spent.unpriced < spent.requests
    return Sums(
        requests=spent.requests,
        input=sent,
        fresh=spent.fresh,
        cache_read=spent.cache_read,
        cache_write=spent.cache_write,
        output=spent.output,
        cached=spent.cache_read / sent if sent else 0.0,
        cost=spent.cost if is_priced else None,
        unpriced=spent.unpriced,
    )
