"""What a new interpreter finds: its folder, its environment, and nothing of ours."""

import json
from pathlib import Path

import pytest
from tests.performers.interpreter.pretended_python import program

from hearth.performers.interpreter import signalling, starting
from hearth.performers.interpreter.launcher import LAUNCHER
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.starting import (
    CannotStart,
    make_folder,
    start_cold,
)
from hearth.performers.interpreter.worker_folder import WorkerFolder, WorkerRecord


def test_a_folder_has_all_that_a_launcher_needs(tmp_path: Path) -> None:
    runtime = Runtime(tmp_path)
    wanted = Preferences(memory=1 << 30, processes=7, orphan_after=5.0)
    record = WorkerRecord(name="", python="/p")
    folder = make_folder(runtime, record, wanted, {"environment": {"A": "1"}, "directory": "/d"})
    launch = json.loads((folder.path / "launch.json").read_text())
    assert launch == {
        "environment": {"A": "1"},
        "directory": "/d",
        "memory": 1 << 30,
        "processes": 7,
        "orphan_after": 5.0,
        "lock": str(tmp_path / "daemon.lock"),
        "inside": str(folder.path),
    }
    assert folder.record() == WorkerRecord(name=folder.name, python="/p")
    assert folder.connection()["ip"] == str(folder.path / "s")
    secret = ("launch.json", "connection.json")
    assert all((folder.path / name).stat().st_mode & 0o077 == 0 for name in secret)


def test_a_folder_that_cannot_be_written_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: WorkerFolder, __: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(WorkerFolder, "write_launch", full)
    with pytest.raises(OSError, match="No space"):
        make_folder(Runtime(tmp_path), WorkerRecord(name=""), Preferences(), {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["/nonexistent/python", "/", "/proc/version", "a\0b"])
async def test_what_is_no_program_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotStart, match="cannot be run: ") as told:
        await start_cold(WorkerFolder(tmp_path), "cold", name)
    assert repr(name) in str(told.value)


async def test_a_guardian_is_started_by_the_path_of_the_launcher_and_leaves_no_zombie(
    tmp_path: Path,
) -> None:
    said = tmp_path / "said"
    python = program(tmp_path, f'echo "$@" > {said}.new; mv {said}.new {said}')
    process = await start_cold(WorkerFolder(tmp_path / "w-1"), "cold", python)
    (reaping,) = starting._reaping
    await reaping
    assert said.read_text() == f"{LAUNCHER} cold {tmp_path}/w-1\n"
    assert signalling.open_process(process) is None
