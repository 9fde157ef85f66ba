"""What a process printed and did not send outlives it, however it dies."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.performers.interpreter.inside.unsent import SIZE, Unsent, read

PRINTS = """
import os, signal, sys
from pathlib import Path
from hearth.performers.interpreter.inside.unsent import Unsent
unsent = Unsent(Path(sys.argv[1]))
unsent.add("cell:c1", "last ")
unsent.add("cell:c1", "wörds")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_it_is_there_after_the_process_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "unsent"
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", PRINTS, str(path)], check=False, timeout=30
    )
    assert done.returncode == -signal.SIGKILL
    assert read(path) == ("cell:c1", "last wörds")


def test_what_was_sent_is_forgotten_and_what_came_meanwhile_is_kept(tmp_path: Path) -> None:
    unsent = Unsent(tmp_path / "unsent")
    unsent.add("cell:c1", "one\n")
    sent = unsent.length
    unsent.add("cell:c1", "two\n")
    unsent.drop(sent)
    assert read(tmp_path / "unsent") == ("cell:c1", "two\n")
    unsent.drop(unsent.length)
    assert read(tmp_path / "unsent") == ("cell:c1", "")


def test_texts_of_different_cells_are_not_mixed(tmp_path: Path) -> None:
    unsent = Unsent(tmp_path / "unsent")
    unsent.add("cell:c1", "mine")
    unsent.add("cell:c2", "a thread's")
    assert read(tmp_path / "unsent") == ("cell:c1", "mine")
    unsent.drop(unsent.length)
    unsent.add("cell:c2", "now mine")
    assert read(tmp_path / "unsent") == ("cell:c2", "now mine")


def test_a_flood_does_not_overflow_it(tmp_path: Path) -> None:
    unsent = Unsent(tmp_path / "unsent")
    for _ in range(100):
        unsent.add("cell:c1" * 100, "x" * 1000)
    assert 0 < unsent.length < SIZE
    assert set(read(tmp_path / "unsent")[1]) == {"x"}


@pytest.mark.parametrize("content", [None, b"", b"short", b"\xff" * SIZE])
def test_a_file_that_is_not_there_or_makes_no_sense_says_nothing_dangerous(
    tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "unsent").write_bytes(content)
    request, text = read(tmp_path / "unsent")
    assert len(request) <= 300
    assert len(text) <= SIZE
