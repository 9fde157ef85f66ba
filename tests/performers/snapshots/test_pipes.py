"""Pipes that are called like git's own files."""

import os
import threading
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import git_for, project

from hearth.performers.snapshots.pipes import let_through


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", "deep/er/.gitignore"])
def test_git_does_not_wait_for_a_writer_who_never_comes(tmp_path: Path, name: str) -> None:
    root = project(tmp_path / "loom", weave="1")
    pipe = root / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    (pipe.parent / "beside").touch()
    git = git_for(tmp_path / "git", root)
    git.run("init", "-q", "--bare", "--template=", environ={"GIT_WORK_TREE": ""})

    listed = git.run("ls-files", "-z", "-o", "--exclude-per-directory=.gitignore")
    assert b"weave.py" in listed.split(b"\0")
    git.run("update-index", "--add", "weave.py")
    assert pipe.is_fifo()


def test_a_reader_is_let_go_on_and_what_is_no_pipe_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub" / ".gitignore")
    (tmp_path / ".gitignore").write_text("x\n")
    (tmp_path / ".gitattributes").symlink_to(tmp_path / "sub" / "nowhere")
    read: list[bytes] = []
    reader = threading.Thread(
        target=lambda: read.append((tmp_path / "sub" / ".gitignore").read_bytes()), daemon=True
    )
    reader.start()
    with let_through(tmp_path, patience=0):
        reader.join(10)

    assert read == [b""]
    assert (tmp_path / ".gitignore").read_text() == "x\n"
    assert not (tmp_path / "sub" / "nowhere").exists()
