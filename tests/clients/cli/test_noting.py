"""The line that goes away again."""

import io
import sys

import pytest

from hearth.clients.cli.noting import Note


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_note_is_replaced_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    note = Note()
    note.clear()
    assert terminal.getvalue() == ""
    note.say("one")
    note.say("two\nlines")
    note.clear()
    note.clear()
    assert terminal.getvalue() == "\r\x1b[Kone\r\x1b[Ktwo …\r\x1b[K"


def test_nothing_is_written_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    note = Note()
    note.say("one")
    note.clear()
    assert file.getvalue() == ""
