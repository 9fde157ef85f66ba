"""The command line as people use it: real processes, a real daemon, real interpreters."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

LIMIT = 60.0
HEARTH = [sys.executable, "-m", "hearth"]


@dataclass(frozen=True)
class Place:
    """A home, and a directory to work in."""

    home: Path
    work: Path

    @property
    def environ(self) -> dict[str, str]:
        """What a person's shell has set there."""
        named = {"HEARTH_HOME": str(self.home), "HEARTH_NAME": "ann", "TERM": "xterm"}
        return {**os.environ, **named, "PYTHON_COLORS": "0"}

    def run(
        self, *words: str, code: int = 0, given: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        """Carry out a command that must end with this code."""
        done = subprocess.run(  # noqa: S603 - our own words
            [*HEARTH, *words],
            capture_output=True,
            check=False,
            cwd=self.work,
            encoding="utf-8",
            env=self.environ,
            input=given,
            timeout=LIMIT,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback (most recent call last):\n  File" not in done.stderr
        return done

    def json(self, *words: str) -> Any:
        """The object that a command prints."""
        return json.loads(self.run(*words, "--json").stdout)

    @contextmanager
    def begun(self, *words: str) -> Iterator["subprocess.Popen[str]"]:
        """A command while it runs."""
        process = subprocess.Popen(  # noqa: S603 - our own words
            [*HEARTH, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.work,
            encoding="utf-8",
            env=self.environ,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=LIMIT)


@contextmanager
def placed() -> Iterator[Place]:
    """A fresh home, of which nothing is left in the end, neither files nor processes."""
    # Not below pytest's folders: the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="hearth-cli-") as folder:
        place = Place(Path(folder) / "h", Path(folder) / "work")
        place.work.mkdir()
        try:
            yield place
        finally:
            pid = pid_of(place)
            subprocess.run(  # noqa: S603 - our own words
                [*HEARTH, "stop"],
                env=place.environ,
                check=False,
                capture_output=True,
                timeout=LIMIT,
            )
            if pid and is_alive(pid):
                os.kill(pid, signal.SIGKILL)


def pid_of(place: Place) -> int:
    with suppress(OSError, ValueError):
        return int(json.loads((place.home / "daemon.json").read_text("utf-8"))["pid"])
    return 0


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Where a daemon runs already."""
    with placed() as made:
        made.run("-d")
        yield made


@pytest.fixture
def fresh() -> Iterator[Place]:
    """Where nothing runs yet."""
    with placed() as made:
        yield made


class Screen:
    """A terminal with a command in it."""

    def __init__(self, place: Place, *words: str) -> None:
        self.text = ""
        self.pid, self._line = pty.fork()
        if self.pid == 0:
            os.chdir(place.work)
            os.execve(sys.executable, [*HEARTH, *words], place.environ)  # noqa: S606 - our own words

    def until(self, pattern: str) -> str:
        """Wait until this is on it."""
        until = time.monotonic() + LIMIT
        while not re.search(pattern, self.text):
            readable, _, _ = select.select([self._line], [], [], max(0, until - time.monotonic()))
            assert readable, f"{pattern!r} did not come: {self.text!r}"
            try:
                got = os.read(self._line, 65536)
            except OSError:
                got = b""  # how Linux says that the other side has gone
            assert got, f"it ended before {pattern!r}: {self.text!r}"
            self.answer_queries(got)
            self.text += got.decode("utf-8", "replace")
        return self.text

    def answer_queries(self, got: bytes) -> None:
        """Terminals tell where their cursor is when they are asked."""
        if b"\x1b[6n" in got:
            os.write(self._line, b"\x1b[1;1R")

    def type(self, text: str) -> None:
        os.write(self._line, text.encode())

    def end(self) -> int:
        """Wait until the command has ended; its exit code."""
        with suppress(OSError):
            while os.read(self._line, 65536):
                pass
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._line)


@contextmanager
def showing(place: Place, *words: str) -> Iterator[Screen]:
    """A terminal with this command in it."""
    screen = Screen(place, *words)
    try:
        yield screen
    finally:
        screen.close()


@pytest.mark.promise("SF-CLI-03", "SF-CLI-04")
def test_a_daemon_is_started_asked_and_stopped(fresh: Place) -> None:
    assert "no daemon is running" in fresh.run("status", code=3).stderr
    assert fresh.run("stop", code=3).stdout == ""
    made = fresh.json("-d")
    assert made["started"] is True
    pid = made["daemon"]["pid"]
    assert is_alive(pid)
    assert fresh.json("-d") == {**made, "started": False}
    about = fresh.json("status")
    assert about["daemon"]["pid"] == pid
    assert about["sessions"] == []
    assert f"pid {pid}" in fresh.run("stop").stdout
    assert not is_alive(pid)
    assert not (fresh.home / "daemon.json").exists()
    fresh.run("status", code=3)


def test_code_runs_and_its_names_stay(place: Place) -> None:
    assert place.run("run", "x = 41").stdout == ""
    assert place.run("run", "print('hello'); x + 1").stdout == "hello\n42\n"
    assert place.run("run", given="y = x\ny - 1\n").stdout == "40\n"
    [session] = place.json("sessions")["sessions"]
    assert session["directory"] == str(place.work)
    found = place.json("run", "--session", session["session"][:10], "x")
    assert (found["value"], found["session"]) == ("41", session["session"])
    rows = place.json("events", "--session", session["name"], "--all")["events"]
    started = [row for row in rows if row["event"]["type"] == "cell_started"]
    assert started[0]["origin"] == {"actor": "person", "name": "ann", "door": "cli"}
    assert "cell_started" in place.run("events").stdout


def test_code_that_fails_ends_with_one(place: Place) -> None:
    done = place.run("run", "print('before'); 1 / 0", code=1)
    assert done.stdout == "before\n"
    assert "ZeroDivisionError: division by zero" in done.stderr
    done = place.run("run", "--timeout", "0.2", "while True: pass", code=1)
    assert "longer than 0.2 s" in done.stderr
    done = place.run("run", "input('who? ')", code=1)
    assert "input() needs a person" in done.stderr


@pytest.mark.promise("SF-CLI-02")
def test_a_project_chooses_its_session(place: Place) -> None:
    other = place.work.parent / "other"
    other.mkdir()
    place.run("run", "here = 1")
    place.run("run", "--proj", str(other), "there = 1")
    assert place.run("run", "'there' in globals()").stdout == "False\n"
    assert place.run("run", "--proj", str(other), "there").stdout == "1\n"
    place.run("stop-session", "other")
    place.run("run", "--session", "other", "there", code=4)
    place.run("run", "--session", "nobody", "1", code=4)


def test_a_bare_session_is_apart_from_the_project(place: Place) -> None:
    place.run("run", "mine = 1")
    place.run("run", "--bare", "bare = 1")
    assert place.run("run", "--bare", "'mine' in globals(), bare").stdout == "(False, 1)\n"
    assert place.run("run", "'bare' in globals(), mine").stdout == "(False, 1)\n"


@pytest.mark.promise("SF-RES-01")
def test_whoever_comes_after_a_session_has_ended_gets_another_one(place: Place) -> None:
    place.run("run", "mine = 1")
    rows = json.loads(place.run("sessions", "--json").stdout)["sessions"]
    place.run("stop-session", rows[0]["session"])
    assert place.run("run", "'mine' in globals()").stdout == "False\n"
    now = json.loads(place.run("sessions", "--json").stdout)["sessions"]
    assert [row["session"] for row in now] != [row["session"] for row in rows]


def test_a_session_is_reset(place: Place) -> None:
    place.run("run", "mine = 1")
    assert "its variables are gone" in place.run("reset").stdout
    assert place.run("run", "'mine' in globals()").stdout == "False\n"
    place.run("reset", "--hard")


def test_output_comes_while_the_code_runs(place: Place) -> None:
    gate = place.work / "gate"
    os.mkfifo(gate)
    code = f"print('first', flush=True); open({str(gate)!r}).read(); print('second')"
    with place.begun("run", code) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "first\n"
        with gate.open("w", encoding="utf-8"):
            pass  # now it may go on
        out, err = process.communicate(timeout=LIMIT)
        assert (process.returncode, out, err) == (0, "second\n", "")


def test_much_output_is_whole(place: Place) -> None:
    done = place.run("run", "for i in range(60000): print(i)")
    assert done.stdout == "".join(f"{number}\n" for number in range(60000))


def test_what_is_too_large_is_refused_and_what_is_large_is_not(place: Place) -> None:
    done = place.run("run", given=f"len('{'x' * 6_000_000}')")
    assert done.stdout == "6000000\n"
    done = place.run("run", given=f"len('{'x' * 9_000_000}')", code=4)
    assert "hint: " in done.stderr


def test_code_whose_output_nobody_reads_is_stopped(place: Place) -> None:
    with place.begun("run", "while True: print('y' * 1000)") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(LIMIT) == 141
    assert place.run("run", "'free again'").stdout == "'free again'\n"


def test_an_interruption_stops_the_code_and_not_the_daemon(place: Place) -> None:
    with place.begun("run", "print('begun', flush=True)\nwhile True: pass") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 130
        assert err == "stopped\n"
    assert place.run("run", "'still here'").stdout == "'still here'\n"


def test_code_waits_for_its_turn(place: Place) -> None:
    gate = place.work / "turn"
    os.mkfifo(gate)
    code = f"print('begun', flush=True); open({str(gate)!r}).read()"
    with place.begun("run", code) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "begun\n"
        with place.begun("run", "'second'") as second:
            assert second.stderr is not None
            assert second.stderr.readline().startswith("waiting: the session runs c")
            with gate.open("w", encoding="utf-8"):
                pass  # now the first may end
            assert second.communicate(timeout=LIMIT)[0] == "'second'\n"


def test_code_may_ask_a_person(place: Place) -> None:
    with showing(place, "run", "name = input('who? '); name.upper()") as screen:
        screen.until(r"who\? ")
        screen.type("ann\n")
        screen.until("'ANN'")
        assert screen.end() == 0


def test_a_password_is_not_shown(place: Place) -> None:
    with showing(place, "run", "import getpass; len(getpass.getpass('secret? '))") as screen:
        screen.until(r"secret\? ")
        screen.type("xyzzy\n")
        screen.until(r"\b5\b")
        assert "xyzzy" not in screen.text
        assert screen.end() == 0


def test_what_is_followed_goes_on_over_a_restart(fresh: Place) -> None:
    fresh.run("run", "x = 1")
    with fresh.begun("events", "--follow", "--json", "--all") as follower:
        assert follower.stdout is not None
        seen = [json.loads(follower.stdout.readline())["seq"]]
        fresh.run("stop", "--keep-sessions")
        fresh.run("-d")
        assert fresh.run("run", "x + 1").stdout == "2\n"
        while True:
            row = json.loads(follower.stdout.readline())
            seen.append(row["seq"])
            if row["event"].get("value") == "2":
                break
        assert seen == list(range(1, len(seen) + 1))


@pytest.mark.promise("SF-CLI-01")
def test_alone_it_starts_a_daemon_and_gives_a_prompt(fresh: Place) -> None:
    with showing(fresh) as screen:
        screen.until(r">>> ")
        screen.type("6 * 7\r")
        screen.until(r"42[\x1b\r]")
        screen.type("\x04")
        assert screen.end() == 0
    assert is_alive(pid_of(fresh))
    assert fresh.run("run", "6 * 7").stdout == "42\n"


def test_without_a_terminal_it_starts_a_daemon_and_says_how_to_go_on(fresh: Place) -> None:
    done = fresh.run()
    assert "the daemon is running" in done.stdout
    assert "hearth run" in done.stderr
    assert is_alive(pid_of(fresh))


def test_tokens_links_and_trust(place: Place) -> None:
    token = place.run("token", "new", "bot", "--standing", "read-only").stdout.strip()
    assert token
    assert [one["name"] for one in place.json("token", "list")["tokens"]] == ["bot"]
    place.run("token", "remove", "bot")
    before = json.loads((place.home / "daemon.json").read_text("utf-8"))["token"]
    place.run("token", "rotate")
    assert json.loads((place.home / "daemon.json").read_text("utf-8"))["token"] != before
    assert "/login?code=" in place.run("open", "--no-browser").stdout
    (place.work / "pyproject.toml").write_text("[project]\nname = 'work'\n", "utf-8")
    (place.work / "hearth.jsonc").write_text("{}\n", "utf-8")
    shown = json.loads(place.run("trust", "--json", code=1).stdout)
    assert shown["trusted"] is False
    assert place.json("trust", "--yes")["trusted"] is True
    assert "trusted already" in place.run("trust").stdout


def test_a_home_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    place = Place(tmp_path / "file" / "h", tmp_path)
    done = place.run("-d", code=1)
    assert "error: hearth's home" in done.stderr
    assert "hint: " in done.stderr


def test_there_is_a_command_of_this_name() -> None:
    assert shutil.which("hearth", path=str(Path(sys.executable).parent))
