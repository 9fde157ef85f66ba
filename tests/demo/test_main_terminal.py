"""`hearth demo` at a real terminal: what a person sees in the end, and when they stop it."""

import signal
import sys
from pathlib import Path

import pytest
from tests.clients.repl.screens import at_a_seat

WORDS = [sys.executable, "-m", "hearth", "demo"]


def surroundings(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/bin",
        "TMPDIR": str(tmp_path),
        "TERM": "xterm-256color",
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.mark.slow
def test_nothing_that_was_only_coming_to_be_is_left_on_the_screen(tmp_path: Path) -> None:
    with at_a_seat([*WORDS, "--fast"], surroundings(tmp_path), tmp_path) as seat:
        seat.until("starting an interpreter")
        assert seat.ended() == 0
        lines = seat.shown().split("\n")
    assert not any("starting an interpreter" in line for line in lines)
    asked, answered = lines.index("> Leave the returns out."), lines.index("'Jun'  # str")
    assert asked < answered
    assert "You have sums and chart as well as I do." in "\n".join(lines)  # marks are obeyed
    assert lines.count("I look at the file first.") == 1
    (picture,) = tmp_path.rglob("*.svg")
    assert str(picture) in "".join(lines)  # the path may be longer than a line


@pytest.mark.slow
def test_a_person_sees_it_typed_and_can_stop_it(tmp_path: Path) -> None:
    with at_a_seat(WORDS, surroundings(tmp_path), tmp_path) as seat:
        seat.until(lambda shown: "> Look at" in shown and "draw it." not in shown)
        seat.process.send_signal(signal.SIGINT)
        assert seat.ended() == 130
        lines = seat.shown().split("\n")
    assert lines[-1].endswith("stopped")
    assert not any("Traceback" in line or "> Look at" in line for line in lines)
    assert list(tmp_path.iterdir()) == []
