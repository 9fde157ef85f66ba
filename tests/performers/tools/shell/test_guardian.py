import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.tools.shell.commanding import BASH, LIMIT, is_running, pids_in

from hearth.performers.tools.shell import guardian


class Guarded:
    """A guardian and the line to it."""

    def __init__(
        self, command: str, directory: Path, patience: float = 20, spared: str = "0"
    ) -> None:
        self.line, theirs = socket.socketpair()
        self.line.settimeout(LIMIT)
        python = (sys.executable, "-I", "-S", guardian.__file__)
        argv = [*python, str(patience), spared, "0", str(directory)]
        self.process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - our own script
            [*argv, BASH, "--noprofile", "--norc", "-c", "--", command],
            stdin=theirs.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        theirs.close()

    def first_line(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self) -> str:
        """Wait for its end: its last word."""
        self.process.wait(LIMIT)
        return self.line.recv(4096).decode().strip()

    def close(self) -> None:
        self.line.close()
        self.process.wait(LIMIT)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def guarded() -> Iterator[list[Guarded]]:
    every: list[Guarded] = []
    yield every
    for one in every:
        one.close()


def run(every: list[Guarded], command: str, directory: Path, patience: float = 20) -> Guarded:
    every.append(Guarded(command, directory, patience))
    return every[-1]


def test_how_a_command_ended_is_its_last_word(guarded: list[Guarded], tmp_path: Path) -> None:
    assert run(guarded, "exit 3", tmp_path).end() == "exited 3 0"
    assert run(guarded, "kill -SEGV $$", tmp_path).end() == "signalled 11 0"
    assert run(guarded, "-x", tmp_path).end() == "exited 127 0"  # a command, not an option


@pytest.mark.skipif(os.uname().machine not in guardian.KEYCTL, reason="another machine")
def test_what_is_contained_has_no_keys_of_the_session(
    guarded: list[Guarded], tmp_path: Path
) -> None:
    number = guardian.KEYCTL[os.uname().machine]
    script = f"import ctypes; print(ctypes.CDLL(None).syscall({number}, 0, -3, 0))"
    command = f"{sys.executable} -I -S -c '{script}'"
    said = []
    for spared in ("0", "0", "1", "1"):
        guarded.append(Guarded(command, tmp_path, spared=spared))
        said.append(guarded[-1].first_line())
    if said[0] == b"-1\n":
        pytest.skip("there are no keyrings here")
    assert said[0] == said[1]
    assert len(set(said)) == 3


def test_a_command_that_cannot_begin_says_why(guarded: list[Guarded], tmp_path: Path) -> None:
    said = run(guarded, "echo ran", tmp_path / "missing").end()
    assert said.splitlines()[0] == f"failed {tmp_path / 'missing'}: No such file or directory"


def test_a_command_has_no_input_and_the_usual_signals(
    guarded: list[Guarded], tmp_path: Path
) -> None:
    one = run(guarded, "cat; yes | head -1; echo ${PIPESTATUS[0]}", tmp_path)
    assert one.end() == "exited 0 0"
    assert one.process.stdout is not None
    # 141: `yes` was ended by SIGPIPE, which Python ignores and a shell must not.
    assert one.process.stdout.read() == b"y\n141\n"


def test_what_forks_away_is_found_and_ended(guarded: list[Guarded], tmp_path: Path) -> None:
    file = tmp_path / "pids"
    away = (
        f"(setsid bash -c 'echo $$ >> {file}; exec sleep 300' &)\n"
        f"nohup bash -c 'echo $$ >> {file}; exec sleep 300' >/dev/null 2>&1 &\n"
        f"while [ $(wc -w < {file}) -lt 2 ]; do :; done 2>/dev/null"
    )
    file.touch()
    assert run(guarded, away, tmp_path).end() == "exited 0 2"
    pids = pids_in(file)
    assert len(pids) == 2
    assert not [pid for pid in pids if is_running(pid)]


def test_whoever_is_asked_to_end_may_say_goodbye(guarded: list[Guarded], tmp_path: Path) -> None:
    one = run(
        guarded, "trap 'echo bye; exit 5' TERM; echo on; while :; do sleep 0.01; done", tmp_path
    )
    assert one.first_line() == b"on\n"
    one.line.send(b"end")
    assert one.end() == "exited 5 0"
    assert one.process.stdout is not None
    assert b"bye" in one.process.stdout.read()


def test_whoever_does_not_listen_is_killed(guarded: list[Guarded], tmp_path: Path) -> None:
    file = tmp_path / "pids"
    stubborn = f"trap '' TERM; echo $$ > {file}; echo on; while :; do sleep 0.01; done"
    one = run(guarded, stubborn, tmp_path, patience=0.1)
    assert one.first_line() == b"on\n"
    one.line.send(b"end")
    assert one.end() == "signalled 9 0"
    assert not [pid for pid in pids_in(file) if is_running(pid)]


def test_all_ends_when_nobody_is_at_the_other_end_of_the_line(
    guarded: list[Guarded], tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    one = run(
        guarded, f"setsid sleep 300 & echo $! > {file}; echo $$ >> {file}; echo on; wait", tmp_path
    )
    assert one.first_line() == b"on\n"
    one.line.close()
    one.process.wait(LIMIT)
    assert len(pids_in(file)) == 2
    assert not [pid for pid in pids_in(file) if is_running(pid)]


def test_a_command_does_not_outlive_its_guardian(guarded: list[Guarded], tmp_path: Path) -> None:
    one = run(guarded, "echo $$; exec sleep 300", tmp_path)
    pid = int(one.first_line())
    watch = os.pidfd_open(pid)
    one.process.send_signal(signal.SIGKILL)
    try:
        ready = select.poll()
        ready.register(watch, select.POLLIN)
        assert ready.poll(LIMIT * 1000)
    finally:
        os.close(watch)


def test_it_finds_all_that_descends_from_a_process() -> None:
    command = [BASH, "-c", "sleep 300 & echo on; wait"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 - our own words
    assert child.stdout is not None
    assert child.stdout.readline() == b"on\n"
    found = guardian.descendants(os.getpid(), 500)
    assert child.pid in found
    below = guardian.descendants(child.pid, 500)
    assert below
    assert set(below) < set(found)
    for pid in (*below, child.pid):
        os.kill(pid, signal.SIGKILL)
    child.wait(LIMIT)
    child.stdout.close()
