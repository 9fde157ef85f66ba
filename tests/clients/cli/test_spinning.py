"""Something turns while a person waits."""

import io
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
