"""Somebody who asks what agents may do in a project."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.permitting import Grant
from hearth.offline.permissions import main
from hearth.settings.grants import GrantBook, Occasion
from hearth.settings.layers import ENVIRONMENT


@dataclass
class Said:
    """How a command ended, and what it wrote where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.count("\n") == 1, "one object, on one line"
        return json.loads(self.out)


class Person:
    """Somebody at a command line, in a project."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.mine = folder / "config" / "hearth" / "hearth.jsonc"
        self.home = folder / "home"
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "a.txt").write_text("a")
        self.home.mkdir(mode=0o700)
        self._capsys = capsys

    def says(self, *words: str) -> Said:
        code = main(list(words))
        written = self._capsys.readouterr()
        assert "Traceback" not in written.out + written.err
        return Said(code, written.out, written.err)

    def writes(self, text: str) -> None:
        self.mine.parent.mkdir(parents=True, exist_ok=True)
        self.mine.write_text(text)

    def allowed(self, permission: str, pattern: str, root: str | None = None) -> str:
        """Allow something for always; its id."""
        occasion = Occasion(datetime(2026, 5, 4, 12, tzinfo=UTC), "ann", "session-1", "make all")
        where = str(self.project) if root is None else root
        return GrantBook(self.home).add(Grant(permission, pattern), where, occasion).id


@pytest.fixture
def person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Person:
    """Without settings, grants and a daemon."""
    person = Person(tmp_path, capsys)
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HEARTH_HOME", str(person.home))
    monkeypatch.chdir(person.project)
    return person
