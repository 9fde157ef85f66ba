"""Finding out what going back takes, and doing it."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import Thing, project, put, things

from hearth.core.vocabulary.deeds import ChangeKind
from hearth.performers.snapshots.git import Deadline, Git, GitFailed
from hearth.performers.snapshots.restoring import Done, carry_out, plan
from hearth.performers.snapshots.shadow import Shadow
from hearth.performers.snapshots.worktree import Worktree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "loom", weave="1", spin="2", knit="3")


@pytest.fixture
def shadow(tmp_path: Path, root: Path) -> Shadow:
    return Shadow(tmp_path / "s", root, hidden=tmp_path / "s", path=os.environ["PATH"])


def test_a_plan_changes_nothing(shadow: Shadow, root: Path) -> None:
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        (root / "weave.py").unlink()
        (root / "new").write_text("")
        after = things(root)
        planned = plan(shadow, git, tree)
        assert [(one.path, one.kind) for one in planned.steps] == [
            (b"new", ChangeKind.DELETED),
            (b"weave.py", ChangeKind.CREATED),
        ]
        assert planned.left_out == 0
        assert things(root) == after
        assert carry_out(shadow, git, planned).problem() == ""
    assert sorted(things(root)) == [b"knit.py", b"spin.py", b"weave.py"]


def test_a_path_that_fails_does_not_keep_the_others_away(
    shadow: Shadow, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Worktree.write

    def full(
        self: Worktree,
        path: bytes,
        pieces: Iterable[bytes],
        *,
        is_program: bool,
        mode: int | None = None,
    ) -> None:
        if path == b"spin.py":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, path, pieces, is_program=is_program, mode=mode)

    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        before = things(root)
        for name in ("weave", "spin", "knit"):
            (root / f"{name}.py").write_text("changed")
        with monkeypatch.context() as patch:
            patch.setattr(Worktree, "write", full)
            done = carry_out(shadow, git, plan(shadow, git, tree))
        assert [one.path for one in done.changes] == ["knit.py", "weave.py"]
        assert done.problem() == (
            "not everything could be brought back: spin.py (no space left on device)"
        )
        assert (root / "spin.py").read_text() == "changed"
        rest = carry_out(shadow, git, plan(shadow, git, tree))
        assert [one.path for one in rest.changes] == ["spin.py"]
    assert things(root) == before


def test_what_somebody_saves_in_between_is_not_overwritten(shadow: Shadow, root: Path) -> None:
    with shadow.locked(Deadline(60)) as git:
        kept = shadow.stage(git).tree
        for name in ("weave.py", "spin.py", "new", "newer"):
            (root / name).write_text("by the agent")
        planned = plan(shadow, git, kept)
        for name in ("weave.py", "new"):
            (root / name).write_text("saved by a person just now")
        done = carry_out(shadow, git, planned)
    assert sorted(done.failed) == [b"new", b"weave.py"]
    assert "weave.py (somebody writes to it in this moment, so it stays)" in done.problem()
    assert (root / "weave.py").read_text() == "saved by a person just now"
    assert (root / "new").read_text() == "saved by a person just now"
    assert (root / "spin.py").read_text() != "by the agent"
    assert not (root / "newer").exists()


def test_contents_that_are_lost_are_told_and_the_files_stay(shadow: Shadow, root: Path) -> None:
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        name = git.run("rev-parse", f"{tree}:spin.py").decode().strip()
        for one in ("weave", "spin", "knit"):
            (root / f"{one}.py").write_text("changed")
        planned = plan(shadow, git, tree)
        (git.folder / "objects" / name[:2] / name[2:]).unlink()
        done = carry_out(shadow, git, planned)
    assert [one.path for one in done.changes] == ["knit.py"]
    assert set(done.failed) == {b"spin.py", b"weave.py"}
    assert "no longer there" in done.problem()
    assert (root / "knit.py").read_text() == "3"
    assert (root / "spin.py").read_text() == "changed"


def test_a_folder_with_ignored_files_is_not_removed_for_a_file(shadow: Shadow, root: Path) -> None:
    (root / ".gitignore").write_text("*.o\n")
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        put(root, b"weave.py/made.o", Thing("file", b"ignored"))
        put(root, b"weave.py/other", Thing("file", b"since"))
        done = carry_out(shadow, git, plan(shadow, git, tree))
    assert (
        "weave.py (a folder is there with files that are not kept, so it stays)" in done.problem()
    )
    assert (root / "weave.py" / "made.o").read_text() == "ignored"
    assert not (root / "weave.py" / "other").exists()


def test_what_lay_in_a_folder_that_could_not_be_looked_into_is_spared(
    shadow: Shadow, root: Path
) -> None:
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        shadow.notes.add_left_out(tree, [b"private/", b"large"])
        put(root, b"private/key", Thing("file", b"was there"))
        put(root, b"large", Thing("file", b"was there"))
        put(root, b"privately", Thing("file", b"since"))
        planned = plan(shadow, git, tree)
        assert [one.path for one in planned.steps] == [b"privately"]


def test_a_state_without_its_tree_is_told(shadow: Shadow) -> None:
    with shadow.locked(Deadline(60)) as git, pytest.raises(GitFailed, match="no longer kept"):
        plan(shadow, git, "1" * 40)


def test_of_many_failures_some_are_named() -> None:
    done = Done(failed={b"%d" % one: "why" for one in range(5)})
    assert done.problem() == (
        "not everything could be brought back: 0 (why), 1 (why), 2 (why), 2 more"
    )


def test_names_that_git_reads_as_patterns_are_names(shadow: Shadow, root: Path) -> None:
    (root / ".gitignore").write_text("ignored*\n")
    for name in (":(top)a", "*", "-n", "[x]", ":!b", "ignored:*"):
        (root / name).write_text("before")
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        before = things(root)
        (root / ".gitignore").write_text("")
        for name in (":(top)a", "*", "-n", "[x]", ":!b"):
            (root / name).write_text("after")
            (root / f"{name}2").write_text("since")
        done = carry_out(shadow, git, plan(shadow, git, tree))
    assert done.problem() == ""
    assert things(root) == before


def test_git_is_asked_only_what_it_must_be(shadow: Shadow, monkeypatch: pytest.MonkeyPatch) -> None:
    with shadow.locked(Deadline(60)) as git:
        tree = shadow.stage(git).tree
        ran: list[str] = []
        said = Git.said

        def noting(self: Git, *arguments: str, **how: bytes) -> tuple[bytes, bytes]:
            ran.append(arguments[0])
            return said(self, *arguments, **how)  # type: ignore[arg-type] # passed on as it came

        monkeypatch.setattr(Git, "said", noting)
        assert plan(shadow, git, tree).steps == ()
    assert ran == ["cat-file", "diff-files", "ls-files", "diff-tree"]
