"""`make demo` works where nobody watches, and leaves nothing behind."""

import subprocess
import sys
from pathlib import Path


def test_a_terminal_without_arrows_still_shows_the_rest(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearth.demo"],
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"ready ? evaluating" in done.stdout


def test_the_demo_runs_from_the_command_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearth.demo"],
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "ann is done" in done.stdout
    assert list(tmp_path.iterdir()) == []
