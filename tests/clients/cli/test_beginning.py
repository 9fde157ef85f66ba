"""`hearth` alone, and what it starts."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon

from hearth.daemon import starting
from hearth.daemon.discovery import Found

UNTRUSTED = {"root": "/srv/shop", "files": ["hearth.jsonc"], "digest": "d1", "trusted": False}


class Keyboard(io.StringIO):
    def isatty(self) -> bool:
        return True


def sit_down(monkeypatch: pytest.MonkeyPatch, types: str = "y\n") -> None:
    """A person is at the terminal, and will type this. In a test only: pytest changes it before."""
    monkeypatch.setattr(sys, "stdin", Keyboard(types))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


@pytest.fixture
def prompts(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The prompts that were opened, with what they were told."""
    opened: list[dict[str, Any]] = []

    def main(found: Found, **told: Any) -> int:
        opened.append({"pid": found.pid, **told})
        return 0

    monkeypatch.setattr("hearth.clients.repl.main", main)
    return opened


@pytest.fixture
def starts(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The daemons that were started, with what they were told; none comes to be."""
    made: list[dict[str, Any]] = []

    def start(where: str, **told: Any) -> Found:
        made.append({"home": where, **told})
        return FakeDaemon(home, pid=4711).found

    monkeypatch.setattr(starting, "start", start)
    return made


@pytest.mark.promise("SF-CLI-01")
def test_alone_in_a_terminal_it_starts_a_daemon_and_opens_a_prompt(
    run: Run,
    daemon: FakeDaemon,
    prompts: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    daemon.on("GET /trust", {**UNTRUSTED, "trusted": True})
    monkeypatch.chdir(tmp_path)
    sit_down(monkeypatch)
    assert run().code == 0
    told = {"session": None, "directory": str(tmp_path), "bare": False, "trust": False}
    assert prompts == [{"pid": daemon.pid, **told, "plain": False}]


@pytest.mark.promise("SF-CLI-03")
def test_on_request_it_starts_headless(run: Run, starts: list[dict[str, Any]], home: Path) -> None:
    done = run("-d", "--supervised", "--no-watch", "--idle-timeout", "60", "--port", "4000")
    assert done.code == 0
    assert "pid 4711" in done.out
    assert "hearth run" in done.err
    told = {"supervised": True, "watch": False, "idle_timeout": 60.0, "port": 4000}
    assert starts == [{"home": str(home), **told}]


def test_without_a_terminal_it_only_starts_and_says_how_to_go_on(
    run: Run, starts: list[dict[str, Any]], prompts: list[dict[str, Any]]
) -> None:
    done = run()
    assert done.code == 0
    assert "`hearth run '1 + 1'`" in done.err
    assert len(starts) == 1
    assert prompts == []


def test_a_daemon_that_runs_is_not_started_again(
    run: Run, daemon: FakeDaemon, starts: list[dict[str, Any]]
) -> None:
    done = run("-d", "--json")
    assert done.json["started"] is False
    assert done.json["daemon"]["pid"] == daemon.pid
    assert "token" not in done.json["daemon"]
    assert starts == []


def test_what_comes_too_late_for_a_daemon_is_told(run: Run, daemon: FakeDaemon) -> None:
    done = run("-d", "--supervised", "--port", "4000")
    assert done.code == 0
    assert f"pid {daemon.pid}" in done.out
    assert "note: the daemon runs already, and --supervised --port came too late" in done.err


def test_a_daemon_that_cannot_be_started_says_why(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: str, **__: Any) -> Found:
        raise starting.NotStarted("port 4000 is taken", "choose another")

    monkeypatch.setattr(starting, "start", start)
    done = run("-d")
    assert (done.code, done.out) == (1, "")
    assert done.err == "error: port 4000 is taken\nhint: choose another\n"


@pytest.mark.promise("SF-DMN-08")
def test_a_started_daemon_of_another_version_is_not_talked_to(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = FakeDaemon(home, version="9.0.0").found
    monkeypatch.setattr(starting, "start", lambda _, **__: other)
    assert run("-d").code == 5


@pytest.mark.parametrize("words", [["--port", "0"], ["--port", "70000"], ["--idle-timeout", "x"]])
def test_what_no_daemon_can_be_is_told(
    run: Run, starts: list[dict[str, Any]], words: list[str]
) -> None:
    assert run("-d", *words).code == 2
    assert starts == []


def test_connect_works_without_a_terminal(
    run: Run, daemon: FakeDaemon, prompts: list[dict[str, Any]]
) -> None:
    assert run("connect", "--session", "shop").code == 0
    assert (prompts[0]["session"], prompts[0]["plain"]) == ("shop", True)
    assert daemon.seen == []


def test_a_person_is_asked_before_a_project_takes_effect(
    run: Run,
    daemon: FakeDaemon,
    prompts: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sit_down(monkeypatch)
    daemon.on("GET /trust", UNTRUSTED)
    daemon.on("POST /trust", {**UNTRUSTED, "trusted": True})
    done = run()
    assert "hearth.jsonc" in done.err
    assert daemon.asked("POST /trust")[0].body == {"root": "/srv/shop", "digest": "d1"}
    assert len(prompts) == 1
    sit_down(monkeypatch, "\n")
    assert "not trusted" in run().err
    assert len(daemon.asked("POST /trust")) == 1


@pytest.mark.parametrize("words", [["--trust"], ["--bare"], ["--session", "shop"]])
def test_nobody_is_asked_where_it_does_not_matter(
    run: Run,
    daemon: FakeDaemon,
    prompts: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:
    sit_down(monkeypatch)
    assert run(*words).code == 0
    assert daemon.seen == []
    assert prompts[0]["trust"] is (words == ["--trust"])
    assert prompts[0]["bare"] is (words == ["--bare"])


def test_a_project_that_is_not_there_is_told(run: Run, starts: list[dict[str, Any]]) -> None:
    assert run("connect", "--proj", "nowhere").code == 2
    assert starts == []
