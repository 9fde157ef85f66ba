"""`hearth reset`."""

from pathlib import Path

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, refusal

SESSION = "session-a1b2c3"
COMMANDS = f"POST /sessions/{SESSION}/commands"


def settled(kind: str) -> dict[str, object]:
    return {"accepted": {}, "envelopes": [{"event": {"type": kind}}]}


def test_a_session_begins_again_and_tells_what_is_to_be_known(run: Run, daemon: FakeDaemon) -> None:
    status = {"session": SESSION, "name": "shop", "notices": ["nothing was \x1bloaded"]}
    for name in ("shop", SESSION):
        daemon.on(f"GET /sessions/{name}", {"value": status, "seq": 3})
    daemon.on(COMMANDS, settled("session_ready"))
    done = run("reset", "shop")
    assert (done.code, done.out) == (0, f"shop ({SESSION}) is ready; its variables are gone\n")
    assert "note: nothing was" in done.err
    assert "\x1b" not in done.err
    run("reset", "shop", "--hard")
    run("reset", "shop", "--rebuild")
    assert [one.body for one in daemon.asked(COMMANDS)] == [
        {"type": "reset_session"},
        {"type": "hard_reset_session", "rebuild": False},
        {"type": "hard_reset_session", "rebuild": True},
    ]
    assert run("reset", "shop", "--json").json == {
        "session": SESSION,
        "name": "shop",
        "ready": True,
    }


def test_the_session_of_this_directory_is_meant_if_none_is_named(
    run: Run, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = {"directory": str(tmp_path), "state": "ready"}
    rows = [
        {**here, "session": "bare-000000", "mode": "bare"},
        {**here, "session": "session-000000", "stopped": True},
        {**here, "session": SESSION},
    ]
    daemon.on("GET /sessions", {"value": {"rows": rows}, "seq": 0})
    daemon.on(f"GET /sessions/{SESSION}", {"value": {"session": SESSION}, "seq": 3})
    daemon.on(COMMANDS, settled("session_ready"))
    assert run("reset").code == 0
    daemon.on("GET /sessions", {"value": {}, "seq": 0})
    done = run("reset")
    assert done.code == 2
    assert f"there is no session in {tmp_path}" in done.err


def test_one_that_cannot_be_started_again_or_may_not_be_says_why(
    run: Run, daemon: FakeDaemon
) -> None:
    status = {"session": SESSION, "failure": {"message": "no such folder"}}
    daemon.on(f"GET /sessions/{SESSION}", {"value": status, "seq": 3})
    daemon.on(COMMANDS, settled("session_faulted"))
    done = run("reset", SESSION)
    assert (done.code, done.out) == (1, "")
    assert "could not be started again: no such folder" in done.err
    daemon.does(COMMANDS, lambda _: refusal("not_now", state="evaluating"))
    assert run("reset", SESSION).code == 4
