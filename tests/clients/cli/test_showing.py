"""Columns, times and colours."""

import io
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.cli import showing
from hearth.clients.cli.troubles import Trouble


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001 - made UTC below
def test_times_of_the_wire_are_read_as_the_calendar_has_them(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    for text in (moment.isoformat().replace("+00:00", "Z"), moment.isoformat(), f"{moment}.123Z"):
        assert showing.epoch(text.replace(" ", "T")) == moment.timestamp()


def test_what_is_no_time_is_no_time() -> None:
    for text in (None, "", "yesterday", "2026-xx-02T03:04:05Z"):
        assert showing.epoch(text) is None
        assert showing.ago(text) == "-"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "just now"),
        (3, "just now"),
        (42, "42 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (2 * 3600 + 300, "2 h 5 min ago"),
        (7 * 3600 + 300, "7 h ago"),
        (49 * 3600, "2 days ago"),
    ],
)
def test_times_are_told_as_people_would(seconds: float, text: str) -> None:
    then = "2026-01-02T03:04:05Z"
    now = showing.epoch(then)
    assert now is not None
    assert showing.ago(then, now + seconds) == text


def test_columns_are_aligned_without_colours() -> None:
    lines = showing.table(["A", "LONG"], [["one", "x"], ["a", "yy"]], {"x": showing.RED})
    assert lines == ["A    LONG", "one  x", "a    yy"]


def test_colours_do_not_disturb_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = showing.table(["A", "B"], [["one", "x"]], {"one": showing.GREEN})
    assert lines == ["\x1b[2mA\x1b[0m    \x1b[2mB\x1b[0m", "\x1b[32mone\x1b[0m  x"]
    assert showing.painted(showing.RED, "") == ""


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_are_left_out_where_they_are_not_wanted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert showing.has_colours(Terminal())
    assert not showing.has_colours(io.StringIO())
    monkeypatch.setenv(name, value)
    assert not showing.has_colours(Terminal())


def test_a_closed_stream_is_no_terminal() -> None:
    closed = Terminal()
    closed.close()
    assert not showing.is_terminal(None)
    assert not showing.is_terminal(io.StringIO())


def test_troubles_go_to_stderr_for_people_and_to_stdout_for_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    trouble = Trouble("it is gone", hint="look again", code="gone")
    showing.report(trouble, as_json=False)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "error: it is gone\nhint: look again\n")
    showing.report(trouble, as_json=True)
    said = capsys.readouterr()
    assert said.err == ""
    assert (
        said.out == '{"error": {"code": "gone", "message": "it is gone", "hint": "look again"}}\n'
    )


def test_what_is_told_gives_no_orders_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    showing.report(Trouble("a\x1b[2Jb\nc", hint="\x07"), as_json=False)
    assert capsys.readouterr().err == "error: a?[2Jb\nc\nhint: ?\n"
    assert showing.folder("/srv/\x1b]0;x\x07") == "/srv/?]0;x?"


def test_paths_below_home_are_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert showing.folder("/home/ann/code") == "~/code"
    assert showing.folder("/home/ann") == "~"
    assert showing.folder("/home/anna/code") == "/home/anna/code"


def test_a_line_shows_the_beginning_and_gives_no_orders_to_a_terminal() -> None:
    assert showing.first_line("x = 1") == "x = 1"
    assert showing.first_line("def f():\n    pass") == "def f(): …"
    assert showing.first_line("\n\n  x\n") == "x"
    assert showing.first_line("a" * 100, 10) == "a" * 9 + "…"
    assert showing.first_line("\x1b]0;title\x07\x1b[2Jx") == "?]0;title??[2Jx"


def test_money_is_shown_where_it_is_something() -> None:
    assert showing.money(0.01234) == "$0.0123"
    assert showing.money(0) == "$0.0000"
    assert showing.spent({"cost": 12.5}) == "$12.5000"
    for nothing in ({}, {"cost": None}, {"cost": 0.0}, {"cost": 0.00001}):
        assert showing.spent(nothing) == ""


def test_a_terminal_that_does_not_say_how_wide_it_is_has_eighty_columns() -> None:
    assert showing.columns(io.StringIO()) == 80
