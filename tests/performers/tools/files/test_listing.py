import os
import subprocess
from pathlib import Path

import pytest

from hearth.performers.tools.files.listing import Listing, listed
from hearth.performers.tools.files.programs import held_folder


async def names(folder: Path, *, ignored: bool = False) -> Listing:
    async with held_folder(str(folder)) as descriptor:
        return await listed(descriptor, "", ignored=ignored)


def tree(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("x\n")


def repository(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)  # noqa: S603, S607 - the git of the tests


async def test_in_a_repository_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    repository(tmp_path)
    tree(tmp_path, "a.py", "sub/b.py", "build/out.o", ".hidden/c", "sub/caf\u00e9")
    (tmp_path / ".gitignore").write_text("build/\n")
    found = await names(tmp_path)
    assert found.by_git
    assert found.files == [".gitignore", ".hidden/c", "a.py", "sub/b.py", "sub/caf\u00e9"]
    assert (await names(tmp_path / "sub")).files == ["b.py", "caf\u00e9"]
    every = await names(tmp_path, ignored=True)
    assert "build/out.o" in every.files
    assert not [name for name in every.files if name.startswith(".git/")]


async def test_git_is_not_kept_waiting_by_a_pipe_that_is_called_like_a_list_of_its_own(
    tmp_path: Path,
) -> None:
    repository(tmp_path)
    tree(tmp_path, "a.py")
    os.mkfifo(tmp_path / ".gitignore")
    found = await names(tmp_path)
    assert found.by_git  # else it was given up after all of its time
    assert found.files == ["a.py"]


async def test_a_folder_that_is_ignored_as_a_whole_is_looked_into_when_it_is_meant(
    tmp_path: Path,
) -> None:
    repository(tmp_path)
    tree(tmp_path, "build/out.o")
    (tmp_path / ".gitignore").write_text("build/\n")
    assert (await names(tmp_path / "build")).files == ["out.o"]


async def test_the_files_of_a_repository_within_another_are_listed_too(tmp_path: Path) -> None:
    repository(tmp_path)
    tree(tmp_path, "a", "deep/inner/b", "deep/inner/node_modules/c")
    repository(tmp_path / "deep" / "inner")
    found = await names(tmp_path)
    assert found == Listing(["a", "deep/inner/b"], by_git=True)


async def test_without_git_what_nobody_looks_for_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    tree(tmp_path, "a.py", "node_modules/x/y.js", ".venv/lib/z.py", ".github/w.yml", ".git/config")
    found = await names(tmp_path)
    assert found == Listing([".github/w.yml", "a.py"])
    every = await names(tmp_path, ignored=True)
    assert ".venv/lib/z.py" in every.files
    assert ".git/config" not in every.files


async def test_links_are_listed_and_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, "outside/secret", "project/a")
    (tmp_path / "project" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "project" / "round").symlink_to(tmp_path / "project")
    assert (await names(tmp_path / "project", ignored=True)).files == ["a", "out", "round"]


async def test_nothing_that_a_repository_says_is_run(tmp_path: Path) -> None:
    repository(tmp_path)
    tree(tmp_path, "a")
    canary = tmp_path / "ran"
    (tmp_path / "hook").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (tmp_path / "hook").chmod(0o755)
    with (tmp_path / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {tmp_path / 'hook'}\n\tpager = {tmp_path / 'hook'}\n")
        config.write(f"[alias]\n\tls-files = !{tmp_path / 'hook'}\n")
    found = await names(tmp_path)
    assert found.by_git
    assert found.files == ["a", "hook"]
    assert not canary.exists()


async def test_folders_that_are_too_deep_end_somewhere(tmp_path: Path) -> None:
    tree(tmp_path, "/".join(["d"] * 100) + "/deep", "shallow")
    assert (await names(tmp_path, ignored=True)).files == ["shallow"]
