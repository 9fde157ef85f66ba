"""Something turns while a person waits."""

import io
import os
import sys

import pytest

from hearth.clients.cli import spinning
from hearth.clients.cli.spinning import Spinner


class Terminal(io.TextIOWrapper):
    """A stderr that a person looks at."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding)

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        self.flush()
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode(self.encoding)


def looked_at(monkeypatch: pytest.MonkeyPatch, encoding: str = "utf-8") -> Terminal:
    """In the test itself: before it begins, pytest puts a stderr of its own there."""
    made = Terminal(encoding)
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(spinning, "SOON", 0.0)
    monkeypatch.setenv("NO_COLOR", "1")
    return made


def test_it_turns_says_what_is_waited_for_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = looked_at(monkeypatch)
    spinner = Spinner()
    assert not spinner.is_turning
    spinner.say("thinking")
    assert spinner.is_turning
    spinner.turn()
    assert screen.text == "\r\x1b[K⠋ thinking"
    spinner.stop()
    assert screen.text.endswith("\r\x1b[K")
    assert not spinner.is_turning
    before = screen.text
    spinner.turn()
    spinner.clear()
    assert screen.text == before


def test_what_is_done_soon_is_not_worth_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = looked_at(monkeypatch)
    monkeypatch.setattr(spinning, "SOON", 60.0)
    spinner = Spinner()
    spinner.say("thinking")
    spinner.turn()
    spinner.stop()
    assert screen.text == ""


def test_a_terminal_with_few_characters_gets_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = looked_at(monkeypatch, "ascii")
    spinner = Spinner()
    spinner.say("thinking")
    spinner.turn()
    assert "- thinking" in screen.text


def test_where_nobody_looks_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    spinner = Spinner()
    spinner.say("thinking")
    spinner.turn()
    spinner.clear()
    assert not spinner.is_turning
    assert capsys.readouterr().err == ""


def test_what_is_new_to_wait_for_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = looked_at(monkeypatch)
    now = [100.0]
    monkeypatch.setattr("hearth.clients.cli.spinning.time.monotonic", lambda: now[0])
    spinner = Spinner()
    spinner.say("one")
    now[0] += 3
    spinner.say("still one")
    spinner.turn()
    assert screen.text.endswith("still one (3 s)")
    spinner.begin("two")
    spinner.turn()
    assert screen.text.endswith("⠋ two")


def test_it_never_needs_a_second_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = looked_at(monkeypatch)
    monkeypatch.setattr(Terminal, "fileno", lambda _: 2)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((30, 10)))
    spinner = Spinner()
    spinner.begin("x" * 100)
    spinner.turn()
    assert len(screen.text.removeprefix("\r\x1b[K")) == 18
