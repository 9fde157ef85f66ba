"""`hearth log`: what is kept can be looked after, with or without a daemon."""

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.offline.stored import fill

from hearth.core.vocabulary.ids import SessionId
from hearth.daemon.locking import take
from hearth.log.sqlite import SqliteLog
from hearth.offline.log import _prune, main

FIRST, LAST = "session-aa11", "session-bb22"


class Cli:
    """The verb on a home with two sessions."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self._capsys = capsys
        self.code = 0
        self.out = self.err = ""

    def __call__(self, *words: str | Path) -> str:
        self.code = main([str(word) for word in words])
        self.out, self.err = self._capsys.readouterr()
        return self.out

    def json(self, *words: str | Path) -> Any:
        self(*words, "--json")
        assert self.err == ""
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    def refused(self, *words: str | Path) -> tuple[int, str]:
        self(*words)
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert "Traceback" not in self.err
        return self.code, self.err


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    home = tmp_path / "home"
    monkeypatch.setenv("HEARTH_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    fill(home, (FIRST, LAST))
    return Cli(home, capsys)


@contextmanager
def daemon(home: Path) -> Iterator[None]:
    """Somebody holds the lock of the home, as a daemon does."""
    lock = take(str(home / "daemon.lock"), 1)
    assert lock is not None
    try:
        yield
    finally:
        os.close(lock)


def test_a_sound_log_is_said_to_be_well(cli: Cli) -> None:
    assert "2 sessions" in cli("check")
    assert "all is well" in cli.out
    assert cli.code == 0
    checked = cli.json("check")
    assert (checked["sessions"], checked["findings"]) == (2, [])
    assert checked["events"] > 4


def test_what_is_damaged_is_named_and_is_no_success(cli: Cli) -> None:
    connection = sqlite3.connect(cli.home / "data" / "hearth.db")
    with connection:
        connection.execute(
            "UPDATE events SET data = 'x' WHERE session = ? AND version = 2", (FIRST,)
        )
    connection.close()
    told = cli("check")
    assert cli.code == 1
    assert FIRST in told
    found = cli.json("check")["findings"]
    assert found[0]["session"] == FIRST


@pytest.mark.promise("SF-CLI-06")
def test_a_session_goes_out_and_comes_in_again(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "out" / "one.jsonl"
    written = cli.json("export", "aa", file)
    assert written["session"] == FIRST
    assert file.exists()
    brought = cli.json("import", file)
    assert brought == {"session": f"{FIRST}-2", "events": written["events"]}
    again = cli.json("import", file, "--as", "my-copy")
    assert again["session"] == "my-copy"
    assert cli.json("check")["sessions"] == 4
    assert cli.refused("import", file, "--as", "my-copy")[0] == 1


def test_an_import_into_a_home_without_a_log_keeps_the_id(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.jsonl"
    cli("export", FIRST, file)
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "other"))
    assert cli.json("import", file)["session"] == FIRST


def test_an_export_never_writes_over_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text("mine")
    code, told = cli.refused("export", FIRST, file)
    assert code == 1
    assert str(file) in told
    assert file.read_text() == "mine"


def test_a_session_that_is_not_there_is_refused(cli: Cli, tmp_path: Path) -> None:
    code, told = cli.refused("export", "nobody", tmp_path / "x")
    assert code == 4
    assert "nobody" in told
    assert "hint: " in told
    assert cli.json("export", "nobody", tmp_path / "x")["error"]["code"] == "unknown_session"


def test_a_file_that_is_no_export_is_refused_and_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("{}\n")
    code, told = cli.refused("import", bad)
    assert code == 1
    assert "line 1" in told
    assert cli.refused("import", tmp_path / "nowhere")[0] == 1
    assert cli.refused("import", bad, "--as", "a/b")[0] == 2
    assert cli.refused("import", bad, "--as", "daemon-sessions")[0] == 2
    assert cli.json("check")["sessions"] == 2


@pytest.mark.promise("SF-CLI-06")
def test_old_sessions_are_archived_and_gone(cli: Cli, tmp_path: Path) -> None:
    nothing = cli.json("prune", "--older-than", "90d", "--archive", tmp_path / "old")
    assert nothing == {"archived": [], "kept": []}
    pruned = cli.json("prune", "--older-than", "0h", "--archive", tmp_path / "old")
    assert {one["session"] for one in pruned["archived"]} == {FIRST, LAST}
    assert all(Path(one["file"]).exists() for one in pruned["archived"])
    assert cli.json("check")["sessions"] == 0
    assert cli.json("import", pruned["archived"][0]["file"])["events"] > 1


async def test_what_a_daemon_has_is_not_pruned(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await asyncio.to_thread(fill, home, (FIRST, LAST))
    theirs = SqliteLog((home / "data" / "hearth.db").resolve())
    await theirs.open()
    await theirs.claim(SessionId(FIRST))
    ours = SqliteLog((home / "data" / "hearth.db").resolve())
    await ours.open()
    answer = await _prune(ours, {"--older-than": "0h", "--archive": str(tmp_path / "old")})
    await ours.close()
    await theirs.close()
    assert [one["session"] for one in answer.value["archived"]] == [LAST]
    assert [one["session"] for one in answer.value["kept"]] == [FIRST]
    assert any("hearth stop" in line for line in answer.lines)


@pytest.mark.parametrize("age", ["90", "d", "-1d", "1y", "", "1.5d", "9999999d"])
def test_an_age_that_is_none_is_refused(cli: Cli, tmp_path: Path, age: str) -> None:
    code, told = cli.refused("prune", f"--older-than={age}", "--archive", tmp_path)
    assert code == 2
    assert "90d" in told


@pytest.mark.promise("SF-CLI-06")
def test_a_backup_is_restored_into_a_home_without_a_log(cli: Cli, tmp_path: Path) -> None:
    backup = cli.json("backup", tmp_path / "safe")["backup"]
    assert Path(backup).is_dir()
    code, told = cli.refused("restore", backup)
    assert code == 1
    assert "is there already" in told
    shutil.rmtree(cli.home / "data")
    assert cli.json("restore", backup)["sessions"] == 2
    assert cli.json("check")["findings"] == []


def test_nothing_is_restored_under_a_running_daemon(cli: Cli, tmp_path: Path) -> None:
    backup = cli.json("backup", tmp_path / "safe")["backup"]
    shutil.rmtree(cli.home / "data")
    with daemon(cli.home):
        code, told = cli.refused("restore", backup)
    assert code == 4
    assert "hint: `hearth stop` first" in told
    assert not (cli.home / "data").exists()


def test_checks_exports_and_backups_work_beside_a_daemon(cli: Cli, tmp_path: Path) -> None:
    with daemon(cli.home):
        assert cli.json("check")["sessions"] == 2
        assert cli.json("export", FIRST, tmp_path / "x")["session"] == FIRST
        assert Path(cli.json("backup", tmp_path / "safe")["backup"]).is_dir()


def test_a_home_without_a_log_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HEARTH_HOME", str(home))
    cli = Cli(home, capsys)
    assert "nothing is kept yet" in cli("check")
    assert cli.code == 0
    assert cli.refused("export", "a", tmp_path / "x")[0] == 1
    assert cli.refused("backup", tmp_path / "safe")[0] == 1
    assert cli.refused("restore", tmp_path / "nowhere")[0] == 1
    assert not home.exists()


def test_wrong_words_are_refused_and_help_is_given(cli: Cli) -> None:
    assert cli.refused("chek")[0] == 2
    assert "did you mean 'check'" in cli.err
    assert "hearth log export SESSION FILE" in cli()
    assert cli.out == cli("--help")
    assert cli.code == 0


def test_a_store_that_cannot_be_opened_is_said(cli: Cli) -> None:
    (cli.home / "data" / "hearth.db").write_bytes(b"no database " * 1000)
    code, told = cli.refused("check")
    assert code == 1
    assert "hearth.db" in told
