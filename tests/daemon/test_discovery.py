"""How a daemon is found, and that a dead one never is."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hearth.daemon.discovery import Found, announce, find, lock_is_held, withdraw
from hearth.daemon.locking import take

HOLDER = """
import sys
from hearth.daemon.locking import take
take(sys.argv[1] + "/daemon.lock", 5)
print("held", flush=True)
sys.stdin.read()
"""


def found(pid: int, **other: Any) -> Found:
    said: dict[str, Any] = {
        "pid": pid,
        "port": 37749,
        "socket": "/some/where/hearth.sock",
        "token": "a-secret",
        "started_at": "2026-02-03T04:05:06Z",
        "version": "0.1.0",
    }
    return Found(**{**said, **other})


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """This very process is the daemon."""
    lock = take(str(home / "daemon.lock"), 1)
    assert lock is not None
    try:
        yield
    finally:
        os.close(lock)


@contextmanager
def daemon_process(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lock, until it is told to end or killed."""
    with subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", HOLDER, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.promise("SF-DMN-03", "SF-DMN-04")
def test_what_was_announced_is_found(tmp_path: Path) -> None:
    with locked(tmp_path):
        mine = found(os.getpid())
        announce(str(tmp_path), mine)
        assert find(str(tmp_path)) == mine
    written = json.loads((tmp_path / "daemon.json").read_bytes())
    assert set(written) == {"pid", "port", "socket", "token", "startedAt", "version"}


@pytest.mark.promise("SF-DMN-03")
def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with locked(tmp_path):
            announce(str(tmp_path), found(os.getpid()))
    finally:
        os.umask(before)
    assert (tmp_path / "daemon.json").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["daemon.json", "daemon.lock"]


def test_the_token_is_not_shown_by_chance() -> None:
    assert "a-secret" not in repr(found(7))


@pytest.mark.promise("SF-DMN-04")
def test_no_file_means_no_daemon(tmp_path: Path) -> None:
    assert find(str(tmp_path)) is None
    assert find(str(tmp_path / "nowhere")) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("SF-DMN-04")
@pytest.mark.parametrize("pid", [999999, 2**40])
def test_a_file_of_a_process_that_is_gone_means_no_daemon_and_is_removed(
    tmp_path: Path, pid: int
) -> None:
    announce(str(tmp_path), found(pid))
    assert find(str(tmp_path)) is None
    assert not (tmp_path / "daemon.json").exists()


@pytest.mark.promise("SF-DMN-04")
def test_a_pid_that_came_back_as_another_process_is_no_daemon(tmp_path: Path) -> None:
    # This process lives, but it does not hold the lock.
    announce(str(tmp_path), found(os.getpid()))
    assert find(str(tmp_path)) is None
    assert not (tmp_path / "daemon.json").exists()


@pytest.mark.promise("SF-DMN-04")
def test_a_killed_daemon_is_known_to_be_gone_at_once(tmp_path: Path) -> None:
    with daemon_process(tmp_path) as process:
        announce(str(tmp_path), found(process.pid))
        assert find(str(tmp_path)) == found(process.pid)
        assert lock_is_held(str(tmp_path))
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        assert find(str(tmp_path)) is None
        assert not lock_is_held(str(tmp_path))
    assert not (tmp_path / "daemon.json").exists()


@pytest.mark.promise("SF-DMN-04")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b'{"pid":"7"}',
        b'{"pid":true,"port":1,"socket":"","token":"","startedAt":"","version":""}',
        b'{"pid":0,"port":1,"socket":"","token":"","startedAt":"","version":""}',
        b'{"pid":-1,"port":1,"socket":"","token":"","startedAt":"","version":""}',
        b'{"pid":1,"port":1,"socket":"","token":7,"startedAt":"","version":""}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_file_that_no_daemon_wrote_is_removed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "daemon.json").write_bytes(content)
    assert find(str(tmp_path)) is None
    assert not (tmp_path / "daemon.json").exists()


def test_the_file_of_one_that_is_just_starting_is_left_to_it(tmp_path: Path) -> None:
    announce(str(tmp_path), found(999999))
    with locked(tmp_path):
        assert find(str(tmp_path)) is None
        assert (tmp_path / "daemon.json").exists()


def test_a_daemon_withdraws_its_own_file_only(tmp_path: Path) -> None:
    announce(str(tmp_path), found(7))
    withdraw(str(tmp_path), 8)
    assert (tmp_path / "daemon.json").exists()
    withdraw(str(tmp_path), 7)
    assert not (tmp_path / "daemon.json").exists()
    withdraw(str(tmp_path), 7)


def test_an_announcement_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "daemon.json").mkdir()
    (tmp_path / "daemon.json" / "in the way").touch()
    with pytest.raises(OSError, match=r"daemon\.json"):
        announce(str(tmp_path), found(7))
    assert [path.name for path in tmp_path.iterdir()] == ["daemon.json"]


@pytest.mark.promise("SF-DMN-03")
def test_whoever_reads_meanwhile_never_sees_half_a_file(tmp_path: Path) -> None:
    home = str(tmp_path)
    over = threading.Event()
    seen: list[Found | None] = []

    def read() -> None:
        while not over.is_set():
            seen.append(find(home))

    with locked(tmp_path):
        announce(home, found(os.getpid(), token="x" * 10))
        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        try:
            for number in range(300):
                announce(home, found(os.getpid(), token="x" * (10 + number * 20)))
        finally:
            over.set()
            for reader in readers:
                reader.join(30)
    assert seen
    assert None not in seen


def test_many_who_look_at_once_do_not_take_each_other_for_a_daemon(tmp_path: Path) -> None:
    home = str(tmp_path)
    (tmp_path / "daemon.lock").touch()
    held: list[bool] = []

    def look() -> None:
        held.extend(lock_is_held(home) for _ in range(200))

    lookers = [threading.Thread(target=look) for _ in range(4)]
    for looker in lookers:
        looker.start()
    for looker in lookers:
        looker.join(30)
    assert len(held) == 800
    assert not any(held)
