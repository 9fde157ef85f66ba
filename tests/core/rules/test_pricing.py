import pytest

from hearth.core.rules.pricing import PRICES, cost, price_of
from hearth.core.vocabulary.blocks import Usage

MILLION = 1_000_000


def test_each_kind_of_token_has_its_own_price() -> None:
    sonnet = "anthropic:claude-sonnet-4-5"
    assert cost(sonnet, Usage(fresh=MILLION)) == pytest.approx(3)
    assert cost(sonnet, Usage(output=MILLION)) == pytest.approx(15)
    assert cost(sonnet, Usage(cache_read=MILLION)) == pytest.approx(0.3)
    assert cost(sonnet, Usage(cache_write=MILLION)) == pytest.approx(3.75)
    assert cost(sonnet, Usage()) == 0


def test_an_edition_of_a_model_costs_what_the_model_costs() -> None:
    for name, edition in (
        ("anthropic:claude-sonnet-4", "anthropic:claude-sonnet-4-20250514"),
        ("anthropic:claude-3-5-haiku", "anthropic:claude-3-5-haiku-latest"),
        ("openai:gpt-5", "openai:gpt-5-2025-08-07"),
    ):
        assert price_of(edition) is PRICES[name]


@pytest.mark.parametrize(
    "name", ["scripted:scripted", "anthropic:claude-next-9", "ollama:gpt-5", "openai:gpt-5-pro", ""]
)
def test_a_model_without_a_known_price_has_no_cost_rather_than_a_guessed_one(name: str) -> None:
    assert cost(name, Usage(fresh=MILLION, output=MILLION)) is None


def test_reading_the_cache_is_never_dearer_than_sending_afresh() -> None:
    for price in PRICES.values():
        assert 0 < price.cache_read <= price.fresh <= price.cache_write
        assert price.output > 0
