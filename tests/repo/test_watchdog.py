"""A run of tests ends, whatever one of them does."""

import subprocess
import sys
from pathlib import Path

from tests.repo.watchdog import GAVE_UP

ROOT = Path(__file__).parents[2]


def test_what_does_not_end_is_ended_and_the_place_is_said() -> None:
    command = [sys.executable, "-m", "tests.repo.watchdog"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=30, check=False)  # noqa: S603 - our own interpreter and words
    said = ended.stderr.decode()
    assert ended.returncode == GAVE_UP
    assert "a play did not end within 0.2 s" in said
    assert "in _for_ever" in said, "where a task waits"
    assert "run_forever" in said, "where a thread stands"
