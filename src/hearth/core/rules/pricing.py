"""What the tokens of a request cost, as far as the price of the model is known.

A table of list prices: data, to be corrected when providers change them. A model that is not in it
has no price, and that is shown as such: a guess would look like a bill.
"""

import re
from collections.abc import Mapping
from typing import Final

from hearth.core.vocabulary.blocks import Usage
from hearth.core.vocabulary.wire import Part


class Price(Part, frozen=True):
    """US dollars for a million tokens of each kind."""

    fresh: float
    output: float
    cache_read: float
    cache_write: float


def _written(fresh: float, output: float, cache_read: float | None = None) -> Price:
    """Writing the cache costs a quarter more; reading it a tenth, where nothing else is said."""
    read = fresh / 10 if cache_read is None else cache_read
    return Price(fresh, output, cache_read=read, cache_write=fresh * 1.25)


def _cached(fresh: float, output: float, cache_read: float) -> Price:
    """Where writing the cache is not billed apart."""
    return Price(fresh, output, cache_read=cache_read, cache_write=fresh)


PRICES: Final[Mapping[str, Price]] = {
    "anthropic:claude-fable-5-1": _written(10, 50, 0.25),
    "anthropic:claude-mythos-5-1": _written(10, 50, 0.25),
    "anthropic:claude-fable-5": _written(10, 50),
    "anthropic:claude-mythos-5": _written(10, 50),
    "anthropic:claude-opus-5-5": _written(4, 20, 0.2),
    "anthropic:claude-opus-5": _written(5, 25),
    "anthropic:claude-opus-4-8": _written(5, 25),
    "anthropic:claude-opus-4-7": _written(5, 25),
    "anthropic:claude-opus-4-6": _written(5, 25),
    "anthropic:claude-sonnet-5-5": _written(2, 10, 0.1),
    "anthropic:claude-sonnet-5": _written(2, 10),
    "anthropic:claude-sonnet-4-6": _written(3, 15),
    "anthropic:claude-opus-4-5": _written(5, 25),
    "anthropic:claude-opus-4-1": _written(15, 75),
    "anthropic:claude-opus-4": _written(15, 75),
    "anthropic:claude-sonnet-4-5": _written(3, 15),
    "anthropic:claude-sonnet-4": _written(3, 15),
    "anthropic:claude-3-7-sonnet": _written(3, 15),
    "anthropic:claude-haiku-4-5": _written(1, 5),
    "anthropic:claude-3-5-haiku": _written(0.8, 4),
    # For requests of up to 272,000 tokens; longer ones cost more.
    "openai:gpt-5.6": _written(5, 30),
    "openai:gpt-5.6-sol": _written(5, 30),
    "openai:gpt-5.6-terra": _written(2, 12),
    "openai:gpt-5.6-luna": _written(0.2, 1.2),
    "openai:gpt-5.4": _cached(2.5, 15, 0.25),
    "openai:gpt-5.4-mini": _cached(0.75, 4.5, 0.075),
    "openai:gpt-5.2": _cached(1.75, 14, 0.175),
    "openai:gpt-5.1": _cached(1.25, 10, 0.125),
    "openai:gpt-5": _cached(1.25, 10, 0.125),
    "openai:gpt-5-codex": _cached(1.25, 10, 0.125),
    "openai:gpt-5-mini": _cached(0.25, 2, 0.025),
    "openai:gpt-5-nano": _cached(0.05, 0.4, 0.005),
    "openai:gpt-4.1": _cached(2, 8, 0.5),
    "openai:gpt-4.1-mini": _cached(0.4, 1.6, 0.1),
    "openai:gpt-4.1-nano": _cached(0.1, 0.4, 0.025),
    "openai:gpt-4o": _cached(2.5, 10, 1.25),
    "openai:gpt-4o-mini": _cached(0.15, 0.6, 0.075),
    "openai:o3": _cached(2, 8, 0.5),
    "openai:o4-mini": _cached(1.1, 4.4, 0.275),
    "deepseek:deepseek-chat": _cached(0.28, 0.42, 0.028),
    "deepseek:deepseek-reasoner": _cached(0.28, 0.42, 0.028),
}

_SNAPSHOT: Final = re.compile(r"(-latest|-0|[-@]\d{4}-?\d{2}-?\d{2})$")
"""What providers add to the name of a model for one edition of it, at the same price."""

MILLION: Final = 1_000_000


def price_of(model_name: str) -> Price | None:
    """The price of `provider:model`, or of an edition of it; None if it is not known."""
    return PRICES.get(model_name) or PRICES.get(_SNAPSHOT.sub("", model_name))


def cost(model_name: str, usage: Usage) -> float | None:
    """What these tokens of `provider:model` cost in US dollars; None without a known price."""
    price = price_of(model_name)
    if price is None:
        return None
    return (
        usage.fresh * price.fresh
        + usage.cache_read * price.cache_read
        + usage.cache_write * price.cache_write
        + usage.output * price.output
    ) / MILLION
