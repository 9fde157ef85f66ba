"""A person at a command line, and the fake daemon of their home."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.clients.cli.turns import pipe

from hearth.clients.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object that it printed."""
        assert self.out.count("\n") == 1
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, where nobody lives yet."""
    folder = tmp_path / "h"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("HEARTH_HOME", str(folder))
    monkeypatch.setenv("HEARTH_NAME", "ann")
    monkeypatch.delenv("DISPLAY", raising=False)
    return folder


@pytest.fixture
def daemon(home: Path) -> Iterator[FakeDaemon]:
    """The daemon of that home."""
    with FakeDaemon(home).serving() as fake:
        yield fake


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Carries out a command line in this process."""
    del home  # nobody's real home is touched

    def carried_out(*words: str) -> Done:
        capsys.readouterr()
        code = main(list(words))
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return carried_out


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The directory that the command is given in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    pipe(monkeypatch)
    return str(folder)
