"""From a command to its daemon."""

import json
from pathlib import Path

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon

SESSIONS = {"value": {"rows": []}, "seq": 0}


def test_no_daemon_is_told_with_a_hint(run: Run, home: Path) -> None:
    done = run("sessions")
    assert (done.code, done.out) == (3, "")
    assert "no daemon is running" in done.err
    assert "hearth -d" in done.err
    assert run("sessions", "--json").json["error"] == {
        "code": "no_daemon",
        "message": "no daemon is running",
        "hint": "`hearth -d` starts one; `hearth` starts one and opens a prompt",
        "home": str(home),
    }


def test_a_stale_file_is_no_daemon(run: Run, home: Path) -> None:
    fields = {
        "pid": 999999,
        "port": 37749,
        "socket": str(home / "hearth.sock"),
        "token": "x",
        "startedAt": "2026-01-02T03:04:05Z",
        "version": "0.1.0",
    }
    (home / "daemon.json").write_text(json.dumps(fields), "utf-8")
    assert run("status").code == 3
    assert not (home / "daemon.json").exists()


@pytest.mark.promise("SF-DMN-08")
def test_a_daemon_of_another_version_is_warned_of(run: Run, home: Path) -> None:
    with FakeDaemon(home, version="0.99.7").serving() as daemon:
        daemon.on("GET /sessions", SESSIONS)
        done = run("sessions", "--json")
        assert (done.code, done.json) == (0, {"sessions": []})
        assert "warning: the daemon is hearth 0.99.7" in done.err


@pytest.mark.promise("SF-DMN-08")
def test_a_daemon_of_another_major_version_is_not_talked_to(run: Run, home: Path) -> None:
    with FakeDaemon(home, version="7.0.0").serving() as daemon:
        done = run("sessions")
        assert (done.code, done.out) == (5, "")
        assert "7.0.0" in done.err
        assert "hint: " in done.err
        assert run("status", "--json").json["error"]["code"] == "wrong_version"
        assert daemon.seen == []


@pytest.mark.promise("SF-DMN-08")
def test_the_same_version_says_nothing(run: Run, daemon: FakeDaemon) -> None:
    daemon.on("GET /sessions", SESSIONS)
    done = run("sessions", "--json")
    assert (done.code, done.err) == (0, "")
