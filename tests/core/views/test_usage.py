"""What an agent used, in numbers for people."""

import pytest
from tests.contracts.given import comes_back
from tests.contracts.playing_talks import CHOICE, Talk, call

from hearth.core.rules.pricing import cost
from hearth.core.views.spending import Spending, Spent
from hearth.core.views.usage import Sums, Usage, sums, usage
from hearth.core.vocabulary import blocks as b


def test_nothing_was_used_yet() -> None:
    view = usage(Spending())
    assert view == Usage()
    assert view.total.cost is None


@pytest.mark.promise("DP-UI-09")
def test_kinds_of_tokens_their_sum_their_share_and_their_price() -> None:
    one, two = b.Usage(10, 0, 90, 5), b.Usage(20, 90, 10, 6)
    talk = Talk().says("go").answers(call("look"), usage=one).returns().answers("x", usage=two)
    view = usage(talk.folded().spending)
    assert view.total == Sums(
        requests=2,
        input=220,
        fresh=30,
        cache_read=90,
        cache_write=100,
        output=11,
        cached=90 / 220,
        cost=view.total.cost,
    )
    assert view.total.cost == pytest.approx(cost(CHOICE.name, one + two))
    assert (view.last.input, view.last.cached) == (120, 0.75)
    assert [turn.sums for turn in view.turns] == [view.total]
    assert [step.step for step in view.steps] == [0, 1]
    assert view.misses == ()
    assert comes_back(view)


@pytest.mark.promise("DP-UI-10")
def test_each_model_is_counted_for_itself() -> None:
    talk = Talk().says("go").answers("x")
    view = usage(talk.folded().spending)
    assert [(one.model, one.sums) for one in view.models] == [(CHOICE.name, view.total)]


def test_a_cost_is_known_as_soon_as_one_price_is() -> None:
    assert sums(Spent(2, unpriced=2)).cost is None
    half = sums(Spent(2, cost=0.5, unpriced=1))
    assert (half.cost, half.unpriced) == (0.5, 1)
    assert sums(Spent(1)).cached == 0
