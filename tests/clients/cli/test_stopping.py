"""`hearth stop` and `hearth stop-session`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer, refusal

LIMIT = 30.0
WAITS = "import sys; sys.stdin.read()"


@pytest.fixture
def process() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that ends when its stdin is closed."""
    started = subprocess.Popen([sys.executable, "-c", WAITS], stdin=subprocess.PIPE)  # noqa: S603 - our own words
    yield started
    started.kill()
    started.communicate(timeout=LIMIT)


@pytest.fixture
def mortal(home: Path, process: "subprocess.Popen[bytes]") -> Iterator[FakeDaemon]:
    """A daemon whose process ends when it is told to."""

    def end(_: Seen) -> bytes:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        return answer({}, 202)

    with FakeDaemon(home, pid=process.pid).serving() as fake:
        fake.does("POST /shutdown", end)
        yield fake


@pytest.mark.promise("SF-CLI-04")
def test_stop_ends_the_daemon_and_waits_for_its_end(
    run: Run, mortal: FakeDaemon, process: "subprocess.Popen[bytes]"
) -> None:
    done = run("stop")
    assert (done.code, done.out) == (0, f"the daemon (pid {process.pid}) has ended\n")
    assert process.wait(LIMIT) == 0
    assert mortal.asked("POST /shutdown")[0].body == {"end_sessions": True}


def test_interpreters_can_be_kept(run: Run, mortal: FakeDaemon) -> None:
    done = run("stop", "--keep-sessions", "--json")
    assert done.json == {"stopped": True, "pid": mortal.pid, "sessions": "kept"}
    assert mortal.asked("POST /shutdown")[0].body == {"end_sessions": False}


def test_without_handles_for_processes_the_lock_tells(
    run: Run, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    looks = iter([daemon.found, daemon.found, None])
    monkeypatch.setattr("hearth.daemon.discovery.find", lambda _: next(looks))
    daemon.on("POST /shutdown", {}, 202)
    assert run("stop").code == 0
    assert next(looks, "no more") == "no more"


def test_a_daemon_that_does_not_end_is_told(run: Run, daemon: FakeDaemon) -> None:
    daemon.on("POST /shutdown", {}, 202)
    done = run("stop", "--timeout", "0.01")
    assert (done.code, done.out) == (1, "")
    assert f"pid {os.getpid()}" in done.err
    assert "hint: " in done.err
    assert run("stop", "--timeout", "0.01", "--json").json["error"]["code"] == "still_running"


@pytest.mark.promise("SF-CLI-04")
def test_stopping_nothing_is_told(run: Run) -> None:
    done = run("stop")
    assert (done.code, done.out) == (3, "")


def test_a_session_is_stopped_by_any_of_its_names(run: Run, daemon: FakeDaemon) -> None:
    viewed = {"value": {"session": "session-a1b2c3", "name": "shop"}, "seq": 3}
    daemon.on("GET /sessions/my%20shop", viewed)
    daemon.on("POST /sessions/session-a1b2c3/commands", {"accepted": {}, "envelopes": []})
    done = run("stop-session", "my shop")
    assert (done.code, done.out) == (0, "shop (session-a1b2c3) has ended; its log stays\n")
    [seen] = daemon.asked("POST /sessions/session-a1b2c3/commands")
    assert seen.body["type"] == "stop_session"
    assert seen.headers["prefer"] == "wait=30"
    assert run("stop-session", "my shop", "--json").json["stopped"] is True
    daemon.on("POST /sessions/session-a1b2c3/commands", {"id": "x"}, 202)
    assert "is ending" in run("stop-session", "my shop").out


def test_a_session_that_is_not_there_is_refused(run: Run, daemon: FakeDaemon) -> None:
    daemon.does("GET /sessions/s", lambda _: refusal("ambiguous_session", sessions=["shop", "srv"]))
    done = run("stop-session", "s", "--json")
    assert done.code == 4
    assert done.json["error"]["sessions"] == ["shop", "srv"]
    assert run("stop-session", "nobody").code == 4
