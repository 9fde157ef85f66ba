from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.git_reading import git
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("[core]\n\tbare = false\n")
    (tmp_path / "sub").mkdir()
    return tmp_path


def _git(line: str, root: Path) -> Reads:
    words = tuple(Argument(word, word) for word in line.split())
    return git(Call("git", words, Place(str(root), str(root))))


def test_operands_may_be_paths_also_behind_a_commit(root: Path) -> None:
    found = _git("show HEAD:a.txt", root)

    assert found.trees == (str(root),)
    assert found.perhaps == (f"{root}/HEAD:a.txt", f"{root}/a.txt")


def test_another_folder_of_the_project_may_be_looked_at(root: Path) -> None:
    assert _git("-C sub log", root).trees == (f"{root}/sub",)
    with pytest.raises(Unproven, match="outside"):
        _git("-C .. log", root)


@pytest.mark.parametrize(
    "line",
    [
        "", "status -sb", "log -5 --oneline", "diff --stat", "branch", "branch -a", "tag --list v*",
        "branch --contains HEAD", "remote", "remote -v", "stash list",
        "config --get user.name",
        "reflog", "--version", "--no-pager show", "rev-parse --short HEAD", "blame -L 1,2 x",
    ],
)  # fmt: skip
def test_what_only_looks_is_known(line: str, root: Path) -> None:
    found = _git(line, root)  # raises if it is not
    assert all(path.startswith(str(root)) for path in found.trees)


@pytest.mark.parametrize(
    "line",
    [
        "commit", "branch x", "branch -D x", "tag v1", "stash", "stash pop", "config a b",
        "remote -v update", "remote add a b", "reflog delete x", "-c a=b log", "--exec-path=x log",
        "--git-dir=x log", "log --output=x", "log --outp=x", "diff --ext-diff",
        "diff --no-index a b",
        "grep -Oless x", "log --format=%G?", "log --help", "-p log", "show --textconv", "unknown",
        "for-each-ref --format=%(signature)", "cat-file --filters x", "worktree add x", "fetch",
    ],
)  # fmt: skip
def test_what_does_more_is_not_proven(line: str, root: Path) -> None:
    with pytest.raises(Unproven):
        _git(line, root)


def test_where_there_is_no_repository_files_are_not_compared(tmp_path: Path) -> None:
    _git("diff", tmp_path)
    with pytest.raises(Unproven, match="no repository"):
        _git("diff a b", tmp_path)


def test_a_repository_that_runs_something_is_not_looked_at(root: Path) -> None:
    (root / ".git" / "config").write_text("[core]\n\tfsmonitor = ./evil\n")

    with pytest.raises(Unproven, match="fsmonitor"):
        _git("status", root)
    _git("--version", root)


@pytest.mark.parametrize(
    ("line", "is_proven"),
    [
        ("status", False),
        ("diff", False),
        ("diff --submodule=log", False),
        ("log --submodule", False),
        ("describe --dirty", False),
        ("status --ignore-submodules=all --ignore-submodules=none", False),
        ("status --ignore-submodules=dirty", False),
        ("stash show", False),
        ("status --ignore-submodules=all", True),
        ("status --ignore-submodules", True),
        ("log -p", True),
        ("describe --tags", True),
        ("ls-files", True),
        ("ls-files --recurse-submodules", False),
    ],
)
def test_repositories_within_one_are_only_looked_at_if_git_does_not(
    line: str, *, is_proven: bool, root: Path
) -> None:
    (root / ".git" / "index").write_bytes(b"DIRC\0\0\0\2" + b"\0" * 28 + b"\0\0\xe0\0")

    if is_proven:
        assert _git(line, root).trees == (str(root),)
    else:
        with pytest.raises(Unproven, match="other repositories"):
            _git(line, root)
