"""What the agent used, in numbers that match what its provider counted."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.servers.dashboard.panels.looking_at import (
    HOSTILE,
    NOW,
    SESSION,
    Read,
    instead,
    looking,
    tame,
)
from tests.servers.http.agents.asking_agent import asking
from tests.servers.http.serving import Served, served

from hearth.core.views.spending import Miss, ModelSpent, Spending, Spent, StepSpent, TurnSpent
from hearth.core.views.usage import Usage, usage
from hearth.core.vocabulary.blocks import Usage as Tokens
from hearth.core.vocabulary.ids import TurnId
from hearth.core.vocabulary.turns import TurnEnd
from hearth.servers.dashboard.panels.usage import MOST_MISSES, is_idle_expiry, show

AT = datetime(2026, 1, 2, tzinfo=UTC)
EXPIRED = Miss(TurnId("t1"), 0, 5000, 0, "", "expired: 12 min since the last request")
CHANGED = Miss(TurnId("t1"), 1, 5000, 100, "tools", "a server was added")


def spending(*misses: Miss, cost: float = 0.25, unpriced: int = 0) -> Usage:
    tokens = Tokens(fresh=100, cache_read=3000, cache_write=900, output=50)
    spent = Spent(2, 200, 6000, 1800, 100, cost, unpriced)
    steps = tuple(
        StepSpent(TurnId("t1"), number, AT, "p:m", tokens, cost / 2, miss=miss)
        for number, miss in enumerate((*misses, *[None] * (2 - len(misses))))
    )
    return usage(
        Spending(
            spent=spent,
            models=(ModelSpent("p:m", spent), ModelSpent("p:n", spent), ModelSpent("q:m", spent)),
            turns=(TurnSpent(TurnId("t1"), AT, spent, TurnEnd.DONE), TurnSpent(TurnId("t2"), AT)),
            steps=steps,
            missed=len(misses),
        )
    )


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def shown(daemon: Served, used: Usage) -> Read:
    return tame(await show(looking(instead(daemon.around, usage=used)), SESSION, NOW))


def fact(read: Read, name: str) -> str:
    names = [one.text for one in read.all("dt")]
    return read.all("dd")[names.index(name)].text


async def test_a_session_in_which_no_model_was_asked_says_so(daemon: Served) -> None:
    read = tame(await show(looking(daemon.around), SESSION, NOW))
    assert "No model was asked" in read.text


@pytest.mark.promise("DP-UI-09")
async def test_the_numbers_are_those_of_the_requests_and_sent_is_their_sum(daemon: Served) -> None:
    read = await shown(daemon, spending())
    assert fact(read, "read from the cache") == "6.0k"
    assert fact(read, "written to the cache") == "1.8k"
    assert fact(read, "fresh") == "200"
    assert fact(read, "sent in total").startswith("8.0k")
    assert fact(read, "output") == "100"
    session, *_ = read.all("section")
    assert "2 requests" in session.text
    assert "75 % cached, session" in session.text
    assert "75 % cached, last request" in session.text


@pytest.mark.promise("DP-UI-09")
async def test_a_real_turn_is_counted(tmp_path: Path) -> None:
    async with asking(tmp_path) as opened:
        await opened.ask()
        await opened.answer("once")
        await opened.rest()
        read = tame(await show(looking(opened.daemon.around), SESSION, NOW))
    # Two requests, each of Usage(10, 20, 30, 40).
    assert fact(read, "read from the cache") == "40"
    assert fact(read, "written to the cache") == "60"
    assert fact(read, "fresh") == "20"
    assert fact(read, "sent in total").startswith("120")
    assert fact(read, "output") == "80"


@pytest.mark.promise("DP-UI-09")
async def test_what_expired_while_nobody_asked_is_normal_and_what_changed_is_a_miss(
    daemon: Served,
) -> None:
    read = await shown(daemon, spending(EXPIRED, CHANGED))
    assert read.all("span", class_="badge badge-info")[0].text == "normal"
    assert "5 min" in read.text
    assert [one.text for one in read.all("span", class_="badge badge-warn")] == ["missed"]
    assert "read 100 of 5.0k tokens at tools" in read.text
    assert "a server was added" in read.text
    assert len(read.all("text")) == 1, "only the real one has a mark in the chart"


def test_a_changed_prefix_is_never_taken_for_an_expiry() -> None:
    assert is_idle_expiry(EXPIRED)
    assert not is_idle_expiry(CHANGED)
    assert not is_idle_expiry(Miss(TurnId("t1"), 0, 1, 0, "system", "expired: no"))


async def test_without_misses_that_is_said(daemon: Served) -> None:
    assert "Every request read all" in (await shown(daemon, spending())).text


@pytest.mark.promise("DP-UI-10")
async def test_cost_is_there_by_session_model_provider_and_turn(daemon: Served) -> None:
    read = await shown(daemon, spending())
    *_, models, turns = read.all("section")
    assert "all of p $0.5000" in models.text
    assert "all of q" not in models.text
    assert models.text.count("$0.2500") == 3
    assert "t1" in turns.text
    assert "runs" in turns.text


async def test_an_unknown_price_is_said_to_be_unknown(daemon: Served) -> None:
    nothing = spending(cost=0.0, unpriced=2)
    assert "unknown cost" in (await shown(daemon, nothing)).text
    some = await shown(daemon, spending(cost=0.2, unpriced=1))
    assert "$0.2000+" in some.text
    assert "1 request of unknown price not counted" in some.text


async def test_a_table_says_the_same_as_the_chart_and_stays_open(daemon: Served) -> None:
    read = await shown(daemon, spending())
    folded = read.all("details", data_preserve_attr="open")[0]
    assert "t1 step 2" in folded.text
    assert "3.0k 900 100 50" in folded.text


async def test_hostile_reasons_and_models_are_text_and_bounded(daemon: Served) -> None:
    bad = Miss(TurnId("t1"), 0, 1, 0, HOSTILE, HOSTILE)
    spent = Spent(1, 1, 1, 1, 1)
    step = StepSpent(TurnId("t1"), 0, AT, HOSTILE, Tokens(1, 1, 1, 1), None, miss=bad)
    used = usage(
        Spending(spent=spent, models=(ModelSpent(HOSTILE, spent),), steps=(step,) * 50, missed=50)
    )
    read = await shown(daemon, used)
    assert "<script>" in read.text
    assert f"{50 - MOST_MISSES} more misses not shown" in read.text
