"""Nothing is echoed while something is written; whoever is given the terminal gets it as usual."""

import os
import pty
import sys
import termios
from collections.abc import Iterator

import pytest

from hearth.clients.repl.keyboard import Keyboard


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    master, slave = pty.openpty()
    with os.fdopen(slave) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield slave
        monkeypatch.undo()
    os.close(master)


def echoes(descriptor: int) -> bool:
    return bool(termios.tcgetattr(descriptor)[3] & termios.ECHO)


def test_the_terminal_is_only_given_back_when_nobody_holds_it(terminal: int) -> None:
    keyboard = Keyboard()
    with keyboard.raw_mode():
        assert not echoes(terminal)
        with keyboard.held(), keyboard.cooked_mode():
            assert not echoes(terminal)
        with keyboard.cooked_mode():
            assert echoes(terminal)
        assert not echoes(terminal)
    assert echoes(terminal)


def test_it_can_be_held_more_than_once(terminal: int) -> None:
    keyboard = Keyboard()
    with keyboard.raw_mode(), keyboard.held():
        with keyboard.held():
            pass
        with keyboard.cooked_mode():
            assert not echoes(terminal)
