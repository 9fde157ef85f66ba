"""The runtime folder is ours alone, short enough for sockets, and knows who lives in it."""

import os
import tempfile
from pathlib import Path

import pytest

from hearth.performers.interpreter.runtime import Runtime, RuntimeUnusable, runtime_folder
from hearth.performers.interpreter.worker_folder import WorkerFolder


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
    monkeypatch.setattr(f"{Runtime.__module__}.TRIES", 2)
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
