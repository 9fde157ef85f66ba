"""Whoever stands at the command line."""

from pathlib import Path

import pytest
from tests.offline.mcp_user import User, a_user


@pytest.fixture
def user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> User:
    """Somebody who uses `hearth mcp`."""
    return a_user(tmp_path, monkeypatch, capsys)
