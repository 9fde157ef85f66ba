"""The runtime folder is ours alone, short enough for sockets, and forgives damaged files."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter import worker_folder
from hearth.performers.interpreter.worker_folder import (
    ExitRecord,
    GuardianRecord,
    ProcessId,
    Runtime,
    RuntimeUnusable,
    WorkerFolder,
    WorkerRecord,
    runtime_folder,
)


@pytest.fixture
def folder(tmp_path: Path) -> WorkerFolder:
    return WorkerFolder(tmp_path)


def test_one_that_is_contained_has_a_part_of_the_folder(folder: WorkerFolder) -> None:
    assert folder.inside == folder.path
    folder.contain()
    assert folder.inside == folder.path / "in"
    assert folder.journal == folder.inside / "journal"
    folder.write_connection()
    assert folder.connection()["ip"] == str(folder.inside / "s")
    assert (folder.inside / "connection.json").read_bytes() == (
        folder.path / "connection.json"
    ).read_bytes()
    folder.write_launch({"a": 1})
    assert folder.launch() == {"a": 1}


# -- where it is ----------------------------------------------------------------------------------


def test_a_home_has_one_folder_and_another_home_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        (tmp_path / "link").symlink_to(tmp_path / "a")
        assert runtime_folder(tmp_path / "a") == runtime_folder(tmp_path / "link")
        assert runtime_folder(tmp_path / "a") != runtime_folder(tmp_path / "b")
        assert runtime_folder(tmp_path / "a").parent == Path(short)


@pytest.mark.parametrize("name", ["x" * 90, "é" * 40], ids=["long", "many bytes"])
def test_sockets_fit_however_long_the_paths_of_home_and_runtime_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    deep = tmp_path / name / ("d" * 200)
    deep.mkdir(parents=True)
    for base in (deep, deep.parent):
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(base))
        socket = WorkerFolder(runtime_folder(deep) / "w-12345678").path / "s-5"
        assert len(os.fsencode(socket)) <= 107


@pytest.mark.parametrize("base", ["", "relative", "/nonexistent"])
def test_a_runtime_directory_that_cannot_be_used_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    (tmp_path / "relative").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", base)
    found = runtime_folder(tmp_path)
    assert found.is_absolute()
    assert found.parent.is_dir()


# -- whose it is ----------------------------------------------------------------------------------


def test_the_folder_is_for_us_alone(tmp_path: Path) -> None:
    runtime = Runtime(tmp_path / "deep" / "runtime")
    runtime.open()
    assert runtime.folder.stat().st_mode & 0o777 == 0o700
    assert runtime.lock_path.stat().st_mode & 0o077 == 0
    assert runtime.new().path.stat().st_mode & 0o777 == 0o700
    runtime.close()


def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir(mode=0o755)
    runtime = Runtime(tmp_path / "r")
    runtime.open()
    assert runtime.folder.stat().st_mode & 0o777 == 0o700
    runtime.close()


def test_a_link_that_somebody_put_there_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    for target in (tmp_path / "theirs", tmp_path / "nowhere"):
        (tmp_path / "r").symlink_to(target)
        with pytest.raises(RuntimeUnusable):
            Runtime(tmp_path / "r").open()
        (tmp_path / "r").unlink()
    assert list((tmp_path / "theirs").iterdir()) == []


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r").mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    with pytest.raises(RuntimeUnusable, match="somebody else"):
        Runtime(tmp_path / "r").open()
    assert list((tmp_path / "r").iterdir()) == []


@pytest.mark.parametrize("what", ["file", "lock"])
def test_a_place_that_is_taken_is_told_not_raised_as_it_comes(tmp_path: Path, what: str) -> None:
    runtime = Runtime(tmp_path / "r")
    if what == "file":
        runtime.folder.write_text("")
    else:
        runtime.lock_path.mkdir(parents=True)
    with pytest.raises(RuntimeUnusable, match=r"/r"):
        runtime.open()


# -- the lock -------------------------------------------------------------------------------------


def test_a_second_daemon_is_refused_and_told_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_folder, "TRIES", 2)
    first = Runtime(tmp_path / "r")
    first.open()
    with pytest.raises(RuntimeUnusable, match=r"another daemon uses .*hint: stop it"):
        Runtime(tmp_path / "r").open()
    first.new()
    first.close()
    second = Runtime(tmp_path / "r")
    second.open()
    assert len(list(second.workers())) == 1
    second.close()


def test_a_daemon_that_comes_while_the_last_one_leaves_has_a_lock_that_others_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Runtime(tmp_path / "r"), Runtime(tmp_path / "r")
    first.open()
    monkeypatch.setattr("time.sleep", lambda _: first.close())
    second.open()
    assert second.lock_path.exists(), "the first took its folder away"
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(RuntimeUnusable, match="another daemon"):
        Runtime(tmp_path / "r").open()
    second.close()


def test_a_folder_without_workers_goes_with_its_daemon_and_one_with_workers_stays(
    tmp_path: Path,
) -> None:
    runtime = Runtime(tmp_path / "r")
    runtime.open()
    worker = runtime.new()
    runtime.close()
    runtime.close()
    assert worker.path.exists()
    runtime = Runtime(tmp_path / "r")
    runtime.open()
    worker.remove()
    runtime.close()
    assert not runtime.folder.exists()


def test_workers_have_different_names_and_are_found_again(tmp_path: Path) -> None:
    runtime = Runtime(tmp_path)
    made = {runtime.new().name for _ in range(5)}
    (tmp_path / "something").mkdir()
    assert len(made) == 5
    assert {one.name for one in runtime.workers()} == made
    assert list(Runtime(tmp_path / "nowhere").workers()) == []


# -- what is written ------------------------------------------------------------------------------


def test_a_record_is_read_as_it_was_written(folder: WorkerFolder) -> None:
    record = WorkerRecord(name="w-1", session=SessionId("session-é"), generation=3, prepared=True)
    folder.write_record(record)
    assert folder.record() == record
    assert (folder.path / "worker.json").stat().st_mode & 0o077 == 0
    assert [one.name for one in folder.path.iterdir()] == ["worker.json"], "and nothing is left"


def test_a_record_of_a_newer_daemon_can_be_read(folder: WorkerFolder) -> None:
    told = {"name": "w-1", "session": "s", "generation": 2, "colour": "red"}
    (folder.path / "worker.json").write_text(json.dumps(told))
    assert folder.record() == WorkerRecord(name="w-1", session=SessionId("s"), generation=2)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"{}", b'{"name": 3}', b"\xff\xfe", b'{"name": "\xff"}', b"\0" * 9],
)
def test_files_with_anything_else_in_them_say_nothing(folder: WorkerFolder, content: bytes) -> None:
    for name in ("worker.json", "guardian.json", "connection.json"):
        (folder.path / name).write_bytes(content)
    assert folder.record() is None
    assert folder.guardian() is None
    with pytest.raises(ValueError, match=r".+"):
        folder.connection()


def test_files_that_are_not_there_say_nothing(folder: WorkerFolder) -> None:
    assert folder.record() is None
    assert folder.guardian() is None
    assert folder.last_words() == ""
    with pytest.raises(OSError, match=r"connection\.json"):
        folder.connection()


def test_what_a_guardian_wrote_can_be_read(folder: WorkerFolder) -> None:
    told: dict[str, Any] = {
        "guardian": {"pid": 10, "start": 100},
        "kernel": {"pid": 11, "start": 101},
        "state": "running",
        "exit": None,
    }
    (folder.path / "guardian.json").write_text(json.dumps(told))
    assert folder.guardian() == GuardianRecord(ProcessId(10, 100), ProcessId(11, 101), "running")
    told["exit"] = {"code": None, "signal": 9, "reason": "memory", "message": "1 GiB"}
    (folder.path / "guardian.json").write_text(json.dumps(told))
    found = folder.guardian()
    assert found is not None
    assert found.exit == ExitRecord(None, 9, "memory", "1 GiB")


def test_each_worker_has_its_own_key_and_sockets(tmp_path: Path) -> None:
    runtime = Runtime(tmp_path)
    first, second = runtime.new(), runtime.new()
    one, other = first.write_connection(), second.write_connection()
    assert one["key"] != other["key"]
    assert one["ip"] != other["ip"]
    assert first.connection() == one
    ports = [value for name, value in one.items() if name.endswith("_port")]
    assert len(set(ports)) == len(ports) == 5


@pytest.mark.parametrize("damage", [{"key": None}, {"signature_scheme": "hmac-none"}])
def test_a_connection_file_that_lacks_something_is_refused(
    folder: WorkerFolder, damage: dict[str, Any]
) -> None:
    written = {**folder.write_connection(), **damage}
    kept = {name: value for name, value in written.items() if value is not None}
    (folder.path / "connection.json").write_text(json.dumps(kept))
    with pytest.raises(ValueError, match=r"connection\.json"):
        folder.connection()


def test_the_name_under_which_it_is_spoken_with_is_told_to_the_next(folder: WorkerFolder) -> None:
    assert folder.caller == 0
    folder.write_caller(12)
    assert WorkerFolder(folder.path).caller == 12
    (folder.path / "caller").write_bytes(b"\xff?")
    assert folder.caller == 0


def test_the_last_words_are_the_end_of_what_was_written(folder: WorkerFolder) -> None:
    (folder.path / "stdio.log").write_bytes(b"first\n" + b"x" * 5000 + b"\xff last \n")
    words = folder.last_words(most=20)
    assert words.endswith("last")
    assert "first" not in words
    assert len(words) <= 20


def test_a_folder_that_was_removed_is_gone_and_can_be_removed_again(folder: WorkerFolder) -> None:
    folder.write_connection()
    folder.journal.mkdir()
    folder.remove()
    folder.remove()
    assert not folder.path.exists()
