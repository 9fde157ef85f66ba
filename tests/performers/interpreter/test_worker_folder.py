"""What is written about a worker is read again, and damaged files are forgiven."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.worker_folder import (
    ExitRecord,
    GuardianRecord,
    ProcessId,
    WorkerFolder,
    WorkerRecord,
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
    for nonsense in (b"\xff?", b"-1", b"1.5", "²".encode()):
        (folder.path / "caller").write_bytes(nonsense)
        assert folder.caller == 0
    (folder.path / "caller").write_bytes(b"9" * 5000)
    assert folder.caller == 10**9
    (folder.path / "caller").unlink()
    os.mkfifo(folder.path / "caller")
    assert folder.caller == 0, "nobody is waited for"


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
