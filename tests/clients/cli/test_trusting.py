"""`hearth trust`."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon


def shown(root: Path, **more: Any) -> dict[str, Any]:
    return {
        "root": str(root),
        "files": ["hearth.jsonc"],
        "digest": "d1",
        "trusted": False,
        **more,
    }


@pytest.fixture
def project(daemon: FakeDaemon, tmp_path: Path) -> Path:
    daemon.on("GET /trust", shown(tmp_path))
    daemon.on("POST /trust", shown(tmp_path, trusted=True))
    return tmp_path


class Keyboard(io.StringIO):
    def isatty(self) -> bool:
        return True


def typing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard(text))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


def test_nobody_is_trusted_without_a_yes(run: Run, daemon: FakeDaemon, project: Path) -> None:
    done = run("trust", str(project))
    assert done.code == 1
    assert "hearth.jsonc" in done.err
    assert "--yes" in done.err
    assert daemon.asked("POST /trust") == []
    assert run("trust", str(project), "--json").json["trusted"] is False
    assert daemon.asked("POST /trust") == []


def test_exactly_what_was_shown_is_trusted(run: Run, daemon: FakeDaemon, project: Path) -> None:
    done = run("trust", str(project), "--yes")
    assert done.code == 0
    assert "is trusted" in done.out
    assert daemon.asked("POST /trust")[0].body == {"root": str(project), "digest": "d1"}
    assert run("trust", str(project), "-y", "--json").json["trusted"] is True


@pytest.mark.parametrize(
    ("typed", "code"), [("y\n", 0), ("YES\n", 0), ("\n", 1), ("n\n", 1), ("", 1)]
)
@pytest.mark.usefixtures("project")
def test_a_person_is_asked(
    run: Run, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    typing(monkeypatch, typed)
    done = run("trust")
    assert done.code == code
    assert "[y/N]" in done.err
    assert len(daemon.asked("POST /trust")) == (1 - code)


def test_what_is_trusted_already_is_left_alone(run: Run, daemon: FakeDaemon, project: Path) -> None:
    daemon.on("GET /trust", shown(project, trusted=True))
    assert "trusted already" in run("trust", str(project)).out
    assert daemon.asked("POST /trust") == []


def test_a_project_that_brings_nothing_can_be_trusted_too(
    run: Run, daemon: FakeDaemon, project: Path
) -> None:
    daemon.on("GET /trust", shown(project, files=[]))
    done = run("trust", str(project))
    assert done.code == 1
    assert "brings nothing that takes effect" in done.err
    assert run("trust", str(project), "--yes").code == 0
    assert len(daemon.asked("POST /trust")) == 1


def test_what_cannot_be_looked_at_is_not_trusted(
    run: Run, daemon: FakeDaemon, project: Path
) -> None:
    daemon.on("GET /trust", shown(project, files=[], digest=""))
    done = run("trust", str(project), "--yes")
    assert done.code == 1
    assert "cannot be looked at" in done.out
    assert daemon.asked("POST /trust") == []


def test_the_directory_is_named_in_full(
    run: Run, daemon: FakeDaemon, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    run("trust")
    assert daemon.seen[-1].path == f"/trust?directory={str(project).replace('/', '%2F')}"
    assert run("trust", "nowhere").code == 2
