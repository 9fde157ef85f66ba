"""A daemon that dies is started again; one that was stopped is not."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.repo.tree import ROOT

from hearth.daemon.locking import take
from hearth.daemon.supervising import LONGEST_PAUSE, STABLE, decide, supervise

PROGRAM = """
import sys
import time
from hearth.daemon import supervising
supervising.command = lambda words: [sys.executable, "-m", "tests.daemon.pretended", *words]
sys.exit(supervising.supervise(sys.argv[1], sys.argv[2:]))
"""


@contextmanager
def supervisor(home: Path, how: str, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A supervisor of a pretended daemon, of which nothing is left in the end."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", PROGRAM, str(home), *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PRETENDED": how},
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            with suppress(psutil.Error):
                for one in [*psutil.Process(process.pid).children(), psutil.Process(process.pid)]:
                    one.kill()


def waits_until(condition: Callable[[], bool]) -> None:
    """Of files and processes nobody tells."""
    limit = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < limit
        os.sched_yield()


def starts(home: Path) -> list[int]:
    file = home / "ran"
    lines = file.read_text().splitlines() if file.exists() else []
    return [int(line.split()[0]) for line in lines]


def said(home: Path) -> list[dict[str, Any]]:
    file = home / "logs" / "supervisor.log"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.promise("SF-DMN-05")
def test_pauses_double_up_to_half_a_minute() -> None:
    crashes, pauses = 0, []
    for _ in range(8):
        pause, crashes = decide(crashes, 0.1, 1)
        pauses.append(pause)
    assert pauses == [1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.promise("SF-DMN-05")
def test_a_minute_of_life_begins_the_pauses_anew() -> None:
    assert decide(7, STABLE, -9) == (1, 1)
    assert decide(7, STABLE - 0.1, -9) == (30, 8)
    assert STABLE == 60


@pytest.mark.promise("SF-DMN-05")
@pytest.mark.parametrize("code", [0, 2])
def test_what_was_stopped_on_purpose_or_cannot_be_mended_stays_ended(code: int) -> None:
    assert decide(3, 0.1, code).pause is None
    assert decide(0, 1000, code).pause is None


@pytest.mark.promise("SF-DMN-05")
@given(
    crashes=st.integers(0, 10**9),
    uptime=st.floats(0, 10**9),
    code=st.integers(-64, 255).filter(lambda code: code not in {0, 2}),
)
def test_every_death_is_followed_by_a_start_within_half_a_minute(
    crashes: int, uptime: float, code: int
) -> None:
    pause, after = decide(crashes, uptime, code)
    assert pause is not None
    assert 1 <= pause <= LONGEST_PAUSE
    assert 1 <= after <= crashes + 1


@pytest.mark.promise("SF-DMN-05")
def test_a_killed_daemon_is_started_again_and_the_log_tells(tmp_path: Path) -> None:
    with supervisor(tmp_path, "serve", "--port", "4000"):
        waits_until((tmp_path / "daemon.json").exists)
        (first,) = starts(tmp_path)
        os.kill(first, signal.SIGKILL)
        waits_until(lambda: len(starts(tmp_path)) == 2)
        assert "--server --port 4000" in (tmp_path / "ran").read_text()
    messages = [line["message"] for line in said(tmp_path)]
    assert any("SIGKILL" in one and "started again in 1 s" in one for one in messages)
    assert {"time", "level", "logger", "message", "pid"} == set(said(tmp_path)[0])


@pytest.mark.promise("SF-DMN-06")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_supervisor_ends_both_for_good(tmp_path: Path, number: int) -> None:
    with supervisor(tmp_path, "serve") as process:
        waits_until((tmp_path / "daemon.json").exists)
        process.send_signal(number)
        assert process.wait(30) == 0
        (daemon,) = starts(tmp_path)
        assert not psutil.pid_exists(daemon)
    assert (tmp_path / "heard").read_text() == signal.Signals(number).name
    assert len(starts(tmp_path)) == 1


@pytest.mark.promise("SF-DMN-06")
def test_a_signal_while_the_daemon_is_down_ends_the_supervisor(tmp_path: Path) -> None:
    with supervisor(tmp_path, "crash") as process:
        waits_until(lambda: any("started again" in one["message"] for one in said(tmp_path)))
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_a_wish_to_reload_is_passed_on_and_ends_nobody(tmp_path: Path) -> None:
    with supervisor(tmp_path, "serve") as process:
        waits_until((tmp_path / "daemon.json").exists)
        process.send_signal(signal.SIGHUP)
        waits_until((tmp_path / "reloaded").exists)
        assert process.poll() is None
    assert len(starts(tmp_path)) == 1


@pytest.mark.promise("SF-DMN-05")
@pytest.mark.parametrize(("how", "code"), [("stop", 0), ("misused", 2)])
def test_one_that_stopped_or_was_misused_ends_its_supervisor(
    tmp_path: Path, how: str, code: int
) -> None:
    with supervisor(tmp_path, how) as process:
        assert process.wait(30) == code
    assert len(starts(tmp_path)) == 1
    assert "not started again" in said(tmp_path)[-1]["message"]


def test_a_home_has_one_supervisor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = take(str(tmp_path / "supervisor.lock"), 0)
    assert lock is not None
    assert supervise(str(tmp_path), []) == 2
    os.close(lock)
    assert "runs already" in capsys.readouterr().err
    assert starts(tmp_path) == []


def test_a_home_that_cannot_be_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home"
    home.touch()
    assert supervise(str(home), []) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "\nhint: " in told
