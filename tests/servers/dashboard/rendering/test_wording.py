from datetime import timedelta

import pytest
from tests.servers.dashboard.rendering.samples import NOON

from hearth.core.vocabulary.origin import Actor, Origin
from hearth.servers.dashboard.rendering.wording import (
    badge,
    counted,
    in_bytes,
    seconds,
    short,
    when,
)


@pytest.mark.parametrize(
    ("took", "words"),
    [(-1, "0 ms"), (0.034, "34 ms"), (2.5, "2.5 s"), (42.4, "42 s"), (3700, "1:01:40")],
)
def test_how_long_it_took_is_told_as_people_would(took: float, words: str) -> None:
    assert seconds(took) == words


def test_sizes_and_counts_have_their_unit() -> None:
    assert [in_bytes(one) for one in (12, 1200, 1_234_567)] == ["12 B", "1.2 kB", "1.2 MB"]
    assert [counted(one, "line") for one in (1, 2, 1000)] == ["1 line", "2 lines", "1,000 lines"]


def test_a_long_text_is_cut_to_one_line() -> None:
    assert short("a\n  b\tc", 10) == "a b c"
    assert short("x" * 1_000_000, 10) == "x" * 9 + "…"
    assert short("a b " + " " * 100, 10).endswith("…")


def test_the_day_is_told_only_if_it_is_another_one() -> None:
    today, before = when(NOON, NOON), when(NOON - timedelta(days=3), NOON)
    assert ">12:00<" in today
    assert ">12 Nov 12:00<" in before
    assert 'datetime="2026-11-15T12:00:00+00:00"' in today


@pytest.mark.parametrize("actor", Actor)
def test_every_author_has_a_badge_that_says_its_kind_in_words(actor: Actor) -> None:
    made = badge(Origin(actor, "<ada>"))
    assert "badge badge-" in made
    assert "&lt;ada&gt;" in made
    assert "<ada>" not in made
    assert badge(Origin(actor)).count("badge-") == 1
