"""What a project's own repository tracks."""

import os
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import git_for, project

from hearth.performers.snapshots.git import Git
from hearth.performers.snapshots.tracked import Tracked, index_of, signature_of

IGNORING = ("--exclude-per-directory=.gitignore",)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = project(tmp_path / "loom", weave="1", spin="2")
    (root / ".gitignore").write_text("*.py\n")
    return root


@pytest.fixture
def git(tmp_path: Path, root: Path) -> Git:
    """Git with a repository that knows the files of the project, beside it."""
    git = git_for(tmp_path / "git", root)
    git.run("init", "-q", "--bare", "--template=", environ={"GIT_WORK_TREE": ""})
    git.run("update-index", "--add", "weave.py", ".gitignore")
    return git


def test_what_is_tracked_and_ignored_is_told_once(root: Path, git: Git) -> None:
    (root / ".git").mkdir()
    index = root / ".git" / "index"
    tracked = Tracked(root)
    assert tracked.though_ignored(git, IGNORING) == ()
    index.write_bytes((git.folder / "index").read_bytes())
    assert tracked.though_ignored(git, IGNORING) == (b"weave.py",)
    assert tracked.though_ignored(git, IGNORING) == ()
    git.run("update-index", "--add", "spin.py")
    index.write_bytes((git.folder / "index").read_bytes())
    assert tracked.though_ignored(git, IGNORING) == (b"spin.py", b"weave.py")
    (root / "spin.py").unlink()
    assert Tracked(root).though_ignored(git, IGNORING) == (b"weave.py",)


def test_a_list_that_lies_elsewhere_is_found(root: Path, git: Git) -> None:
    (root / ".git").write_text("gitdir: ../git\n")
    assert Tracked(root).though_ignored(git, IGNORING) == (b"weave.py",)
    (root / ".git").write_text(f"gitdir: {git.folder}\n")
    assert Tracked(root).though_ignored(git, IGNORING) == (b"weave.py",)


@pytest.mark.parametrize("content", [b"nonsense", b"gitdir: /no\0where", b"\xff\xfe", b""])
def test_a_strange_git_file_says_nothing(root: Path, git: Git, content: bytes) -> None:
    (root / ".git").write_bytes(content)
    assert Tracked(root).though_ignored(git, IGNORING) == ()


def test_nobody_waits_for_a_pipe(root: Path, git: Git) -> None:
    os.mkfifo(root / ".git")
    assert Tracked(root).though_ignored(git, IGNORING) == ()
    (root / ".git").unlink()
    (root / ".git").mkdir()
    os.mkfifo(root / ".git" / "index")
    assert Tracked(root).though_ignored(git, IGNORING) == ()


def test_a_broken_list_is_told_in_the_log_alone(
    root: Path, git: Git, caplog: pytest.LogCaptureFixture
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "index").write_bytes(b"nonsense")
    tracked = Tracked(root)
    assert tracked.though_ignored(git, IGNORING) == ()
    assert tracked.though_ignored(git, IGNORING) == ()
    assert caplog.text.count("cannot be read") == 1


def test_a_signature_is_of_a_file_and_of_nothing_else(tmp_path: Path, root: Path) -> None:
    assert index_of(root) == root / ".git" / "index"
    assert signature_of(None) == ()
    assert signature_of(tmp_path) == ()
    assert signature_of(tmp_path / "none") == ()
    one = signature_of(root / "weave.py")
    (root / "weave.py").write_text("longer")
    assert signature_of(root / "weave.py") != one


def test_a_git_file_larger_than_memory_is_not_read_as_a_whole(root: Path, git: Git) -> None:
    with (root / ".git").open("wb") as file:
        file.write(b"gitdir: /nowhere\0")
        file.truncate(1 << 40)
    assert Tracked(root).though_ignored(git, IGNORING) == ()
