"""Which session is meant, and waiting for it."""

import io
import sys
import threading
from pathlib import Path

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer, refusal

from hearth.clients.cli.choosing import check, directory_of, session_for
from hearth.clients.cli.parsing import parse
from hearth.clients.cli.troubles import FAILED, REFUSED, WRONG_USAGE, Trouble
from hearth.clients.cli.wire import Wire

LIMIT = 30.0
SESSION = "session-a1b2c3"
UP = {"session": SESSION, "status": {}}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def chosen(daemon: FakeDaemon, *words: str) -> str:
    with Wire(daemon.found, "ann") as wire:
        return session_for(wire, parse(["run", *words]))


def test_a_named_session_is_found_by_the_daemon(daemon: FakeDaemon) -> None:
    daemon.on("GET /sessions/shop", {"value": {"session": SESSION}, "seq": 1})
    assert chosen(daemon, "--session", "shop") == SESSION
    with pytest.raises(Trouble) as caught:
        chosen(daemon, "--session", "nobody")
    assert caught.value.ending == REFUSED


@pytest.mark.promise("SF-CLI-02")
def test_a_directory_means_its_session_or_a_new_one(
    daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon.on("POST /sessions", UP)
    monkeypatch.chdir(tmp_path)
    assert chosen(daemon) == SESSION
    (tmp_path / "shop").mkdir()
    assert chosen(daemon, "--proj", "shop") == SESSION
    bodies = [one.body for one in daemon.asked("POST /sessions")]
    assert bodies == [
        {"directory": str(tmp_path), "reuse": True},
        {"directory": str(tmp_path / "shop"), "reuse": True},
    ]
    assert {one.headers["prefer"] for one in daemon.seen} == {"wait=600"}


def test_a_bare_session_is_asked_for_as_such(
    daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    daemon.on("POST /sessions", {"session": "bare-a1b2c3"}, 200)
    assert chosen(daemon, "--bare") == "bare-a1b2c3"
    body = {"directory": str(tmp_path), "mode": "bare", "reuse": True}
    assert [one.body for one in daemon.asked("POST /sessions")] == [body]


def test_what_is_to_be_known_of_a_new_session_is_told(
    daemon: FakeDaemon, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {"session": SESSION, "status": {"notices": ["it is not trusted\x1b yet"]}}
    daemon.on("POST /sessions", made, 201)
    assert chosen(daemon) == SESSION
    assert capsys.readouterr() == ("", "note: it is not trusted? yet\n")
    daemon.on("POST /sessions", made, 200)
    assert chosen(daemon) == SESSION
    assert capsys.readouterr() == ("", "")


def test_a_project_is_trusted_before_its_session_begins(daemon: FakeDaemon) -> None:
    shown = {"root": "/srv/shop", "files": ["pyproject.toml"], "digest": "d", "trusted": False}
    daemon.on("GET /trust", shown)
    daemon.on("POST /trust", {**shown, "trusted": True})
    daemon.on("POST /sessions", UP)
    assert chosen(daemon, "--trust") == SESSION
    assert [one.method for one in daemon.seen] == ["GET", "POST", "POST"]
    assert daemon.seen[1].body == {"root": "/srv/shop", "digest": "d"}
    daemon.on("GET /trust", {**shown, "trusted": True})
    chosen(daemon, "--trust")
    assert len(daemon.asked("POST /trust")) == 1


def test_a_directory_that_is_not_there_is_told() -> None:
    with pytest.raises(Trouble, match="no directory nowhere") as caught:
        directory_of(parse(["run", "--proj", "nowhere"]))
    assert caught.value.ending == WRONG_USAGE


@pytest.mark.parametrize("other", [["--proj", "/"], ["--bare"], ["--trust"]])
def test_a_session_is_named_or_described_not_both(other: list[str]) -> None:
    with pytest.raises(Trouble, match="two things"):
        check(parse(["run", "--session", "shop", *other]))
    check(parse(["run", *other]))


def test_a_session_that_cannot_be_made_ready_is_a_failure_not_a_refusal(
    daemon: FakeDaemon,
) -> None:
    daemon.does("POST /sessions", lambda _: refusal("warm_up_failed"))
    with pytest.raises(Trouble) as caught:
        chosen(daemon)
    assert (caught.value.ending, caught.value.code) == (FAILED, "warm_up_failed")
    daemon.does("POST /sessions", lambda _: refusal("too_many_sessions"))
    with pytest.raises(Trouble) as caught:
        chosen(daemon)
    assert caught.value.ending == REFUSED
    daemon.on("POST /sessions", {"session": SESSION}, 202)
    with pytest.raises(Trouble, match="not warm"):
        chosen(daemon)


def test_people_see_what_a_long_warm_up_does(
    daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, go = Terminal(), threading.Event()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("hearth.clients.cli.choosing.SOON", 0.01)
    row = {"session": SESSION, "state": "warming_up", "directory": str(tmp_path)}
    daemon.on("GET /sessions", {"value": {"rows": [row]}, "seq": 1})
    events = daemon.events(f"/sessions/{SESSION}/events")
    events.progress({"type": "warm_up_step", "message": "building wheels"})

    def slowly(_: Seen) -> bytes:
        assert go.wait(LIMIT)
        return answer(UP, 201)

    daemon.does("POST /sessions", slowly)
    written = terminal.write

    def watched(text: str) -> int:
        if "building wheels" in text:
            go.set()
        return written(text)

    monkeypatch.setattr(terminal, "write", watched)
    assert chosen(daemon, "--proj", str(tmp_path)) == SESSION
    assert "preparing a session" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_warm_up_that_nobody_can_watch_is_waited_for_all_the_same(
    daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.clients.cli.choosing.SOON", 0.0)
    daemon.on("POST /sessions", UP, 201)
    assert chosen(daemon, "--proj", str(tmp_path)) == SESSION
