"""The repository beside a project."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.performers.snapshots.projects import project

from hearth.performers.snapshots import shadow as shadows
from hearth.performers.snapshots.git import Deadline, Git, GitFailed
from hearth.performers.snapshots.shadow import STATES, Shadow, is_state


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "loom", weave="1", spin="2")


@pytest.fixture
def shadow(tmp_path: Path, root: Path) -> Shadow:
    return Shadow(tmp_path / "s" / "x", root, hidden=tmp_path / "s", path=os.environ["PATH"])


def names(git: Git, tree: str) -> list[str]:
    return git.run("ls-tree", "-r", "-z", "--name-only", tree).decode().split("\0")[:-1]


def test_nobody_else_may_look_at_it_and_the_project_does_not_see_it(
    shadow: Shadow, root: Path
) -> None:
    with shadow.locked(Deadline(60)) as git:
        staged = shadow.stage(git)
        assert names(git, staged.tree) == ["spin.py", "weave.py"]
    assert shadow.folder.stat().st_mode & 0o777 == 0o700
    assert shadow.folder.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(one.name for one in root.iterdir()) == ["spin.py", "weave.py"]
    assert (shadow.folder / "root").read_text() == f"{root}\n"


def test_an_unchanged_project_costs_one_look(
    shadow: Shadow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    said = Git.said

    def noting(self: Git, *arguments: str, **how: bytes) -> tuple[bytes, bytes]:
        ran.append(arguments[0])
        return said(self, *arguments, **how)  # type: ignore[arg-type] # passed on as it came

    with shadow.locked(Deadline(60)) as git:
        staged = shadow.stage(git)
        shadow.remember(git, staged)
        monkeypatch.setattr(Git, "said", noting)
        again = shadow.stage(git)
        shadow.remember(git, again)
    assert again.tree == staged.tree
    assert ran == ["diff-files", "ls-files"]


def test_whoever_was_killed_leaves_nothing_in_the_way(shadow: Shadow, root: Path) -> None:
    with shadow.locked(Deadline(60)) as git:
        first = shadow.stage(git)
    (git.folder / STATES).mkdir(parents=True)
    for name in ("index.lock", "packed-refs.lock", f"{STATES}/{first.tree}.lock"):
        (git.folder / name).write_text("")
    with shadow.locked(Deadline(60)) as git:
        shadow.remember(git, first)
        (root / "weave.py").write_text("other")
        second = shadow.stage(git)
        assert second.tree != first.tree
        shadow.remember(git, second)
        shadow.forget(git, [first.tree])
        assert [tree for _, tree in shadow.states()] == [second.tree]


def test_a_broken_index_is_made_anew(shadow: Shadow, root: Path) -> None:
    with shadow.locked(Deadline(60)) as git:
        first = shadow.stage(git).tree
        (git.folder / "index").write_bytes(b"DIRC nonsense")
        assert shadow.stage(git).tree == first
        (root / "weave.py").write_text("other")
        (git.folder / "index").write_bytes(b"")
        assert shadow.stage(git).tree != first


def test_a_repository_that_was_only_begun_is_finished(shadow: Shadow) -> None:
    (shadow.folder / "git").mkdir(parents=True)
    (shadow.folder / "git" / "HEAD").write_text("ref: refs/heads/main\n")
    (shadow.folder / "git" / "config.lock").write_text("")
    with shadow.locked(Deadline(60)) as git:
        assert names(git, shadow.stage(git).tree) == ["spin.py", "weave.py"]


def test_what_fails_once_is_tried_again(shadow: Shadow, monkeypatch: pytest.MonkeyPatch) -> None:
    said = Git.said
    failures = iter([GitFailed("a file changed while it was read")])

    def failing(self: Git, *arguments: str, **how: bytes) -> tuple[bytes, bytes]:
        if arguments[0] == "update-index" and (failure := next(failures, None)):
            raise failure
        return said(self, *arguments, **how)  # type: ignore[arg-type] # passed on as it came

    monkeypatch.setattr(Git, "said", failing)
    with shadow.locked(Deadline(60)) as git:
        assert names(git, shadow.stage(git).tree) == ["spin.py", "weave.py"]
        assert next(failures, None) is None


def test_files_that_become_folders_while_they_are_kept_keep_no_others_from_it(
    shadow: Shadow, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (root / name).write_text("a file, when it is looked at")
    said = Git.said

    def swapping(self: Git, *arguments: str, **how: bytes) -> tuple[bytes, bytes]:
        if arguments[0] == "update-index" and (root / "one").is_file():
            for name in ("one", "two"):
                (root / name).unlink()
                (root / name).mkdir()
        return said(self, *arguments, **how)  # type: ignore[arg-type] # passed on as it came

    looked = Shadow._looked

    def looking(*arguments: Any) -> Any:
        for name in ("one", "two"):  # each look finds files, each update finds folders
            if (root / name).is_dir():
                (root / name).rmdir()
            (root / name).write_text("again")
        return looked(*arguments)

    monkeypatch.setattr(Git, "said", swapping)
    monkeypatch.setattr(Shadow, "_looked", looking)
    with shadow.locked(Deadline(60)) as git:
        staged = shadow.stage(git)
        assert names(git, staged.tree) == ["spin.py", "weave.py"]
    assert staged.sifted.left_paths() == {b"one", b"two"}


def test_very_many_files_are_kept_in_one_pack_and_in_portions(
    shadow: Shadow, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shadows, "BATCH", 150)
    for number in range(400):
        (root / f"f{number}").write_text(f"{number}\r\n")
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        assert len(names(git, tree)) == 402
        assert git.run("cat-file", "blob", f"{tree}:f7") == b"7\r\n"
    packs = list((shadow.folder / "git" / "objects" / "pack").glob("*.pack"))
    assert len(packs) == 3


def test_a_folder_that_cannot_be_looked_into_is_told(
    shadow: Shadow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Git.said

    def closed(self: Git, *arguments: str, **how: bytes) -> tuple[bytes, bytes]:
        printed, complaints = said(self, *arguments, **how)  # type: ignore[arg-type] # as it came
        if arguments[0] == "ls-files":
            complaints = b"warning: could not open directory 'private/': Permission denied\n"
        return printed, complaints

    monkeypatch.setattr(Git, "said", closed)
    with shadow.locked(Deadline(60)) as git:
        staged = shadow.stage(git)
        shadow.remember(git, staged)
    assert staged.sifted.notices() == ("not kept, because they cannot be looked into: private/",)
    assert shadow.notes.left_out_of(staged.tree) == {b"private/"}


def test_sockets_are_passed_over(
    shadow: Shadow, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)  # the way to a socket may not be long
    with socket.socket(socket.AF_UNIX) as listening, shadow.locked(Deadline(60)) as git:
        listening.bind("door")
        assert names(git, shadow.stage(git).tree) == ["spin.py", "weave.py"]


def test_a_home_that_cannot_be_used_is_told(tmp_path: Path, root: Path) -> None:
    (tmp_path / "file").write_text("")
    shadow = Shadow(tmp_path / "file" / "x", root, hidden=tmp_path, path=os.environ["PATH"])
    with pytest.raises(GitFailed, match="cannot be used"), shadow.locked(Deadline(60)):
        raise AssertionError("it was used")


def test_states_are_named_by_their_content_and_nothing_else() -> None:
    assert is_state("0123456789abcdef0123456789abcdef01234567")
    assert is_state("a" * 64)
    for name in ("", "HEAD", "--all", "a" * 39, "A" * 40, "a" * 40 + "\n", "a" * 40 + ".lock"):
        assert not is_state(name)
