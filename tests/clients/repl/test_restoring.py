"""The terminal is as it was, whatever happened."""

import os
import pty
import signal
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.clients.repl.restoring import restored, silenced


@pytest.fixture
def terminal() -> Iterator[int]:
    master, slave = pty.openpty()
    yield slave
    os.close(slave)
    os.close(master)


def spoil(descriptor: int) -> None:
    attributes = termios.tcgetattr(descriptor)
    attributes[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def test_it_is_put_back_in_the_end(terminal: int) -> None:
    before = termios.tcgetattr(terminal)
    with restored(terminal):
        spoil(terminal)
        assert termios.tcgetattr(terminal) != before
    assert termios.tcgetattr(terminal) == before


def test_nothing_is_echoed_between_prompts_and_signals_still_come(terminal: int) -> None:
    before = termios.tcgetattr(terminal)
    with silenced(terminal):
        flags = termios.tcgetattr(terminal)[3]
        assert not flags & (termios.ECHO | termios.ICANON)
        assert flags & termios.ISIG
    assert termios.tcgetattr(terminal) == before


def test_what_is_no_terminal_cannot_be_silenced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with path.open() as file, silenced(file.fileno()):
        assert not os.isatty(file.fileno())
    assert path.read_bytes() == b""


@pytest.mark.parametrize("trouble", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_it_is_put_back_after_trouble(terminal: int, trouble: type[BaseException]) -> None:
    before = termios.tcgetattr(terminal)

    def spoiled() -> None:
        with restored(terminal):
            spoil(terminal)
            raise trouble

    with pytest.raises(trouble):
        spoiled()
    assert termios.tcgetattr(terminal) == before


def test_what_is_no_terminal_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("as it is")
    with path.open() as file, restored(file.fileno()):
        pass
    assert path.read_text() == "as it is"


def test_a_terminal_that_goes_away_is_no_trouble() -> None:
    master, slave = pty.openpty()
    with restored(slave):
        os.close(slave)
        os.close(master)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(slave)


def test_without_a_stdin_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    before = signal.getsignal(signal.SIGTERM)
    with restored():
        pass
    assert signal.getsignal(signal.SIGTERM) is before
