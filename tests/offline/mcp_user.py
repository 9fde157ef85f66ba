"""Somebody who uses `hearth mcp`, in a project, with a home of their own."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.offline.permitting import Said

from hearth.offline.mcp import main
from hearth.settings.layers import ENVIRONMENT
from hearth.settings.trust import TrustBook, evidence


class User:
    """A person at a command line."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.hearth = folder / "hearth"
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()
        self.mine = self.home / ".config" / "hearth" / "hearth.jsonc"
        self.theirs = self.project / "hearth.jsonc"
        self._capsys = capsys

    def says(self, *words: str) -> Said:
        """What `hearth mcp` answers."""
        code = main(list(words))
        written = self._capsys.readouterr()
        assert "Traceback" not in written.out + written.err
        return Said(code, written.out, written.err)

    def does(self, *words: str) -> str:
        """What it answers when it does what it should."""
        said = self.says(*words)
        assert said.code == 0, said.err
        return said.out

    def fails(self, *words: str) -> str:
        """What it tells when it does not; always with a hint."""
        said = self.says(*words)
        assert said.code != 0
        assert not said.out
        assert "hint: " in said.err
        return said.err

    def servers(self, file: Path | None = None) -> dict[str, Any]:
        """The servers in a file, the person's own if none is said."""
        found: Mapping[str, Any] = json.loads((file or self.mine).read_text())
        return dict(found["mcpServers"])

    def writes(self, text: str, file: Path | None = None) -> None:
        """Put a text into a file, the person's own if none is said."""
        path = file or self.mine
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def trusts(self) -> None:
        """The project as it is now."""
        TrustBook(self.hearth / "trust.json").trust(self.project, evidence(self.project).digest)


def a_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> User:
    """Somebody who stands in their project."""
    user = User(folder, capsys)
    for name in (*ENVIRONMENT, "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(user.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user.home / ".config"))
    monkeypatch.setenv("HEARTH_HOME", str(user.hearth))
    monkeypatch.chdir(user.project)
    return user
