"""Where the tools are found, and what they do not get to see."""

import sys
from pathlib import Path

import pytest

from hearth.performers.interpreter.checking.tools import Unavailable, environment, find


def test_a_tool_is_taken_from_beside_hearth_before_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (other := tmp_path / "ruff").write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find("ruff") == str(Path(sys.executable).parent / "ruff")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere" / "python"))
    assert find("ruff") == str(other)


def test_a_tool_that_is_not_there_is_told_with_what_would_help() -> None:
    with pytest.raises(Unavailable, match="no-such-tool is not installed; `pip install no-such-"):
        find("no-such-tool")


def test_settings_of_the_daemons_own_shell_do_not_reach_the_tools() -> None:
    given = {"HOME": "/h", "VIRTUAL_ENV": "/v", "RUFF_CONFIG": "c", "TY_CONFIG_FILE": "t"}
    assert environment(given) == {"HOME": "/h"}
    assert "PATH" in environment()
    assert environment({"MY_API_KEY": "x", "LANG": "C"}) == {"LANG": "C"}
