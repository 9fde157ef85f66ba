"""Modules stay small enough to be read in one sitting."""

import sys
from pathlib import Path
from typing import Final

import pytest
from tests.repo.tree import BENCH, SRC, TESTS, python_files, report, shown

AIM: Final = 300
STOP: Final = 500
STOP_FOR_TESTS: Final = 800


def test_no_module_is_too_long() -> None:
    problems = _longer(SRC, STOP) + _longer(BENCH, STOP) + _longer(TESTS, STOP_FOR_TESTS)
    report(
        [f"{shown(path)} has {lines} lines" for path, lines in problems],
        f"split it by what it is about; {STOP} lines are the stop, {STOP_FOR_TESTS} for tests",
    )


def test_modules_over_the_aim_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    long = _longer(SRC, AIM)
    with capsys.disabled():
        for path, lines in long:
            sys.stderr.write(f"\nnote: {shown(path)} has {lines} lines; modules aim at {AIM}\n")
    assert all(lines > AIM for _, lines in long)


def test_the_gate_sees_the_modules() -> None:
    assert len(_longer(SRC, 0)) > 20
    assert len(_longer(TESTS, 0)) > 20


def _longer(under: Path, than: int) -> list[tuple[Path, int]]:
    counted = [(path, len(path.read_bytes().splitlines())) for path in python_files(under)]
    return [(path, lines) for path, lines in counted if lines > than]
