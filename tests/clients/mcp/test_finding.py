import socket
import threading
from pathlib import Path

import pytest
from tests.clients.mcp.test_exchange import _found

from hearth.clients.mcp.finding import Finding, NoDaemon
from hearth.daemon import discovery, starting
from hearth.daemon.discovery import Found
from hearth.daemon.versions import VERSION

PATIENCE = 30.0


def _with_version(version: str) -> Found:
    found = _found("/nowhere")
    found.version = version
    return found


def test_one_that_runs_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = _with_version(VERSION)
    monkeypatch.setattr(discovery, "find", lambda _home: there)
    finding = Finding(str(tmp_path), lambda: None)
    reached = finding.reach()
    assert reached is not None
    assert reached.found is there
    assert not finding.is_there(there)  # it is announced, and nobody listens


def test_a_stranger_at_the_port_of_one_that_is_gone_is_not_spoken_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        there = _found(str(tmp_path / "none"), listening.getsockname()[1])
        there.version = VERSION
        monkeypatch.setattr(discovery, "find", lambda _home: there)
        finding = Finding(str(tmp_path), lambda: None)
        reached = finding.reach()
        assert reached is not None
        reached.take().close()
        listening.accept()[0].close()
        for now in (None, _with_version("999.0")):
            monkeypatch.setattr(discovery, "find", lambda _home, now=now: now)
            with pytest.raises(ConnectionRefusedError, match="it is gone"):
                reached.take()
            assert not finding.is_there(there)
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_one_of_another_age_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(discovery, "find", lambda _home: _with_version("999.0"))
    with pytest.raises(NoDaemon, match="cannot talk to"):
        Finding(str(tmp_path), lambda: None).reach()


def test_where_none_may_be_started_that_is_told(tmp_path: Path) -> None:
    finding = Finding(str(tmp_path), lambda: None, may_start=False)
    assert finding.look() is None
    with pytest.raises(NoDaemon, match="no daemon is running"):
        finding.reach()


def test_one_is_started_beside_and_its_coming_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there, told = _with_version(VERSION), threading.Event()
    monkeypatch.setattr(starting, "start", lambda _home: there)
    finding = Finding(str(tmp_path), told.set)
    assert finding.reach() is None
    assert told.wait(PATIENCE)
    assert not finding.is_starting
    reached = finding.reach()
    assert reached is not None
    assert reached.found is there


def test_one_that_cannot_be_started_is_told_and_tried_again_next_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def start(_home: str) -> Found:
        raise starting.NotStarted("no room", "make room")

    monkeypatch.setattr(starting, "start", start)
    for _ in range(2):
        told = threading.Event()
        finding = Finding(str(tmp_path), told.set)
        assert finding.reach() is None
        assert told.wait(PATIENCE)
        with pytest.raises(NoDaemon, match="no room; hint: make room"):
            finding.reach()


def test_one_that_was_doubted_is_looked_at_before_it_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there, told = _with_version(VERSION), threading.Event()
    monkeypatch.setattr(discovery, "find", lambda _home: there)
    monkeypatch.setattr(starting, "start", lambda _home: there)
    finding = Finding(str(tmp_path), told.set)
    finding.doubt()
    assert finding.reach() is None
    assert told.wait(PATIENCE)
    assert finding.reach() is not None
