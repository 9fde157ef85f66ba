"""Charts can be read without colours, and heard."""

from datetime import UTC, datetime

from tests.servers.dashboard.panels.looking_at import tame

from hearth.core.views.usage import Sums, UsedByStep, UsedByTurn
from hearth.core.vocabulary.ids import TurnId
from hearth.servers.dashboard.panels.usage_chart import (
    HEIGHT,
    MOST_BARS,
    WIDTH,
    costs_chart,
    requests_chart,
)

AT = datetime(2026, 1, 2, tzinfo=UTC)


def step(number: int, read: int = 1000, write: int = 100, fresh: int = 10) -> UsedByStep:
    total = read + write + fresh
    sums = Sums(
        requests=1,
        input=total,
        fresh=fresh,
        cache_read=read,
        cache_write=write,
        output=5,
        cached=read / total if total else 0.0,
    )  # fmt: skip - one request
    return UsedByStep(turn=TurnId("t1"), step=number, at=AT, model="m", sums=sums)


def test_each_kind_of_token_has_a_look_of_its_own_and_a_key() -> None:
    read = tame(requests_chart([step(0)], frozenset()))
    looks = {one.attributes["class"] for one in read.all("rect")} - {"p-hatch-ground"}
    assert looks == {"p-bar p-bar-read", "p-bar p-bar-write", "p-bar p-bar-fresh"}
    hatched = [one for one in read.all("rect") if one.attributes.get("fill")]
    assert {one.attributes["fill"] for one in hatched} == {"url(#p-hatch-requests)"}
    assert read.all("pattern", id_="p-hatch-requests")
    assert "read from the cache" in read.text


def test_it_is_a_picture_with_a_name_that_says_what_it_shows() -> None:
    read = tame(requests_chart([step(0), step(1, read=3000, write=0, fresh=1000)], frozenset()))
    picture = read.all("svg", role="img")[0]
    assert "last 2 requests" in picture.attributes["aria-label"]
    assert "75 % of it read from the cache" in picture.attributes["aria-label"]
    titles = [one.text for one in read.all("title")]
    assert "t1 step 2: read 3.0k, written 0, fresh 1.0k, output 5" in titles


def test_bars_stay_in_the_picture_and_the_newest_is_at_the_right() -> None:
    steps = [step(number, read=number * 1000) for number in range(200)]
    read = tame(requests_chart(steps, frozenset()))
    assert len(read.all("g")) == MOST_BARS
    assert "t1 step 200" in read.all("g")[-1].text
    for one in read.all("rect"):
        if "p-bar" not in one.attributes["class"] or "x" not in one.attributes:
            continue
        x, y = float(one.attributes["x"]), float(one.attributes["y"])
        assert x >= 0
        assert x + float(one.attributes["width"]) <= WIDTH
        assert y >= 0
        assert y + float(one.attributes["height"]) <= HEIGHT + 1


def test_a_miss_has_a_mark() -> None:
    read = tame(requests_chart([step(0), step(1)], frozenset({("t1", 1)})))
    assert [one.text for one in read.all("text")] == ["▾"]
    assert tame(requests_chart([step(0)], frozenset())).all("text") == []


def test_nothing_sent_is_drawn_as_nothing() -> None:
    read = tame(requests_chart([step(0, 0, 0, 0)], frozenset()))
    assert [one for one in read.all("g")[0].words if one.strip()]


def test_costs_are_drawn_by_turn_and_an_unknown_one_is_said() -> None:
    turns = [
        UsedByTurn(turn=TurnId("t1"), at=AT, sums=Sums(requests=1, cost=0.5)),
        UsedByTurn(turn=TurnId("t2"), at=AT, sums=Sums(requests=1, cost=None)),
    ]
    read = tame(costs_chart(turns))
    assert [one.text for one in read.all("title")][1:] == ["t1: $0.5000", "t2: unknown"]
    assert "up to $0.5000" in read.text
