"""A person is asked on their terminal, and answers."""

import os
import pty
import sys
from collections.abc import Iterator

import pytest
from tests.clients.agents.asking import GOING_ON, TOUCH
from tests.clients.cli.screens import screen
from tests.clients.cli.test_answering import Keys

from hearth.clients.agents.asked_for import AskedFor
from hearth.clients.cli import approving
from hearth.clients.cli.approving import Approval, agrees, is_anyone_there


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal that is our stdin; what is written to this is typed there."""
    keyboard, screen = pty.openpty()
    with open(screen, encoding="utf-8") as stdin:  # noqa: PTH123 - a descriptor
        monkeypatch.setattr(sys, "stdin", stdin)
        yield keyboard
        os.close(keyboard)


@pytest.mark.promise("DP-PERM-10")
def test_the_question_says_all_and_the_line_answers_it(
    terminal: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Approval(AskedFor(TOUCH), 2)
    assert capsys.readouterr().err.split("\n") == [
        "a1 · scripted:weaver wants to use run_shell · 2 more wait",
        "  $ touch x",
        "  needs",
        "    execute  touch x",
        '    write    x        written by touch, by write "*": ask (/etc/hearth.jsonc:4)',
        "  can be allowed for longer",
        '    execute  "touch *"',
        '    write    "x"',
        "a1: allow it? [y] once  [s] this session  [a] always  [n] no, and why: ",
    ]
    os.write(terminal, b"yes go on\n")
    assert asked.fileno() == sys.stdin.fileno()
    decision = asked.read()
    assert decision is not None
    assert (decision.answer, decision.text) == ("once", "go on")
    asked.close()
    assert asked.id == "a1"


@pytest.mark.promise("DP-PERM-11")
def test_always_is_confirmed_after_the_patterns_were_shown(
    terminal: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Approval(AskedFor(TOUCH))
    capsys.readouterr()
    os.write(terminal, b"a\n")
    assert asked.read() is None
    assert capsys.readouterr().err == (
        "  for always, in every session of this project\n"
        '    execute  "touch *"\n'
        '    write    "x"\n'
        "Type yes to store it: "
    )
    os.write(terminal, b"yes\n")
    decision = asked.read()
    assert decision is not None
    assert decision.command()["patterns"] == ["touch *", "x"]


def test_what_is_no_answer_is_asked_again(
    terminal: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Approval(AskedFor(GOING_ON))
    assert "three equal calls\n" in capsys.readouterr().err
    os.write(terminal, b"hm\ny\n")
    assert asked.read() is None  # a terminal gives out a line at a time
    assert "that is no answer" in capsys.readouterr().err
    os.write(terminal, b"n\n")
    decision = asked.read()
    assert decision is not None
    assert decision.answer == "reject"  # the y came before the question was put again
    asked.ask()
    assert "let it go on?" in capsys.readouterr().err


def test_what_was_typed_before_the_question_does_not_answer_it(terminal: int) -> None:
    os.write(terminal, b"y\n")
    asked = Approval(AskedFor(TOUCH))
    os.write(terminal, b"n\n")
    decision = asked.read()
    assert decision is not None
    assert decision.answer == "reject"


def test_who_ends_the_input_answers_nothing(terminal: int) -> None:
    asked = Approval(AskedFor(TOUCH))
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
    asked = Approval(AskedFor(TOUCH))
    assert asked.fileno() not in {0, keyboard, screen}
    os.write(keyboard, b"no\n")
    decision = asked.read()
    assert decision is not None
    assert decision.answer == "reject"
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


@pytest.mark.parametrize("typed", ["y\n", " Yes\n"])
def test_whoever_agrees_says_so(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Keys(typed))
    shown = screen(monkeypatch)
    assert agrees("Go back? [y/N] ")
    assert shown.getvalue() == "Go back? [y/N] "


@pytest.mark.parametrize("typed", ["n\n", "\n", "", "yesterday\n"])
def test_whoever_does_not_changes_nothing(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Keys(typed))
    shown = screen(monkeypatch)
    assert not agrees("Go back? [y/N] ")
    assert "nothing was changed" in shown.getvalue()


def test_where_nobody_is_nobody_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert not agrees("Go back? [y/N] ")
    assert capsys.readouterr().err == "nothing was changed; `--yes` does it without asking\n"
