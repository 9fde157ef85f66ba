"""`hearth doctor` says how everything stands, and what to do."""

import json
import plistlib
from pathlib import Path

import pytest

from hearth.offline.doctor import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def test_a_fresh_machine_can_run_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    told = capsys.readouterr().out
    for about in ("home", "disk", "settings", "daemon", "port", "socket", "store", "ruff", "ty"):
        assert any(line.split()[1:2] == [about] for line in told.splitlines()), about
    assert told.endswith("hearth can work here\n")
    assert not home.exists()


def test_programs_get_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is True
    assert {"about", "state", "what", "hint"} == set(said["findings"][0])


def test_what_is_bad_is_no_success(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.write_text("a file")
    assert main([]) == 1
    told = capsys.readouterr().out
    assert "BAD   home" in told
    assert "hint: " in told
    assert "are bad" in told


def test_units_are_printed_to_be_put_in_place(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--unit", "systemd"]) == 0
    assert f"Environment=HEARTH_HOME={home}\n" in capsys.readouterr().out
    assert main(["--unit=launchd"]) == 0
    agent = plistlib.loads(capsys.readouterr().out.encode())
    assert agent["EnvironmentVariables"]["HEARTH_HOME"] == str(home)


@pytest.mark.parametrize("words", [["--unit", "cron"], ["--unti"], ["more"]])
def test_wrong_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_help_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "--unit systemd|launchd" in capsys.readouterr().out
