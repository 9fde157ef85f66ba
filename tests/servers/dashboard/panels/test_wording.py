"""Numbers, times and names, short and without surprises."""

from datetime import UTC, datetime, timedelta

import pytest

from hearth.core.vocabulary.origin import SYSTEM, Actor, Door, Origin
from hearth.servers.dashboard.panels import wording as w

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def test_a_text_becomes_one_line_of_a_certain_length() -> None:
    assert w.one_line(" a\n\n b\tc ") == "a b c"
    assert w.one_line("x" * 10, 10) == "x" * 10
    assert w.one_line("x" * 11, 10) == "x" * 9 + "…"
    assert w.one_line(" " * 100 + "late", 10) == "…"


def test_much_text_costs_no_more_than_little() -> None:
    assert len(w.one_line("x" * 50_000_000)) == w.LINE


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (123_456, "123k"), (2_180_000, "2.18M")],
)
def test_tokens_are_short(number: int, shown: str) -> None:
    assert w.tokens(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(28, "28 B"), (1500, "1.5 KB"), (48_213_004, "48.2 MB"), (10**12, "1000.0 GB")],
)
def test_bytes_are_in_a_unit_that_people_use(number: int, shown: str) -> None:
    assert w.size(number) == shown


def test_nearly_all_is_not_all() -> None:
    assert [w.share(one) for one in (0.0, 0.29, 0.999, 1.0)] == ["0 %", "29 %", "99 %", "100 %"]


def test_an_unknown_price_is_not_nothing() -> None:
    assert w.money(None) == "unknown"
    assert w.money(0.0) == "$0.0000"


def test_one_is_not_several() -> None:
    assert w.counted(1, "miss", "misses") == "1 miss"
    assert w.counted(0, "miss", "misses") == "0 misses"
    assert w.counted(12_345, "event") == "12,345 events"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0 s"),
        (59, "59 s"),
        (61, "1 min"),
        (3600, "1 h"),
        (5460, "1 h 31 min"),
        (10**6, "11 days"),
    ],
)
def test_a_time_is_in_a_unit_that_people_use(seconds: float, shown: str) -> None:
    assert w.span(seconds) == shown


def test_what_was_a_moment_ago_and_what_a_skewed_clock_puts_ahead_are_now() -> None:
    assert w.ago(NOW, NOW) == "just now"
    assert w.ago(NOW + timedelta(hours=1), NOW) == "just now"
    assert w.ago(NOW - timedelta(minutes=3), NOW) == "3 min ago"


def test_a_time_of_another_day_has_its_date() -> None:
    assert len(w.clock(NOW, NOW)) == len("12:00:00")
    assert w.clock(NOW - timedelta(days=40), NOW).startswith("2025-11-")


def test_a_path_is_as_people_write_it() -> None:
    assert w.folder("/home/ann/x", "/home/ann/") == "~/x"
    assert w.folder("/home/ann", "/home/ann") == "~"
    assert w.folder("/home/anna", "/home/ann") == "/home/anna"
    assert w.below("/p/src/a.py", "/p") == "src/a.py"
    assert w.below("/q/a.py", "/p") == "/q/a.py"


def test_everybody_has_a_name() -> None:
    assert w.name_of(SYSTEM) == "hearth"
    assert w.name_of(Origin(Actor.MCP_CLIENT)) == "mcp client"
    assert w.name_of(Origin(Actor.PERSON, "ann", Door.CLI)) == "ann"
