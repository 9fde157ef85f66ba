"""What is counted of requests, and where a cache was missed."""

from datetime import timedelta

import pytest
from tests.contracts.given import comes_back, in_place, said
from tests.contracts.playing_talks import CHOICE, Talk, call

from hearth.core.rules.pricing import cost
from hearth.core.views.spending import MOST_STEPS, MOST_TURNS, Miss, Spending, Spent, spend
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.blocks import StopReason, Usage, WireNote
from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.turns import TurnEnd

FIRST = Usage(fresh=10, cache_read=0, cache_write=1000, output=50)


def spent(talk: Talk) -> Spending:
    return talk.folded().spending


def misses(talk: Talk) -> list[Miss]:
    return [one.miss for one in spent(talk).steps if one.miss is not None]


class TestSums:
    def test_requests_are_added_up_in_all_by_turn_and_by_model(self) -> None:
        talk = Talk().says("go").answers(call("look"), usage=FIRST).returns()
        talk.answers("done", usage=Usage(5, 1000, 60, 7)).says("more").answers("x", usage=Usage(1))
        now = spent(talk)
        used = Usage(16, 1000, 1060, 57)
        assert now.spent == Spent(3, 16, 1000, 1060, 57, now.spent.cost, 0)
        assert now.spent.cost == pytest.approx(cost(CHOICE.name, used))
        assert [(one.turn, one.spent.requests, one.end) for one in now.turns] == [
            ("t1", 2, TurnEnd.DONE),
            ("t2", 1, TurnEnd.DONE),
        ]
        assert [(one.model, one.spent.requests) for one in now.models] == [(CHOICE.name, 3)]

    def test_a_model_without_a_price_is_counted_apart(self) -> None:
        talk = Talk()
        talk.choice = ModelChoice("ollama", "small", Dialect.CHAT, 8000, 1000)
        now = spent(talk.says("go").answers("done"))
        assert (now.spent.cost, now.spent.unpriced) == (0, 1)
        assert now.steps[0].cost is None

    def test_a_summary_costs_too(self) -> None:
        talk = Talk().says("go").answers("done", usage=FIRST).goes(p.CompactConversation())
        before = spent(talk).spent
        now = spent(talk.sums_up("short")).spent
        assert (now.requests, now.output) == (before.requests + 1, before.output + 7)

    def test_what_is_heard_twice_is_counted_once(self) -> None:
        talk = Talk().says("go").answers("done")
        twice = Spending()
        for one in in_place(talk.facts):
            twice = spend(spend(twice, one.version, one), one.version, one)
        assert twice == spent(talk)
        assert comes_back(twice)

    def test_it_does_not_grow_with_the_conversation(self) -> None:
        talk = Talk()
        for _ in range(MOST_STEPS + MOST_TURNS):
            talk.says("go").answers("done")
        now = spent(talk)
        assert (len(now.steps), len(now.turns)) == (MOST_STEPS, MOST_TURNS)
        assert now.spent.requests == MOST_STEPS + MOST_TURNS


class TestMisses:
    def test_a_request_that_reads_all_that_was_left_is_none(self) -> None:
        talk = Talk().says("go").answers("done", usage=FIRST)
        talk.says("more").answers("x", usage=Usage(3, 1000, 40, 5))
        assert misses(talk) == []
        assert spent(talk).missed == 0

    def test_the_first_request_can_miss_nothing(self) -> None:
        assert misses(Talk().says("go").answers("done", usage=Usage(5000))) == []

    def test_where_the_wire_differs_it_says_where_and_why(self) -> None:
        talk = Talk().says("go").answers("done", usage=FIRST)
        wire = WireNote(9000, 400, "b8", "the result of a call was lost")
        talk.says("more").answers("x", usage=Usage(900, 100, 0, 5), wire=wire)
        assert misses(talk) == [
            Miss(talk.asked.turn, 0, 1000, 100, "b8", "the result of a call was lost")
        ]

    def test_a_new_epoch_says_its_reason(self) -> None:
        talk = Talk().says("go").answers("done", usage=FIRST)
        talk.system = "be better"
        talk.says("more").answers("x", usage=Usage(0, 0, 1100, 5))
        (miss,) = misses(talk)
        assert miss.why == talk.folded().talk.epoch_reason
        assert miss.why not in {"", "first request"}

    def test_a_long_pause_is_the_reason_for_a_cold_cache(self) -> None:
        talk = Talk().says("go").answers("done", usage=FIRST)
        pause = timedelta(minutes=12).total_seconds()
        talk.goes(said(p.SendMessage("more"), at=pause))
        answer = m.ModelAnswered(talk.asked.request, (m.Written("x"),), StopReason.END, Usage(1100))
        talk.goes(said(answer, at=pause + 1))
        (miss,) = misses(talk)
        assert miss.why == "expired: 11 min since the last request"

    def test_otherwise_the_provider_did_not_keep_it(self) -> None:
        talk = Talk().says("go").answers("done", usage=FIRST)
        talk.says("more").answers("x", usage=Usage(1000, 999))
        assert [miss.why for miss in misses(talk)] == ["the provider did not keep it"]
        assert spent(talk).missed == 1

    def test_where_writes_are_not_counted_small_differences_are_none(self) -> None:
        talk = Talk().says("go").answers("done", usage=Usage(fresh=4000, output=9))
        talk.says("more").answers("x", usage=Usage(fresh=300, cache_read=3840))
        assert misses(talk) == []
        talk.says("more").answers("x", usage=Usage(fresh=4500))
        assert [miss.read for miss in misses(talk)] == [0]
        short = Talk().says("go").answers("done", usage=Usage(fresh=900))
        assert misses(short.says("more").answers("x", usage=Usage(fresh=1000))) == []
