"""Each thing that a daemon needs is looked at, and its trouble is told with what helps."""

import os
import socket
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from tests.offline.stored import fill

from hearth.app import run
from hearth.daemon.discovery import Found, announce
from hearth.daemon.locking import take
from hearth.offline.examining import Finding, examined
from hearth.performers.sandbox import bubblewrap


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "home"


def about(subject: str) -> Finding:
    found = [one for one in run(examined()) if one.about == subject]
    return next((one for one in found if one.state != "ok"), found[0])


def test_a_home_that_others_can_read_is_warned_of(home: Path) -> None:
    home.mkdir()
    home.chmod(0o755)
    found = about("home")
    assert found.state == "warn"
    assert "chmod 700" in found.hint
    home.chmod(0o700)
    assert about("home").state == "ok"


def test_a_home_that_cannot_be_is_bad(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write_text("a file")
    assert about("home").state == "bad"
    home.unlink()
    monkeypatch.setenv("HEARTH_HOME", "/proc/hearth-home")
    assert about("home").state == "bad"


def test_little_room_on_the_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as the system gives it
    for free, state in ((10 << 30, "ok"), (500 << 20, "warn"), (1 << 20, "bad")):
        given = usage(1 << 40, 0, free)
        monkeypatch.setattr("shutil.disk_usage", lambda _, given=given: given)
        assert about("disk").state == state


def test_a_mistake_in_settings_is_shown_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "config" / "hearth" / "hearth.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text('{\n "modle": "x"}')
    found = about("settings")
    assert found.state == "warn"
    assert f"{file}:2" in found.what


def test_a_daemon_that_lives_and_one_that_died_are_told_apart(home: Path) -> None:
    home.mkdir(mode=0o700)
    path = str(home / "hearth.sock")
    said: dict[str, Any] = {"port": 4000, "socket": path, "token": "t", "started_at": "now"}
    announce(str(home), Found(pid=999999, version="0.1.0", **said))
    assert "what a dead one had left was removed" in about("daemon").what
    lock = take(str(home / "daemon.lock"), 1)
    assert lock is not None
    announce(str(home), Found(pid=os.getpid(), version="0.1.0", **said))
    silent = about("daemon")
    assert silent.state == "bad"
    assert f"kill {os.getpid()}" in silent.hint
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        assert about("daemon").state == "ok"
        assert about("port").what == "4000 is the daemon's"
        announce(str(home), Found(pid=os.getpid(), version="0.9.0", **said))
        assert about("daemon").state == "warn"
    os.close(lock)


def test_a_port_that_is_wanted_and_taken_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("HEARTH_PORT", str(port))
        found = about("port")
        assert found.state == "bad"
        assert str(port) in found.what
    assert about("port").state == "ok"


def test_a_home_too_deep_for_a_socket_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / ("d" * 120)))
    found = about("socket")
    assert found.state == "ok"
    assert "too long" in found.what


def test_the_store_is_opened_and_its_damage_is_seen(home: Path) -> None:
    fill(home)
    found = about("store")
    assert found.state == "ok"
    assert "events" in found.what
    (home / "data" / "hearth.db").write_bytes(b"no database " * 1000)
    assert about("store").state == "bad"


def test_a_store_that_does_not_exist_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARTH_DATABASE_URL", "mysql://x")
    found = about("store")
    assert found.state == "bad"
    assert "daemon.database" in found.hint


def test_nothing_of_a_project_that_is_not_trusted_is_run(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\n')
    python = work / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (work / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    python.write_text(f'#!/bin/sh\ntouch {tmp_path}/ran\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    found = about("project")
    assert "not trusted" in found.what
    assert "hearth trust" in found.hint
    assert not (tmp_path / "ran").exists()


def test_missing_tools_and_a_missing_sandbox_are_warned_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert about("ruff").state == "warn"
    assert "pip install ty" in about("ty").hint
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter(()))
    sandbox = about("sandbox")
    assert sandbox.state == "warn"
    assert "not contained: there is no bubblewrap" in sandbox.what
    assert "sandbox.md" in sandbox.hint


def test_the_sandbox_is_tried_and_what_is_weaker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [one for one in run(examined()) if one.about == "sandbox"]
    assert found[0] == Finding("sandbox", "ok", "what agents run is contained")
    monkeypatch.setattr("os.getuid", lambda: 0)
    found = [one for one in run(examined()) if one.about == "sandbox"]
    assert "as root" in found[-1].what
    assert found[-1].state == "warn"
