"""A daemon is started once, and whoever wanted it hears why not."""

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.repo.tree import ROOT

from hearth.daemon import starting
from hearth.daemon.discovery import find
from hearth.daemon.locking import take
from hearth.daemon.starting import NotStarted, answers, last_words, server_options, start

Pretend = Callable[[str], Path]


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pretend]:
    """Have another program in place of hearth, of which nothing is left in the end."""
    home = tmp_path / "home"

    def behave(how: str) -> Path:
        monkeypatch.setenv("PRETENDED", how)
        return home

    def command(words: list[str]) -> list[str]:
        return [sys.executable, "-m", "tests.daemon.pretended", *words]

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(starting, "command", command)
    yield behave
    for pid, _ in ran(home):
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            if "tests.daemon.pretended" in process.cmdline():
                process.kill()
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def ran(home: Path) -> list[tuple[int, str]]:
    """The process and the words of each start."""
    file = home / "ran"
    lines = file.read_text().splitlines() if file.exists() else []
    return [(int(line.partition(" ")[0]), line.partition(" ")[2]) for line in lines]


@pytest.mark.promise("SF-CLI-03")
def test_a_started_daemon_answers_and_has_no_terminal(pretend: Pretend) -> None:
    home = pretend("serve")
    found = start(str(home))
    assert answers(found)
    assert find(str(home)) == found
    process = psutil.Process(found.pid)
    assert process.terminal() is None
    assert os.getsid(found.pid) == found.pid
    assert process.cwd() == str(home)
    assert process.environ()["HEARTH_HOME"] == str(home)
    assert home.stat().st_mode & 0o777 == 0o700
    assert [words for _, words in ran(home)] == ["--server"]


def test_one_that_lives_is_not_started_again(pretend: Pretend) -> None:
    home = pretend("serve")
    assert start(str(home)) == start(str(home))
    assert len(ran(home)) == 1


def test_after_a_kill_the_next_start_is_a_new_one(pretend: Pretend) -> None:
    home = pretend("serve")
    first = start(str(home))
    os.kill(first.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(first.pid)], timeout=30)
    second = start(str(home))
    assert second.pid != first.pid
    assert find(str(home)) == second


@pytest.mark.promise("SF-DMN-09")
def test_five_at_once_get_one_and_the_same(pretend: Pretend) -> None:
    home = pretend("serve")
    with ThreadPoolExecutor(5) as five:
        found = list(five.map(lambda _: start(str(home)), range(5)))
    assert len({one.pid for one in found}) == 1
    assert len(ran(home)) == 1


def test_what_was_asked_for_reaches_the_daemon(pretend: Pretend) -> None:
    home = pretend("serve")
    start(str(home), watch=False, idle_timeout=90, port=4000)
    assert [words for _, words in ran(home)] == [
        "--server --no-watch --idle-timeout 90 --port 4000"
    ]
    assert server_options(watch=True, idle_timeout=None, port=None) == []


def test_a_supervised_one_is_started_by_its_supervisor(pretend: Pretend) -> None:
    home = pretend("serve")
    start(str(home), supervised=True, port=4000)
    assert [words for _, words in ran(home)] == ["--supervised --port 4000"]


def test_one_that_cannot_start_says_why_in_its_own_words(pretend: Pretend) -> None:
    home = pretend("refuse")
    with pytest.raises(NotStarted) as refused:
        start(str(home))
    assert refused.value.what == "port 7 is taken"
    assert refused.value.hint == "take another one"


def test_one_that_breaks_is_told_of_without_its_traceback(pretend: Pretend) -> None:
    home = pretend("break")
    with pytest.raises(NotStarted) as refused:
        start(str(home))
    assert refused.value.what == "the daemon ended with code 1"
    assert str(home / "logs" / "start.log") in refused.value.hint
    assert "ZeroDivisionError" in (home / "logs" / "start.log").read_text()


def test_one_that_never_answers_is_ended(pretend: Pretend) -> None:
    home = pretend("silent")
    with pytest.raises(NotStarted) as refused:
        start(str(home), patience=1.5)
    assert refused.value.what == "the daemon did not answer in time"
    assert not any(psutil.pid_exists(pid) for pid, _ in ran(home))


def test_a_file_in_place_of_the_home_is_said_and_nothing_is_started(pretend: Pretend) -> None:
    home = pretend("serve")
    home.write_text("a file")
    with pytest.raises(NotStarted) as refused:
        start(str(home))
    assert str(home) in refused.value.what
    assert "a file is in its place" in refused.value.hint
    assert home.read_text() == "a file"


def test_who_waits_too_long_for_another_starter_is_told(pretend: Pretend) -> None:
    home = pretend("serve")
    home.mkdir()
    lock = take(str(home / "start.lock"), 0)
    assert lock is not None
    try:
        with pytest.raises(NotStarted, match="somebody else has been starting"):
            start(str(home), patience=0.05)
    finally:
        os.close(lock)
    assert ran(home) == []


def test_the_last_of_several_complaints_counts(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"error: one\nhint: a\nnoise \xff\nerror: two\nhint: b\n")
    assert last_words(log) == ("two", "b")
    assert last_words(tmp_path / "none") == ("", "")


def test_a_daemon_that_could_not_even_say_that_the_disk_is_full_is_spoken_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    ends = [sys.executable, "-c", "raise SystemExit(1)"]
    monkeypatch.setattr(starting, "command", lambda _: ends)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotStarted) as trouble:
        start(str(home), patience=20)
    assert "No space left on device" in trouble.value.what
    assert "make room" in trouble.value.hint
    assert list(home.glob("trial*")) == []
