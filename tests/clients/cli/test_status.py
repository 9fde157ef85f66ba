"""`hearth status` and `hearth sessions`."""

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon

from hearth.clients.cli import showing

NOW = "2026-01-02T03:14:05Z"
INFO = {
    "pid": 4711,
    "port": 37749,
    "socket": "/home/ann/.hearth/hearth.sock",
    "startedAt": "2026-01-02T01:04:05Z",
    "version": "0.1.0",
    "home": "/home/ann/.hearth",
    "sessions": 2,
    "resumed": 0,
    "connections": {},
}


def row(session: str, **more: Any) -> dict[str, Any]:
    return {
        "session": session,
        "name": "shop",
        "directory": "/home/ann/code/shop",
        "state": "ready",
        "last_activity": "2026-01-02T03:12:05Z",
        **more,
    }


def status(session: str, **more: Any) -> dict[str, Any]:
    return {"value": row(session, evals=12, errors=1, **more), "seq": 9, "connections": {}}


ROWS = [
    row("session-aaaaaa", state="evaluating"),
    row("session-bbbbbb", name="lab", directory="/srv/lab", state="faulted"),
    row("session-cccccc", name="old", stopped=True, state="uninitialized"),
]
CURRENT = {
    "cell": "c13",
    "code": "for x in slowly():\n    print(x)",
    "origin": {"actor": "agent", "name": "helper-bot"},
}


@pytest.fixture
def peopled(daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch) -> FakeDaemon:
    monkeypatch.setenv("HOME", "/home/ann")
    now = showing.epoch(NOW)
    assert now is not None
    monkeypatch.setattr("time.time", lambda: now)
    daemon.on("GET /api/daemon-info", INFO)
    daemon.on("GET /sessions", {"value": {"rows": ROWS}, "seq": 9})
    daemon.on("GET /sessions/session-aaaaaa", status("session-aaaaaa", current=CURRENT))
    failure = {"type": "worker_crashed", "message": "killed by signal 9"}
    daemon.on("GET /sessions/session-bbbbbb", status("session-bbbbbb", failure=failure))
    daemon.on("GET /sessions/session-cccccc", status("session-cccccc", stopped=True))
    return daemon


@pytest.mark.promise("SF-CLI-04")
def test_status_tells_of_the_daemon_and_its_sessions(
    run: Run, peopled: FakeDaemon, snapshot: SnapshotAssertion
) -> None:
    done = run("status")
    assert done.code == 0
    assert done.out == snapshot
    assert "pid 4711, for 2 h 10 min" in done.out
    assert "helper-bot: for x in slowly():" in done.out
    assert "2 min ago" in done.out
    assert "\x1b" not in done.out
    assert "session-cccccc" not in done.out
    assert "1 more stopped" in done.err
    assert len(peopled.asked("GET /sessions")) == 1


@pytest.mark.promise("SF-CLI-04")
def test_status_without_a_daemon_says_so(run: Run, home: Path) -> None:
    assert home.exists()
    done = run("status")
    assert (done.code, done.out) == (3, "")
    assert "no daemon is running" in done.err


@pytest.mark.usefixtures("peopled")
def test_status_is_one_object_for_programs(run: Run) -> None:
    done = run("status", "--all", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["daemon"] == INFO
    assert [one["session"] for one in done.json["sessions"]] == [one["session"] for one in ROWS]
    assert done.json["sessions"][0]["evals"] == 12
    assert done.json["sessions"][0]["current"]["cell"] == "c13"


def test_a_session_that_goes_meanwhile_does_no_harm(run: Run, peopled: FakeDaemon) -> None:
    del peopled.answers["GET /sessions/session-bbbbbb"]
    done = run("status")
    assert done.code == 0
    assert "session-bbbbbb" in done.out


@pytest.mark.usefixtures("peopled")
def test_sessions_are_listed(run: Run, snapshot: SnapshotAssertion) -> None:
    done = run("sessions", "--all")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot
    assert "stopped" in done.out
    rows = run("sessions", "--json").json["sessions"]
    assert [one["name"] for one in rows] == ["shop", "lab"]


@pytest.mark.promise("DP-SESS-03")
def test_what_sessions_cost_is_shown_where_it_is_something(run: Run, daemon: FakeDaemon) -> None:
    rows = [row("session-aaaaaa", cost=0.01234), row("session-bbbbbb", cost=0.0), row("session-c")]
    daemon.on("GET /sessions", {"value": {"rows": rows}, "seq": 9})
    head, *lines = run("sessions").out.splitlines()
    assert head.split()[-2:] == ["COST", "DIRECTORY"]
    assert [line[head.index("COST") :].split()[0] for line in lines] == [
        "$0.0123",
        "/home/ann/code/shop",
        "/home/ann/code/shop",
    ]
    daemon.on("GET /sessions", {"value": {"rows": rows[1:]}, "seq": 9})
    assert "COST" not in run("sessions").out


@pytest.mark.usefixtures("peopled")
def test_names_are_told_for_a_shell_to_complete(run: Run) -> None:
    done = run("sessions", "--names")
    assert done.out.split() == ["shop", "session-aaaaaa", "lab", "session-bbbbbb"]
    assert done.err == ""


def test_no_sessions_is_said_with_what_would_begin_one(run: Run, daemon: FakeDaemon) -> None:
    daemon.on("GET /sessions", {"value": {}, "seq": 0})
    done = run("sessions")
    assert done.code == 0
    assert "no sessions" in done.out
    assert run("sessions", "--json").json == {"sessions": []}
    assert run("sessions", "--names").out == ""


@pytest.mark.usefixtures("daemon")
def test_what_the_daemon_refuses_is_told(run: Run) -> None:
    done = run("status")
    assert done.code == 4
    assert "no: unknown_session" in done.err


def test_what_contains_agents_and_what_they_wait_for_is_told(peopled: FakeDaemon, run: Run) -> None:
    told = {"sandbox": {"on": False, "why": "there is no bubblewrap"}, "approvals": 2}
    peopled.on("GET /api/daemon-info", {**INFO, **told, "permissionMode": "auto"})
    shown = run("status").out
    assert "  sandbox  off: there is no bubblewrap\n" in shown
    assert "  asking   nobody (auto mode)\n" in shown
    assert "  agents   2 things wait for you: `hearth approvals`\n" in shown
    peopled.on("GET /api/daemon-info", {**INFO, "sandbox": {"on": True, "why": ""}, "approvals": 1})
    shown = run("status").out
    assert "  sandbox  on\n" in shown
    assert "1 thing waits" in shown
    assert "asking" not in shown


def test_status_says_that_something_waits_for_a_person(run: Run, peopled: FakeDaemon) -> None:
    assert "hearth approvals" not in run("status").out
    assert run("status", "--json").json["waiting"] == 0
    for count, said in ((1, "1 thing waits for you"), (3, "3 things wait for you")):
        peopled.on("GET /api/daemon-info", {**INFO, "approvals": count})
        assert f"{said}: `hearth approvals`" in run("status").out
        assert run("status", "--json").json["waiting"] == count


def test_status_tells_the_copies_and_what_they_take(run: Run, peopled: FakeDaemon) -> None:
    assert "COPIES" not in run("status").out
    kept = {"cells": ["c10", "c12"], "size": 12 << 20}
    peopled.on("GET /sessions/session-aaaaaa", status("session-aaaaaa", kept=kept))
    head, first, second = run("status").out.splitlines()[-3:]
    assert head.split()[2:5] == ["STATE", "CELLS", "COPIES"]
    assert "2 (12 MB)" in first
    assert "MB" not in second
    peopled.on("GET /sessions/session-aaaaaa", status("session-aaaaaa", kept={"cells": ["c1"]}))
    assert "(" not in run("status").out.splitlines()[-2].split("DIRECTORY")[-1]
    assert "COPIES" not in run("sessions").out
