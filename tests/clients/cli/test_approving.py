"""A person is asked, and answers."""

import os
import pty
import sys
from collections.abc import Iterator

import pytest

from hearth.clients.cli import approving
from hearth.clients.cli.approving import Approval, answer_of, is_anyone_there


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("y\n", ("once", "")),
        ("Yes\n", ("once", "")),
        ("yes, but only now\n", ("once", "but only now")),
        ("n\n", ("reject", "")),
        ("no use another file\n", ("reject", "use another file")),
        ("\n", ("reject", "")),
        ("yikes\n", ("reject", "yikes")),
        ("do it differently\n", ("reject", "do it differently")),
    ],
)
def test_only_a_clear_yes_is_one(typed: str, means: tuple[str, str]) -> None:
    assert answer_of(typed) == means


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal that is our stdin; what is written to this is typed there."""
    keyboard, screen = pty.openpty()
    with open(screen, encoding="utf-8") as stdin:  # noqa: PTH123 - a descriptor
        monkeypatch.setattr(sys, "stdin", stdin)
        yield keyboard
        os.close(keyboard)


def test_the_question_says_why_and_the_line_answers_it(
    terminal: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Approval({"approval": "a1", "why": "three equal calls\x1b[2J"})
    assert capsys.readouterr().err == "three equal calls?[2J\nLet it go on? [y/N] "
    os.write(terminal, b"y go on\n")
    assert asked.fileno() == sys.stdin.fileno()
    assert asked.read() == ("once", "go on")
    asked.close()
    assert asked.id == "a1"


def test_who_ends_the_input_answers_nothing(terminal: int) -> None:
    asked = Approval({"approval": "a1"})
    os.write(terminal, b"\x04")
    with pytest.raises(EOFError):
        asked.read()


def test_a_person_who_piped_something_in_is_asked_on_their_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keyboard, screen = pty.openpty()
    monkeypatch.setattr(approving, "TERMINAL", os.ttyname(screen))
    monkeypatch.setattr(approving, "is_terminal", lambda stream: stream is sys.stderr)
    assert is_anyone_there()
    asked = Approval({"approval": "a1"})
    assert asked.fileno() not in {0, keyboard, screen}
    os.write(keyboard, b"no\n")
    assert asked.read() == ("reject", "")
    asked.close()
    asked.close()
    for one in (keyboard, screen):
        os.close(one)


def test_nobody_is_there_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_anyone_there()  # nobody sees what we write
    monkeypatch.setattr(approving, "is_terminal", lambda stream: stream is sys.stderr)
    monkeypatch.setattr(approving, "TERMINAL", "/nowhere/tty")
    assert not is_anyone_there()
    monkeypatch.setattr(approving, "is_terminal", lambda _: True)
    assert is_anyone_there()
