"""`hearth events`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon

from hearth.clients.cli.following import GONE

LIMIT = 30.0
SESSION = "session-a1b2c3"


@pytest.fixture
def busy(daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch) -> FakeDaemon:
    """A daemon in which five things happened."""
    monkeypatch.setenv("TZ", "UTC")
    daemon.on("GET /sessions", {"value": {"rows": []}, "seq": 5})
    daemon.on("GET /sessions/a1", {"value": {"session": SESSION}, "seq": 5})
    for path in ("/events", f"/sessions/{SESSION}/events"):
        fill(daemon, path)
    return daemon


def fill(daemon: FakeDaemon, path: str) -> None:
    events = daemon.events(path)
    events.row(1, {"type": "session_started", "config": {"directory": "/srv/shop"}})
    events.row(2, {"type": "session_ready"})
    events.row(3, {"type": "cell_started", "cell": "c1", "code": "1 + 1"})
    events.progress({"type": "output_chunk", "cell": "c1", "stream": "stdout", "text": "x"})
    finished = {"type": "cell_finished", "cell": "c1", "value": "2", "value_type": "int"}
    events.row(4, {**finished, "duration": 0.01})
    events.row(5, {"type": "state_transitioned", "from": "evaluating", "to": "ready"})


def test_what_happened_is_told_one_line_each(
    run: Run, busy: FakeDaemon, snapshot: SnapshotAssertion
) -> None:
    done = run("events", "--all")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot
    assert len(done.out.splitlines()) == 5
    assert busy.events("/events").after == "after=0"


def test_a_session_is_known_by_any_of_its_names(run: Run, busy: FakeDaemon) -> None:
    done = run("events", "--session", "a1", "--last", "2")
    assert [line.split()[0] for line in done.out.splitlines()] == ["4", "5"]
    assert busy.events(f"/sessions/{SESSION}/events").after == "after=0"


def test_the_last_events_are_meant_unless_something_else_is_said(
    run: Run, daemon: FakeDaemon
) -> None:
    daemon.on("GET /sessions", {"value": {"rows": []}, "seq": 105})
    events = daemon.events("/events")
    events.row(105, {"type": "session_ready"})
    assert run("events").out.count("\n") == 1
    assert events.after == "after=55"


def test_a_cursor_is_begun_behind(run: Run, busy: FakeDaemon) -> None:
    done = run("events", "--after", "5")
    assert (done.code, done.out) == (0, "")
    assert "nothing happened" in done.err
    assert busy.events("/events").after == "after=5"


@pytest.mark.usefixtures("busy")
def test_events_are_one_object_for_programs(run: Run) -> None:
    done = run("events", "--all", "--json")
    assert done.json["seq"] == 5
    assert [one["seq"] for one in done.json["events"]] == [1, 2, 3, 4, 5]
    assert done.json["events"][2]["event"]["code"] == "1 + 1"


def test_two_beginnings_are_one_too_many(run: Run, busy: FakeDaemon) -> None:
    assert run("events", "--all", "--after", "3").code == 2
    assert busy.seen == []


@pytest.fixture
def follower(busy: FakeDaemon) -> Iterator["subprocess.Popen[str]"]:
    """`hearth events --follow --json` in a process of its own."""
    assert busy.seen == []
    process = subprocess.Popen(
        [sys.executable, "-m", "hearth", "events", "--follow", "--json", "--last", "3"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
        encoding="utf-8",
    )
    yield process
    process.kill()
    process.communicate(timeout=LIMIT)


def line_of(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def test_following_goes_on_over_a_restart_and_ends_with_an_interruption(
    follower: "subprocess.Popen[str]", busy: FakeDaemon, home: Path
) -> None:
    assert busy.events("/events").opened.wait(LIMIT)
    assert busy.events("/events").after == "after=2"
    # The fake sends all of its rows, whatever the cursor; only the last three are wanted.
    first = [json.loads(line_of(follower.stdout))["seq"] for _ in range(3)]
    assert first == [3, 4, 5]
    busy.events("/events").end()
    busy.streams.clear()
    again = busy.events("/events")
    again.row(6, {"type": "session_stopped"})
    assert json.loads(line_of(follower.stdout))["seq"] == 6
    assert again.after == "after=5"
    assert home.exists()
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate(timeout=LIMIT)
    assert (follower.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert err in {"", f"{GONE}\nthe daemon is back\n"}
